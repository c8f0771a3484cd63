import type { LearntDelta, Severity } from "../../schemas/payloads/world-delta.ts"

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

// Tidewire's own scale; no agency defines one over such different events. Published in the notes of each reply.

const above = (value: number, moderateFrom: number, majorFrom: number): Severity =>
  value < moderateFrom ? "minor" : value < majorFrom ? "moderate" : "major"

/** Severity of an earthquake by its magnitude: below 5 minor, below 6 moderate, else major. */
export const quakeSeverity = (magnitude: number): Severity => above(magnitude, 5, 6)

/** Severity of a story by its votes: below 25 minor, below 100 moderate, else major. Unknown votes count as none. */
export const storySeverity = (points: number | null): Severity => above(points ?? 0, 25, 100)

/** The turnover of 24 hours from which on a market is stated, in US dollars. */
export const MARKET_VOLUME_MIN_USD = 10_000
const MAJOR_VOLUME_USD = 100_000

/** Severity of a stated market by its turnover of 24 hours in US dollars: above 100,000 major, else moderate. */
export const marketSeverity = (volumeUsd: number): Severity => (volumeUsd > MAJOR_VOLUME_USD ? "major" : "moderate")

/** Severity of every launch. */
export const LAUNCH_SEVERITY: Severity = "moderate"
