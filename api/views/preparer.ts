import TinyQueue from "tinyqueue"
import type { ViewEndpoint } from "../../schemas/contract/endpoint-kinds.ts"
import type { ViewFreshness } from "../../schemas/view-record.ts"
import { isSmall, type PreparedReply, prepare, prepareNow, type ReplyFacts } from "../http/representation.ts"
import { compose, type DataText } from "./compose.ts"

/** Bodies that are compressed at the same time, each by two threads of the pool. */
const PREPARING_MAX = 2
/** Of bodies of at least this size one is compressed at a time, so that smaller ones can overtake it. */
const LARGE_BODY_MIN_BYTES = 256 * 1024

/** A view in the store: its data, its freshness, and the bytes that were prepared of both. */
export interface ViewEntry {
  readonly key: string
  readonly endpoint: ViewEndpoint
  readonly ttlMs: number
  /** Whether its parameters are known to its caller alone: no shared cache may store the reply. */
  readonly isPrivate: boolean
  data: DataText | null
  freshness: ViewFreshness | null
  prepared: PreparedReply | null
  /** When the prepared bytes become outdated without news; null where they do not, or where none are prepared. */
  dueAtMs: number | null
}

/** A key and the instant at which its bytes become outdated. */
interface DueKey {
  readonly key: string
  readonly atMs: number
}

const sizeOf = ({ data }: ViewEntry): number => data?.bytes.byteLength ?? 0
const isLarge = (entry: ViewEntry): boolean => sizeOf(entry) >= LARGE_BODY_MIN_BYTES

/**
 * Prepares the bytes of views: those that changed, and those whose bytes are due. At most two at a time, the smallest first;
 * of several changes of one key the newest is prepared.
 */
export class ViewPreparer {
  readonly #entryOf: (key: string) => ViewEntry | undefined
  readonly #nowMs: () => number
  /** A key can stand in it several times; an entry's `dueAtMs` is the instant that counts. */
  readonly #due = new TinyQueue<DueKey>([], (a, b) => a.atMs - b.atMs)
  readonly #waiting = new Set<string>()
  readonly #preparing = new Map<string, { readonly large: boolean }>()
  #paused = false
  #settled: Array<() => void> = []

  /** `entryOf` looks up an entry without counting as a use of it. */
  constructor(options: { readonly entryOf: (key: string) => ViewEntry | undefined; readonly nowMs: () => number }) {
    this.#entryOf = options.entryOf
    this.#nowMs = options.nowMs
  }

  /** Marks a key as changed. It is prepared by one of the next calls of `run`. */
  add(key: string): void {
    this.#waiting.add(key)
  }

  /** Drops a key that was marked as changed. */
  remove(key: string): void {
    this.#waiting.delete(key)
  }

  /** Marks the keys whose bytes are due at `nowMs` as changed. Costs O(1) when none is. */
  addDue(nowMs: number): void {
    for (;;) {
      const next = this.#due.peek()
      if (next === undefined || next.atMs > nowMs) return
      this.#due.pop()
      const dueAtMs = this.#entryOf(next.key)?.dueAtMs ?? null
      // A key whose instant has moved since is in the queue a second time.
      if (dueAtMs !== null && dueAtMs <= nowMs) this.#waiting.add(next.key)
    }
  }

  /** While paused, changed keys wait. */
  pause(paused: boolean): void {
    this.#paused = paused
    this.run()
  }

  /** Resolves when no key waits and none is being prepared. */
  settled(): Promise<void> {
    return new Promise((resolve) => {
      this.#settled.push(resolve)
      this.run()
    })
  }

  /** Starts as many preparations as are allowed at the same time. */
  run(): void {
    for (let entry = this.#next(); entry !== null; entry = this.#next()) {
      this.#waiting.delete(entry.key)
      this.#prepare(entry)
    }
    if (this.#waiting.size > 0 || this.#preparing.size > 0) return
    const resolvers = this.#settled
    this.#settled = []
    for (const resolve of resolvers) resolve()
  }

  /** The smallest waiting entry that may be prepared now, so that small ones never wait for large ones. */
  #next(): ViewEntry | null {
    if (this.#paused || this.#preparing.size >= PREPARING_MAX) return null
    const isLargeRunning = [...this.#preparing.values()].some(({ large }) => large)
    let next: ViewEntry | null = null
    for (const key of this.#waiting) {
      const entry = this.#entryOf(key)
      if (entry === undefined) this.#waiting.delete(key)
      // One at a time for each key, so that an older state never overwrites a newer one.
      else if (!this.#preparing.has(key) && !(isLargeRunning && isLarge(entry)))
        if (next === null || sizeOf(entry) < sizeOf(next)) next = entry
    }
    return next
  }

  #prepare(entry: ViewEntry): void {
    const nowMs = this.#nowMs()
    const composed = compose(entry.endpoint, entry.data, entry.freshness, nowMs)
    if (composed.changesAtMs !== null && composed.changesAtMs !== entry.dueAtMs)
      this.#due.push({ key: entry.key, atMs: composed.changesAtMs })
    entry.dueAtMs = composed.changesAtMs
    const facts: ReplyFacts = { ...composed, preparedAtMs: nowMs, ttlMs: entry.ttlMs, isPrivate: entry.isPrivate }
    const current = entry.prepared?.representations.identity.bytes
    if (current?.equals(composed.bytes)) return
    if (isSmall(composed.bytes)) {
      entry.prepared = prepareNow(composed.bytes, facts)
      return
    }
    this.#preparing.set(entry.key, { large: isLarge(entry) })
    // Compression fails only without memory: the rejection stays unhandled and ends the process.
    prepare(composed.bytes, facts).then((prepared) => {
      entry.prepared = prepared
      this.#preparing.delete(entry.key)
      this.run()
    })
  }
}
