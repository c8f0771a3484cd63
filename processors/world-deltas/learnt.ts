import type { LearntDelta } from "../../schemas/payloads/world-delta.ts"

type WithoutTime<Delta> = Delta extends unknown ? Omit<Delta, "timestamp"> : never

/** An event before it has its timestamp. */
export type UntimedDelta = WithoutTime<LearntDelta>

/** The result of reading a payload: its news in order, and what is known from now on. `Known` is plain JSON. */
export interface Learnt<Known> {
  readonly news: ReadonlyArray<UntimedDelta>
  readonly known: Known
}

/**
 * What is known of items by their ids. A list of pairs, as ids are texts of an upstream, which an object could take for
 * members of its own (`__proto__`).
 */
export type KnownItems<Fact> = ReadonlyArray<readonly [id: string, fact: Fact]>
