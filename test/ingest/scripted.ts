import { Effect, Schema } from "effect"
import { document } from "../../ingestors/document.ts"
import {
  type HttpClient,
  HttpFailed,
  type HttpNotModified,
  type HttpRequest,
  type HttpResponse,
} from "../../ingestors/http-client.port.ts"
import { type Declaration, listSource } from "../../ingestors/source.ts"
import { listFeed, type Parameters } from "../../schemas/feed.ts"

/** What a scripted upstream answers: JSON, bytes of any kind, a 304, a failure, or an effect that ends in one of these. */
export type Answer = { readonly json: unknown; readonly etag?: string } | { readonly text: string } | "304" | HttpFailed
export type Script = (request: HttpRequest) => Answer | Effect.Effect<Answer>

/** An HTTP client without a network: it answers by a script that a test may change, and remembers what it was asked. */
export const makeScriptedHttp = (script: Script) => {
  const requests: Array<HttpRequest> = []
  let current = script
  const respond = (answer: Answer): Effect.Effect<HttpResponse | HttpNotModified, HttpFailed> => {
    if (answer === "304") return Effect.succeed({ _tag: "NotModified", latencyMs: 1 })
    if (answer instanceof HttpFailed) return Effect.fail(answer)
    const text = "text" in answer ? answer.text : JSON.stringify(answer.json)
    return Effect.succeed({
      _tag: "Fetched",
      body: new TextEncoder().encode(text),
      contentType: null,
      validators: "etag" in answer ? { etag: answer.etag } : {},
      latencyMs: 1,
    })
  }
  const http: HttpClient = {
    get: (request) =>
      Effect.suspend(() => {
        requests.push(request)
        const answer = current(request)
        return Effect.isEffect(answer) ? Effect.flatMap(answer, respond) : respond(answer)
      }),
    probe: () => Effect.succeed({ latencyMs: 1 }),
  }
  return {
    http,
    requests,
    answer: (wanted: Script) => {
      current = wanted
    },
  }
}

/** A failure as the HTTP client tells it. */
export const httpFailure = (reason: HttpFailed["reason"], retryAfterMs: number | null = null): HttpFailed =>
  new HttpFailed({ reason, host: "alpha.example", status: null, retryAfterMs, message: `made so: ${reason}` })

/** A feed of things, for tests. */
export const things = listFeed({
  name: "things",
  description: "Things, for tests.",
  item: Schema.Struct({ id: Schema.String, value: Schema.Finite }),
  itemsMax: 100,
  key: (item) => item.id,
  contentAgeMax: "30 minutes",
})

/** The wire form that sources of things read. */
export const Wire = Schema.Struct({ value: Schema.Finite, at: Schema.optionalKey(Schema.Finite) })

const attribution = { provider: "Test", licence: "none", url: "https://example.org" }

/** A source of things with one document at `https://<name>.example/things`. */
export const thingSource = (
  name: string,
  {
    instances = things.instances,
    ...rest
  }: Partial<Pick<Declaration<unknown, unknown, unknown>, "rank" | "keySetting" | "onDemand" | "every">> & {
    /** What it polls on schedule, whatever its feed says. */
    readonly instances?: ReadonlyArray<Parameters>
  } = {},
) => {
  const list = document({
    format: "json",
    wire: Wire,
    url: (query: string) => `https://${name}.example/things${query}`,
  })
  const source = listSource({
    name,
    provider: `${name}.things`,
    fills: things,
    every: "1 minute",
    ...rest,
    documents: { list },
    collect: (upstream, parameters, key) =>
      upstream.get(list, `?${new URLSearchParams({ ...parameters, ...(key === null ? {} : { key }) })}`),
    candidates: ({ value }) => [{ id: "a", value }],
    toItem: (row) => row,
    contentAtMs: ({ at }) => at ?? null,
    attribution,
  })
  return { ...source, instances }
}

/** A source of things made of two documents. */
export const pairSource = (name: string) => {
  const left = document({ format: "json", wire: Wire, url: `https://${name}.example/left` })
  const right = document({ format: "json", wire: Wire, url: `https://${name}.example/right` })
  return listSource({
    name,
    provider: `${name}.things`,
    fills: things,
    every: "1 minute",
    documents: { left, right },
    collect: (upstream) => Effect.all([upstream.get(left, undefined), upstream.get(right, undefined)]),
    candidates: ([one, other]) => [
      { id: "left", value: one.value },
      { id: "right", value: other.value },
    ],
    toItem: (row) => row,
    contentAtMs: () => null,
    attribution,
  })
}
