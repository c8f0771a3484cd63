import type { Parameters } from "../schemas/feed.ts"
import type { Undecodable, UpstreamError } from "./document.ts"

/** Which instance a collection is of, and when its poll began. */
export interface ReadContext {
  readonly parameters: Parameters
  readonly observedAtMs: number
}

/** A row of a list that cannot be read, with the reason in our own words. */
export interface UnreadableRow {
  readonly problem: string
  readonly row: unknown
}

/** What a source makes of what it collected: the feed's payload, and the upstream's own time of its newest content. */
export interface Normalised<Payload> {
  readonly payload: Payload
  /** Milliseconds since the epoch, or null where the upstream gives no time. */
  readonly contentAtMs: number | null
}

/** What the runner gets of a source: its outcome, and the rows that were left out because they cannot be read. */
export interface Reading<Payload> {
  readonly outcome: Normalised<Payload> | UpstreamError | Undecodable
  readonly unreadable: ReadonlyArray<UnreadableRow>
}
