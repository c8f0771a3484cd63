import * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"
import { START_MS } from "../../api/testing/api-under-test.ts"
import { standing } from "../../api/testing/warnings.ts"
import { endpoint } from "../../schemas/contract/endpoint.ts"
import { choice } from "../../schemas/contract/parameters.ts"
import { catalogEndpoint } from "../../schemas/endpoints/catalog.ts"
import { premiumScene } from "./scene.ts"

const MINUTE_MS = 60_000
const Warnings = Schema.NullOr(Schema.Array(Schema.String))
type Warnings = typeof Warnings.Type

/** A view of two inputs, each of which may be withheld. */
const parts = endpoint({
  path: "/api/pro/parts",
  name: "pro_parts",
  kind: "filtered",
  tier: "premium",
  credits: 2,
  ttl: "1 minute",
  summary: "",
  description: "",
  parameters: { where: choice(["land", "sea", "both"], { default: "both", description: "Of which part" }) },
  data: Schema.Struct({ land: Warnings, sea: Warnings, notes: Schema.Record(Schema.String, Schema.String) }),
  cold: { land: null, sea: null },
  select: (full: { readonly land: Warnings; readonly sea: Warnings }, { where }, withheld) => {
    const asked = (["land", "sea"] as const).filter((part) => where === "both" || where === part)
    const inputs = asked.filter((part) => !withheld.has(part))
    const of = (part: "land" | "sea") => (inputs.includes(part) ? full[part] : null)
    const notes = Object.fromEntries(asked.filter((part) => withheld.has(part)).map((part) => [part, "not sold"]))
    return { data: { land: of("land"), sea: of("sea"), notes }, inputs }
  },
  empty: ({ land, sea }) => (land ?? sea) === null,
  example: { land: ["flood"], sea: null, notes: {} },
})

/** The scene with a withheld part; the land is fresh, the sea as the options say. */
const scene = async (
  withheld: ReadonlyArray<string>,
  options: { readonly filled?: boolean; readonly seaFreshForMs?: number } = {},
) => {
  const made = await premiumScene({
    endpoints: [parts, catalogEndpoint],
    withheld: new Map([[parts.path, { inputs: new Set(withheld), feeds: ["some-feed"] }]]),
  })
  const { filled = true, seaFreshForMs = 5 * MINUTE_MS } = options
  if (filled) made.fill(parts.path, { land: ["flood"], sea: ["surge"] })
  const freshness = standing(
    { atMs: START_MS, freshForMs: 5 * MINUTE_MS },
    { atMs: START_MS, freshForMs: seaFreshForMs },
  )
  made.store.update(parts.path, { freshness })
  const mine = await made.token(9)
  const call = async (where: string) => {
    const before = made.entries().length
    const reply = await made.get(`${parts.path}?where=${where}`, mine)
    return { reply, body: reply.json(), written: made.entries().length - before }
  }
  return { ...made, call }
}

describe("a premium reply without the inputs that may not be sold", () => {
  it("is charged for the others, and speaks of these alone", async () => {
    const { call } = await scene(["sea"])
    const { reply, body } = await call("both")
    expect(body).toMatchObject({
      land: ["flood"],
      sea: null,
      notes: { sea: "not sold" },
      billing: { credits_charged: 2, credits_remaining: 7 },
    })
    expect(body._meta.sources.map(({ name }: { name: string }) => name)).toEqual(["Weather.land"])
    expect(JSON.stringify(body)).not.toContain("surge")
    expect(reply.headers).toMatchObject({ "x-service-stale": "false" })
  })

  it("is judged by the others: where they are stale it is free of charge, however fresh the withheld ones are", async () => {
    const { call, moveTo } = await scene(["sea"], { seaFreshForMs: 60 * MINUTE_MS })
    moveTo(START_MS + 10 * MINUTE_MS)
    expect((await call("both")).body.billing.no_charge_reason).toBe("stale_sources")
  })

  it.each([true, false])("is free of charge as not_licensed where no input is left (filled: %s)", async (filled) => {
    const { call, receipts } = await scene(["sea"], { filled })
    const { reply, body, written } = await call("sea")
    expect(reply.statusCode).toBe(200)
    expect(written).toBe(0)
    expect(body).toMatchObject({
      generated_at: null,
      land: null,
      sea: null,
      notes: { sea: "not sold" },
      billing: { credits_charged: 0, credits_remaining: 9, no_charge_reason: "not_licensed" },
    })
    expect(body._meta).toEqual({
      as_of: null,
      changed_at: null,
      stale_after: null,
      stale: true,
      reason: "not_licensed",
      sources: [{ name: "Weather.sea", status: null, fetched_at: null, latency_ms: null, reason: "not_licensed" }],
    })
    expect(reply.headers).toMatchObject({ "x-service-stale": "true", "x-credits-charged": "0" })
    expect(reply.headers).not.toHaveProperty("retry-after")
    expect(await receipts.verify(body.receipt.jws, body)).toMatchObject({
      valid: true,
      claims: { credits: 0, reason: "not_licensed", entry: null },
    })
  })

  it("is not_licensed for every choice where all inputs are withheld", async () => {
    const { call, store } = await scene(["land", "sea"])
    for (const where of ["land", "sea", "both"])
      expect((await call(where)).body.billing.no_charge_reason, where).toBe("not_licensed")
    store.update(parts.path, { body: null, freshness: null })
    expect((await call("both")).body).toMatchObject({
      _meta: { reason: "not_licensed", sources: [] },
      billing: { no_charge_reason: "not_licensed" },
    })
  })

  it("is named in the catalog", async () => {
    const { app } = await scene(["sea"])
    const { endpoints } = (await app.inject({ url: "/api" })).json()
    expect(endpoints.map((one: { withheld_feeds: unknown }) => one.withheld_feeds)).toEqual([["some-feed"], []])
  })
})
