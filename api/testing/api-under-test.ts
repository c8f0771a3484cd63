import * as Schema from "effect/Schema"
import type { FastifyInstance } from "fastify"
import { Registry } from "prom-client"
import { onTestFinished } from "vitest"
import { endpoint } from "../../schemas/contract/endpoint.ts"
import type { Endpoint } from "../../schemas/contract/endpoint-kinds.ts"
import { choice, latitude, longitude } from "../../schemas/contract/parameters.ts"
import { agentPaymentsEndpoint } from "../../schemas/endpoints/agent-payments.ts"
import { catalogEndpoint } from "../../schemas/endpoints/catalog.ts"
import { healthEndpoint } from "../../schemas/endpoints/health.ts"
import { openApiEndpoint } from "../../schemas/endpoints/openapi.ts"
import { instant } from "../../schemas/event.ts"
import { Traffic } from "../http/traffic.ts"
import type { ApiOptions } from "../routes/route.ts"
import { buildApi, closeApi } from "../server.ts"
import { ViewStore } from "../views/store.ts"
import { warnings } from "./warnings.ts"

/** A prepared endpoint without parameters. */
export const things = endpoint({
  path: "/api/things",
  name: "things",
  kind: "prepared",
  tier: "free",
  ttl: "2 minutes",
  summary: "Things",
  description: "",
  parameters: {},
  data: Schema.Struct({ items: Schema.Array(Schema.String) }),
  example: { items: ["one"] },
})

/** Data of it that is worth compressing. */
export const many = { items: Array.from({ length: 300 }, (_, index) => `thing ${index}`) }

/** A prepared endpoint with parameters that have defaults. */
export const choices = endpoint({
  path: "/api/climate/choices",
  name: "choices",
  kind: "prepared",
  tier: "free",
  ttl: ({ period }) => (period === "hour" ? "60 seconds" : "900 seconds"),
  summary: "Choices",
  description: "",
  parameters: {
    size: choice(["small", "large"], { default: "small", description: "How large" }),
    period: choice(["hour", "day"], { default: "day", description: "How far back" }),
  },
  data: Schema.Struct({ size: Schema.String }),
  example: { size: "small" },
})

/** An endpoint whose data stands beside the envelope. */
const digest = endpoint({
  path: "/api/digest",
  name: "digest",
  kind: "prepared",
  tier: "free",
  ttl: "1 minute",
  summary: "A digest",
  description: "",
  parameters: {},
  envelope: "composed",
  cold: { summary: "nothing", sections: { count: null } },
  data: Schema.Struct({ summary: Schema.String, sections: Schema.Struct({ count: Schema.NullOr(Schema.Natural) }) }),
  example: { summary: "one thing", sections: { count: 1 } },
})

const coordinates = {
  lat: { schema: latitude, description: "Latitude", unit: "degrees north", example: "34.05" },
  lon: { schema: longitude, description: "Longitude", unit: "degrees east", example: "-118.24" },
}

/** An on-demand endpoint whose parameters are required. */
export const place = endpoint({
  path: "/api/place",
  name: "place",
  kind: "on-demand",
  tier: "free",
  ttl: "10 minutes",
  summary: "A place",
  description: "",
  parameters: coordinates,
  data: Schema.Struct({ temperature: Schema.Finite }),
  example: { temperature: 71.5 },
})

/** An on-demand endpoint where both defaults stand in for either wrong coordinate. */
export const air = endpoint({
  path: "/api/air",
  name: "air",
  kind: "on-demand",
  tier: "free",
  ttl: "30 minutes",
  summary: "The air",
  description: "",
  parameters: {
    lat: { ...coordinates.lat, default: "34.05", whenWrong: "defaults" },
    lon: { ...coordinates.lon, default: "-118.24", whenWrong: "defaults" },
  },
  data: Schema.Struct({ aqi: Schema.Finite }),
  example: { aqi: 42 },
})

/** A contract of one endpoint of each kind. */
export const contract: ReadonlyArray<Endpoint> = [
  things,
  choices,
  digest,
  place,
  air,
  healthEndpoint,
  catalogEndpoint,
  openApiEndpoint,
  agentPaymentsEndpoint,
  warnings,
]

/** When tests happen, unless they say otherwise. */
export const START_MS = Date.parse("2026-08-17T20:35:00.000Z")

/** An API with a clock that stands still until it is moved, and what it wrote to its log. */
export interface ApiUnderTest {
  readonly app: FastifyInstance
  readonly store: ViewStore
  readonly traffic: Traffic
  readonly registry: Registry
  readonly errors: Array<object>
  readonly moveTo: (nowMs: number) => void
  /** Fills a view, observed now and fresh for five minutes. */
  readonly fill: (key: string, data: unknown, freshForMs?: number) => void
  /** Listens on a free port of this machine. */
  readonly listen: () => Promise<number>
}

/** Builds an API for one test; it is closed when the test ends. */
export const apiUnderTest = async ({
  credits = new Map(),
  ...options
}: Partial<ApiOptions> & {
  /** The lines of credit of sources, by their names. */
  readonly credits?: ReadonlyMap<string, string>
} = {}): Promise<ApiUnderTest> => {
  let nowMs = START_MS
  const clock = () => nowMs
  const endpoints = options.endpoints ?? contract
  const store = new ViewStore({ endpoints, nowMs: clock, credits })
  const traffic = new Traffic()
  const registry = new Registry()
  const errors: Array<object> = []
  const app = await buildApi({
    endpoints,
    store,
    traffic,
    registry,
    demand: null,
    billing: null,
    version: "1.2.3",
    startedAtMs: START_MS - 90_000,
    nowMs: clock,
    trustedProxies: [],
    baseUrl: null,
    attribution: new Map(),
    logger: { error: (fields) => errors.push(fields) },
    ...options,
  })
  onTestFinished(() => closeApi(app, 1_000))
  return {
    app,
    store,
    traffic,
    registry,
    errors,
    moveTo: (atMs) => {
      nowMs = atMs
      store.advance(atMs)
    },
    fill: (key, data, freshForMs = 300_000) =>
      store.update(key, {
        body: { v: 2, changedAt: instant(nowMs), data: data as never },
        freshness: {
          v: 1,
          asOf: instant(nowMs),
          staleAfter: instant(nowMs + freshForMs),
          sources: [
            {
              name: "Provider.things",
              status: "live",
              fetched_at: instant(nowMs),
              latency_ms: 12,
              staleAfter: instant(nowMs + freshForMs),
            },
          ],
        },
      }),
    listen: async () => {
      const address = await app.listen({ host: "127.0.0.1", port: 0 })
      return Number(new URL(address).port)
    },
  }
}
