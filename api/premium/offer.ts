import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { ParameterRefusal } from "../../schemas/contract/endpoint-kinds.ts"
import type { Meta } from "../../schemas/contract/reply.ts"
import type { Parameters } from "../../schemas/feed.ts"

/** The content of a premium reply. */
export interface PremiumContent {
  /** Its members are shared: they never change. */
  readonly data: object
  /** When the data was last refreshed, or read from the history, ISO 8601; null where there is none. */
  readonly generatedAt: string | null
  readonly meta: Meta
  /** Whether a query returned no rows. */
  readonly empty: boolean
  /** Whether later replies have this content too: its text is then kept for as long as it. */
  readonly isReused: boolean
}

/** The data cannot be read now, as the history is unavailable. */
export class ContentUnavailable extends Schema.TaggedError<ContentUnavailable>()("ContentUnavailable", {
  problem: Schema.String,
}) {
  override get message() {
    return this.problem
  }
}

/** A reply before its call is charged. */
export interface Offer {
  /** Why the prepared data makes the call free of charge; null where it is charged. */
  readonly free: string | null
  /**
   * The content, made from the same data that decided `free`, or the effect that makes it, where it takes time. A fault in
   * the code is a defect. Equal contents of one version of the data are one object.
   */
  readonly content: PremiumContent | Effect.Effect<PremiumContent, ContentUnavailable>
}

/** Makes the offer for accepted parameters at a time, or refuses them. */
export type MakeOffer = (parameters: Parameters, nowMs: number) => Offer | ParameterRefusal

/** Data of a premium envelope: its members stand beside those of the envelope. */
export const membersOf = (data: unknown): object => {
  if (typeof data === "object" && data !== null) return data
  throw new TypeError("the data of a premium reply is an object")
}
