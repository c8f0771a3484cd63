import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import type { Document, Upstream } from "../../../ingestors/document.ts"
import { HttpFailed } from "../../../ingestors/http-client.port.ts"
import { decodeDocument } from "../../../ingestors/poll/read.ts"
import type { SeriesRows } from "../../../ingestors/readers/economic-series.ts"
import type { Source } from "../../../ingestors/source.ts"
import type { EconomicSeriesId } from "../../../schemas/feeds/economic-series.ts"
import { normalised } from "./read.ts"

/** The time of the observation. */
export const NOW_MS = Date.parse("2026-11-20T12:34:56.789Z")

type SeriesSource = Source<SeriesRows>

/** An upstream that answers each document by its name: with a decoded value, or with the failure of a status. */
export const answering = (
  source: SeriesSource,
  answers: (name: string, input: unknown) => unknown,
): { readonly upstream: Upstream; readonly asked: Array<string> } => {
  const asked: Array<string> = []
  return {
    asked,
    upstream: {
      fetch: (document, input) =>
        Effect.suspend(() => {
          const name =
            Object.keys(source.documents).find((one) => source.documents[one] === (document as unknown)) ?? ""
          asked.push(document.url(input))
          const answer = answers(name, input)
          return answer === undefined
            ? Effect.fail(
                new HttpFailed({ reason: "status", host: "", status: 404, retryAfterMs: null, message: "absent" }),
              )
            : Effect.succeed(answer as never)
        }),
      probe: () => Effect.die("no probe"),
    },
  }
}

export const collected = (
  source: SeriesSource,
  upstream: Upstream,
  series: EconomicSeriesId,
  atMs = NOW_MS,
  key: string | null = null,
) => Effect.runPromiseExit(source.collect(upstream, { parameters: { series }, observedAtMs: atMs, key }))

export const itemsOf = async (
  source: SeriesSource,
  upstream: Upstream,
  series: EconomicSeriesId,
  atMs = NOW_MS,
): Promise<ReadonlyArray<unknown>> => {
  const exit = await collected(source, upstream, series, atMs)
  if (Exit.isFailure(exit)) throw new Error(String(exit.cause))
  return (normalised(source, exit.value, { parameters: { series }, observedAtMs: atMs }).payload as { items: [] }).items
}
export const refusalOf = async (
  source: SeriesSource,
  upstream: Upstream,
  series: EconomicSeriesId,
  key: string | null = null,
) => {
  const exit = await collected(source, upstream, series, NOW_MS, key)
  return Exit.findErrorOption(exit)
}

/** What a document reads of a text. */
export const read = (document: Document | undefined, text: string) =>
  Result.getOrThrow(decodeDocument("document", document as Document, new TextEncoder().encode(text)))
export const isRead = (document: Document | undefined, text: string) =>
  Result.isSuccess(decodeDocument("document", document as Document, new TextEncoder().encode(text)))
