import type { Parameters } from "../schemas/feed.ts"
import type { Undecodable, UpstreamError } from "./document.ts"

/** The instance of a collection, and the time at which its poll began. */
export interface ReadContext {
  readonly parameters: Parameters
  readonly observedAtMs: number
}

/** A row of a list that cannot be read, with a reason that does not quote the upstream. */
export interface UnreadableRow {
  readonly problem: string
  readonly row: unknown
}

/** A normalised answer: the feed's payload, and the upstream's own time of its newest content. */
export interface Normalised<Payload> {
  readonly payload: Payload
  /** Milliseconds since the epoch; null if the upstream gives no time. */
  readonly contentAtMs: number | null
}

/** The result of reading collected documents: the outcome, and the unreadable rows that were left out. */
export interface Reading<Payload> {
  readonly outcome: Normalised<Payload> | UpstreamError | Undecodable
  readonly unreadable: ReadonlyArray<UnreadableRow>
}
