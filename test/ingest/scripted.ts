import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { document } from "../../ingestors/document.ts"
import {
  type HttpClient,
  HttpFailed,
  type HttpNotModified,
  type HttpRequest,
  type HttpResponse,
} from "../../ingestors/http-client.port.ts"
import { type ProviderAccess, providerAccess } from "../../ingestors/provider-access.ts"
import { type Declaration, listSource } from "../../ingestors/source.ts"
import { openTerms } from "../../ingestors/terms.ts"
import { listFeed, type Parameters } from "../../schemas/feed.ts"

/** The answer of a scripted upstream: JSON, bytes of any kind, a 304, a failure, or an effect that ends in one of these. */
export type ScriptedAnswer =
  | { readonly json: unknown; readonly etag?: string }
  | { readonly text: string }
  | "304"
  | HttpFailed
export type Script = (request: HttpRequest) => ScriptedAnswer | Effect.Effect<ScriptedAnswer>

/** An HTTP client without a network: it answers by a script that a test may change, and records its requests. */
export const makeScriptedHttp = (script: Script) => {
  const requests: Array<HttpRequest> = []
  let current = script
  const respond = (answer: ScriptedAnswer): Effect.Effect<HttpResponse | HttpNotModified, HttpFailed> => {
    if (answer === "304") return Effect.succeed({ _tag: "NotModified", latencyMs: 1 })
    if (answer instanceof HttpFailed) return Effect.fail(answer)
    const text = "text" in answer ? answer.text : JSON.stringify(answer.json)
    return Effect.succeed({
      _tag: "Fetched",
      status: 200,
      body: new TextEncoder().encode(text),
      contentType: null,
      validators: "etag" in answer ? { etag: answer.etag } : {},
      latencyMs: 1,
    })
  }
  const http: HttpClient = {
    fetch: (request) =>
      Effect.suspend(() => {
        const waitMs = request.admit?.() ?? null
        if (waitMs !== null) return Effect.fail(httpFailure("budget_exhausted", { retryAfterMs: waitMs }))
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

/** A failure as the HTTP client reports it. */
export const httpFailure = (
  reason: HttpFailed["reason"],
  { retryAfterMs = null, status = null }: Partial<Pick<HttpFailed, "retryAfterMs" | "status">> = {},
): HttpFailed => new HttpFailed({ reason, host: "alpha.example", status, retryAfterMs, message: `made so: ${reason}` })

/** A key of a provider of tests. */
export const keyOf = (setting: string, optional = false): ProviderAccess =>
  providerAccess({
    name: setting.toLowerCase(),
    key: { setting, description: "Tests", signupUrl: "https://example.org/sign-up", optional },
  })

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

const terms = openTerms("https://example.org/terms", "none")
const attribution = { provider: "Test", licence: "none", url: "https://example.org" }

/** A source of things with one document at `https://<name>.example/things`, with its key in the query and a header. */
export const thingSource = (
  name: string,
  {
    instances = things.instances,
    ...rest
  }: Partial<
    Pick<Declaration<unknown, unknown, unknown>, "rank" | "access" | "onDemand" | "every" | "terms" | "isDated">
  > & {
    /** Replaces the feed's own instances. */
    readonly instances?: ReadonlyArray<Parameters>
  } = {},
) => {
  const list = document({
    format: "json",
    wire: Wire,
    url: ({ query }: { readonly query: string; readonly key: string | null }) =>
      `https://${name}.example/things${query}`,
    headers: ({ key }) => (key === null ? {} : { "x-key": key }),
  })
  const source = listSource({
    name,
    provider: `${name}.things`,
    fills: things,
    every: "1 minute",
    terms,
    ...rest,
    documents: { list },
    collect: (upstream, { parameters, key }) =>
      upstream.fetch(list, {
        query: `?${new URLSearchParams({ ...parameters, ...(key === null ? {} : { key }) })}`,
        key,
      }),
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
    collect: (upstream) => Effect.all([upstream.fetch(left, undefined), upstream.fetch(right, undefined)]),
    candidates: ([one, other]) => [
      { id: "left", value: one.value },
      { id: "right", value: other.value },
    ],
    toItem: (row) => row,
    contentAtMs: () => null,
    attribution,
    terms,
  })
}
