import * as Effect from "effect/Effect"
import type { History } from "../../schemas/ports/history.ts"
import type { ApiOptions } from "../route.ts"
import { type ReliabilityRecord, readReliability } from "./reliability-history.ts"

/** How long a record is shown before it is read again; the verdicts of now come from elsewhere. */
const FRESH_MS = 5 * 60_000
/** A record that could not be read again is shown for at most this time. */
const SHOWN_MS = 60 * 60_000
/** After a failed read the next one waits. */
const RETRY_MS = 10_000
/** The longest that a page waits for the first record. */
const WAIT_MS = 1_500
/** The longest that one read may take. */
const READ_MS = 15_000

/** What the history knows of the reliability of the feeds, read once for all pages that show it. */
export class RecentReliability {
  readonly #history: History | null
  readonly #nowMs: () => number
  readonly #failed: (cause: unknown) => void
  #known: { readonly record: ReliabilityRecord; readonly atMs: number } | null = null
  #reading: Promise<void> | null = null
  #triedMs = Number.NEGATIVE_INFINITY

  constructor(options: Pick<ApiOptions, "billing" | "nowMs" | "logger">) {
    this.#history = options.billing?.history ?? null
    this.#nowMs = options.nowMs
    this.#failed = (cause) =>
      options.logger.error(
        { problem: String(cause) },
        "the reliability of the feeds could not be read from the history",
      )
  }

  /** The record; null where there is none of the last hour. Reads it anew in the background where it is due. */
  current(): ReliabilityRecord | null {
    const nowMs = this.#nowMs()
    // Distances, as the clock may have been set back.
    const ageMs = this.#known === null ? Number.POSITIVE_INFINITY : Math.abs(nowMs - this.#known.atMs)
    // A new installation has its first checks soon.
    const freshMs = this.#known?.record.feeds.size === 0 ? RETRY_MS : FRESH_MS
    const isDue = ageMs >= freshMs && Math.abs(nowMs - this.#triedMs) >= RETRY_MS
    if (isDue && this.#history !== null && this.#reading === null) this.#reading = this.#read(this.#history)
    return ageMs <= SHOWN_MS ? (this.#known?.record ?? null) : null
  }

  /** The same; where there is none yet, waits a moment for the read under way. */
  async awaited(): Promise<ReliabilityRecord | null> {
    const known = this.current()
    if (known !== null || this.#reading === null) return known
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, WAIT_MS)
    })
    await Promise.race([this.#reading, late])
    clearTimeout(timer)
    return this.current()
  }

  async #read(history: History): Promise<void> {
    const nowMs = this.#nowMs()
    this.#triedMs = nowMs
    try {
      const record = await Effect.runPromise(readReliability(history, nowMs).pipe(Effect.timeout(READ_MS)))
      this.#known = { record, atMs: nowMs }
    } catch (cause) {
      this.#failed(cause)
    } finally {
      this.#reading = null
    }
  }
}

const opened = new WeakMap<ApiOptions, RecentReliability>()

/** The record of an API, which all of its pages share. */
export const recentReliability = (options: ApiOptions): RecentReliability => {
  const known = opened.get(options) ?? new RecentReliability(options)
  opened.set(options, known)
  return known
}
