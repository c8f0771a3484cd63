import * as Schema from "effect/Schema"
import { Undecodable, UpstreamError } from "../../../ingestors/document.ts"
import type { Normalised, ReadContext, Reading } from "../../../ingestors/poll/read.ts"
import { runSteps } from "../../../ingestors/poll/steps.ts"
import type { Source } from "../../../ingestors/source.ts"

/** What a source reads of a collected answer: the outcome, and the rows that it cannot read. */
export const readBy = <Collected, Payload>(
  source: Source<Collected, Payload>,
  collected: Collected,
  observation: Partial<ReadContext> = {},
): Reading<Payload> =>
  runSteps(source.read(collected, { parameters: {}, observedAtMs: Number.MAX_SAFE_INTEGER, ...observation }))

/** Why a source refuses a collected answer; undefined where it does not. */
export const refusedBy = <Collected, Payload>(
  source: Source<Collected, Payload>,
  collected: Collected,
  observation: Partial<ReadContext> = {},
): UpstreamError | Undecodable | undefined => {
  const { outcome } = readBy(source, collected, observation)
  return outcome instanceof UpstreamError || outcome instanceof Undecodable ? outcome : undefined
}

/** The normalised form of a collected answer. Throws where the source refuses it, or its payload breaks the feed's rules. */
export const normalised = <Collected, Payload>(
  source: Source<Collected, Payload>,
  collected: Collected,
  observation: Partial<ReadContext> = {},
): Normalised<Payload> => {
  const { outcome } = readBy(source, collected, observation)
  if (outcome instanceof UpstreamError || outcome instanceof Undecodable) throw outcome
  const { fills } = source
  Schema.decodeUnknownSync(fills.payload, { onExcessProperty: "error" })(outcome.payload)
  const items = fills.items(outcome.payload)
  const keys = items.map((item) => fills.key(item))
  if (new Set(keys).size !== keys.length || keys.includes(""))
    throw new Error("an item of a payload has no key of its own")
  const order = fills.list?.order ?? null
  if (order !== null && items.some((item, at) => at > 0 && order(items[at - 1], item) > 0))
    throw new Error("the items of a payload are not in the feed's order")
  return outcome
}
