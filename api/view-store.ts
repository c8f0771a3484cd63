import { LRUCache } from "lru-cache"
import { defaultParameters, type Endpoint, isView, type ViewEndpoint } from "../schemas/endpoint-kinds.ts"
import { parseInstanceKey } from "../schemas/feed.ts"
import type { Json } from "../schemas/json.ts"
import { makePatchedValues } from "../schemas/patched-values.ts"
import type { StoredRecord } from "../schemas/ports/event-log.ts"
import { parseViewRecordKey, type ViewBody, type ViewFreshness } from "../schemas/view-record.ts"
import { compose, type DataText } from "./compose.ts"
import { DueHeap } from "./due-heap.ts"
import { isSmall, type Prepared, prepare, prepareNow, type ReplyFacts } from "./representation.ts"
import { readViewRecord } from "./view-reader.ts"

/** On-demand keys kept; the one asked for longest ago goes first, and is simply asked for again. */
const ON_DEMAND_KEYS_MAX = 20_000
/** Bodies that are compressed at the same time, each by two threads of the pool. */
const PREPARING_MAX = 2
/** Data that is further in the future was made by a wrong clock. */
const FUTURE_MS_MAX = 60_000
/** Of bodies from this size on, one at a time: they take the pool for long, and smaller ones go past. */
const LARGE_BYTES = 256 * 1024

const sizeOf = ({ data }: Entry): number => data?.bytes.byteLength ?? 0
const isLarge = (entry: Entry): boolean => sizeOf(entry) >= LARGE_BYTES

interface Entry {
  readonly key: string
  readonly endpoint: ViewEndpoint
  readonly ttlMs: number
  data: DataText | null
  freshness: ViewFreshness | null
  prepared: Prepared | null
  /** The instant for which the entry stands in the heap. */
  dueAtMs: number | null
}

/** A change of a view. Absent members stay as they are; `null` removes. */
export interface ViewUpdate {
  readonly body?: ViewBody | null
  readonly freshness?: ViewFreshness | null
}

/** A view from which replies are made as they are requested: its data, parsed, and where it stands. */
export interface StandingView {
  /** Null while there is none. The value is shared by all requests and never changed. */
  readonly data: { readonly changedAt: string; readonly value: Json } | null
  readonly freshness: ViewFreshness | null
}

/** How a store is made. */
export interface ViewStoreOptions {
  readonly endpoints: ReadonlyArray<Endpoint>
  readonly nowMs: () => number
  readonly onDemandKeysMax?: number
}

/** Whether an endpoint's replies are made as they are requested, so that no bytes of the view stand ready. */
const isMadeOnRequest = ({ kind, tier }: Endpoint): boolean => tier === "premium" || kind === "filtered"

/**
 * The replies of all views, as bytes; of premium and filtered ones, the data. A view is prepared when it changes and when it
 * becomes stale, never by a request. Until a change is prepared the bytes before it are served; of several changes the newest is prepared.
 */
export class ViewStore {
  readonly #endpoints: ReadonlyMap<string, ViewEndpoint>
  readonly #nowMs: () => number
  readonly #fixed = new Map<string, Entry>()
  readonly #onDemand: LRUCache<string, Entry>
  readonly #due = new DueHeap()
  readonly #waiting = new Set<string>()
  readonly #preparing = new Map<string, { readonly large: boolean }>()
  readonly #values = makePatchedValues()
  readonly #parsed = new WeakMap<DataText, NonNullable<StandingView["data"]>>()
  #held = false
  #advancedMs = Number.NEGATIVE_INFINITY
  #settled: Array<() => void> = []

  /** The offset of `views` from which reading goes on; null before the first batch. */
  nextOffset: number | null = null
  /** Everything that the log held when reading began is prepared. */
  caughtUp = false
  /** Why reading has stopped for good, in one sentence; null while it goes on. */
  halted: string | null = null

  constructor(options: ViewStoreOptions) {
    this.#endpoints = new Map(options.endpoints.filter(isView).map((endpoint) => [endpoint.path, endpoint]))
    this.#nowMs = options.nowMs
    this.#onDemand = new LRUCache({ max: options.onDemandKeysMax ?? ON_DEMAND_KEYS_MAX })
  }

  /** The bytes of a key (`instanceKey(path, parameters)`), or undefined while there are none. */
  get(key: string): Prepared | undefined {
    return (this.#fixed.get(key) ?? this.#onDemand.get(key))?.prepared ?? undefined
  }

  /** A premium or filtered view; undefined while nothing is known of it. Its data is parsed once for each version. */
  standing(key: string): StandingView | undefined {
    const entry = this.#fixed.get(key)
    return entry === undefined ? undefined : { data: entry.data && this.#parse(entry.data), freshness: entry.freshness }
  }

  /** How old the data of a key is, in milliseconds; null where there is no data. */
  ageMs(key: string): number | null {
    const entry = this.#fixed.get(key) ?? this.#onDemand.get(key)
    if (entry === undefined || entry.data === null) return null
    // What is of the future was made by a clock that has been set right since: it is as wrong as it is far away.
    return Math.abs(this.#nowMs() - Date.parse(entry.freshness?.asOf ?? entry.data.changedAt))
  }

  /** How old the oldest data of each endpoint with fixed keys is, in milliseconds, by the endpoint's name. */
  agesMs(): ReadonlyMap<string, number> {
    const ages = new Map<string, number>()
    for (const { key, endpoint } of this.#fixed.values()) {
      const ageMs = this.ageMs(key)
      if (ageMs !== null) ages.set(endpoint.name, Math.max(ages.get(endpoint.name) ?? 0, ageMs))
    }
    return ages
  }

  /** Whether there is data for one of these keys. */
  holdsAny(keys: Iterable<string>): boolean {
    for (const key of keys) if (this.#entry(key)?.data != null) return true
    return false
  }

  /** Number of keys that stand ready, by kind. */
  get sizes(): { readonly fixed: number; readonly onDemand: number } {
    return { fixed: this.#fixed.size, onDemand: this.#onDemand.size }
  }

  /**
   * Applies records of `views` in their order and remembers where to go on. Stops for good, and says so in `halted`, at
   * a record that this version does not know: what stood before goes on being served. Returns false once it has stopped.
   */
  applyRecords(records: ReadonlyArray<StoredRecord>, next: number): boolean {
    if (this.halted !== null) return false
    for (const record of records) this.#values.apply(record)
    for (const { key, value } of this.#values.changed()) if (!this.#applyValue(key, value)) return false
    this.nextOffset = next
    this.#pump()
    return true
  }

  #applyValue(key: string, value: Uint8Array | null): boolean {
    const { viewKey, part } = parseViewRecordKey(key)
    if (value === null) {
      this.#change(viewKey, (entry) => {
        entry[part === "body" ? "data" : "freshness"] = null
      })
      return true
    }
    const read = readViewRecord(part, value)
    if (read._tag === "Refused") return this.halt(key, read.problem)
    this.#change(viewKey, (entry) => {
      if (read._tag === "Body") entry.data = read.data
      else entry.freshness = read.freshness
    })
    return true
  }

  /** Keys of values that cannot be put together so far. At the end of the log they are damaged. */
  get broken(): Iterable<string> {
    return this.#values.broken.keys()
  }

  /** Stops reading for good, for what is wrong with a record. Returns false. */
  halt(key: string, problem: string): false {
    this.halted ??= `view record ${key}: ${problem}`
    return false
  }

  /** Applies a view that did not come by the log: one that was demanded. An older body than the one here is ignored. */
  update(key: string, { body, freshness }: ViewUpdate): void {
    this.#change(key, (entry) => {
      const before = entry.freshness?.asOf ?? ""
      const newer = Date.parse(before) > this.#nowMs() + FUTURE_MS_MAX ? "" : before
      if (freshness !== undefined && freshness !== null && (freshness.asOf ?? "") < newer) return
      if (body !== undefined)
        entry.data = body === null ? null : { changedAt: body.changedAt, bytes: Buffer.from(JSON.stringify(body.data)) }
      if (freshness !== undefined) entry.freshness = freshness
    })
    this.#pump()
  }

  /** Prepares anew what has become stale by `nowMs`. Costs nothing when nothing has. After a clock stepped back, all. */
  advance(nowMs: number): void {
    if (nowMs < this.#advancedMs)
      for (const { key, endpoint } of [...this.#fixed.values(), ...this.#onDemand.values()])
        if (!isMadeOnRequest(endpoint)) this.#waiting.add(key)
    this.#advancedMs = nowMs
    for (;;) {
      const key = this.#due.take(nowMs)
      if (key === null) break
      const entry = this.#entry(key)
      // Entries of the heap that were overtaken by a later state are left behind, not searched for.
      if (entry?.dueAtMs !== null && entry !== undefined && entry.dueAtMs <= nowMs) this.#waiting.add(key)
    }
    this.#pump()
  }

  /** While held, changes are taken in and nothing is prepared: for reading through what has long been overtaken. */
  hold(held: boolean): void {
    this.#held = held
    this.#pump()
  }

  /** Resolves when nothing waits to be prepared. */
  settled(): Promise<void> {
    return new Promise((resolve) => {
      this.#settled.push(resolve)
      this.#pump()
    })
  }

  #parse(data: DataText): NonNullable<StandingView["data"]> {
    const existing = this.#parsed.get(data)
    if (existing !== undefined) return existing
    const parsed = { changedAt: data.changedAt, value: JSON.parse(data.bytes.toString()) }
    this.#parsed.set(data, parsed)
    return parsed
  }

  #entry(key: string): Entry | undefined {
    return this.#fixed.get(key) ?? this.#onDemand.peek(key)
  }

  #change(key: string, mutate: (entry: Entry) => void): void {
    const existing = this.#entry(key)
    const entry = existing ?? this.#makeEntry(key)
    // A view of an endpoint that this version does not serve.
    if (entry === null) return
    mutate(entry)
    if (entry.data === null && entry.freshness === null) {
      this.#fixed.delete(key)
      this.#onDemand.delete(key)
      this.#waiting.delete(key)
      return
    }
    if (existing === undefined) {
      if (entry.endpoint.kind === "on-demand") this.#onDemand.set(key, entry)
      else this.#fixed.set(key, entry)
    }
    if (!isMadeOnRequest(entry.endpoint)) this.#waiting.add(key)
  }

  #makeEntry(key: string): Entry | null {
    const { name, parameters } = parseInstanceKey(key)
    const endpoint = this.#endpoints.get(name)
    if (endpoint === undefined) return null
    const ttlMs = endpoint.ttlMs({ ...defaultParameters(endpoint), ...parameters })
    return { key, endpoint, ttlMs, data: null, freshness: null, prepared: null, dueAtMs: null }
  }

  /** What is to be prepared next: the smallest that may be, so that small ones never wait for large ones. */
  #next(): Entry | null {
    if (this.#held || this.#preparing.size >= PREPARING_MAX) return null
    const largeOne = [...this.#preparing.values()].some(({ large }) => large)
    let next: Entry | null = null
    for (const key of this.#waiting) {
      const entry = this.#entry(key)
      if (entry === undefined) this.#waiting.delete(key)
      // One at a time for each key, so that an older state never overwrites a newer one.
      else if (!this.#preparing.has(key) && !(largeOne && isLarge(entry)))
        if (next === null || sizeOf(entry) < sizeOf(next)) next = entry
    }
    return next
  }

  #pump(): void {
    for (let entry = this.#next(); entry !== null; entry = this.#next()) {
      this.#waiting.delete(entry.key)
      this.#prepare(entry)
    }
    if (this.#waiting.size > 0 || this.#preparing.size > 0) return
    const resolvers = this.#settled
    this.#settled = []
    for (const resolve of resolvers) resolve()
  }

  #prepare(entry: Entry): void {
    const nowMs = this.#nowMs()
    const composed = compose(entry.endpoint, entry.data, entry.freshness, nowMs)
    if (composed.changesAtMs !== null && composed.changesAtMs !== entry.dueAtMs)
      this.#due.add(entry.key, composed.changesAtMs)
    entry.dueAtMs = composed.changesAtMs
    const facts: ReplyFacts = { ...composed, preparedAtMs: nowMs, ttlMs: entry.ttlMs }
    const current = entry.prepared?.representations.identity.bytes
    if (current?.equals(composed.bytes)) return
    if (isSmall(composed.bytes)) {
      entry.prepared = prepareNow(composed.bytes, facts)
      return
    }
    this.#preparing.set(entry.key, { large: isLarge(entry) })
    // A failure to compress can only be a lack of memory: the process must not go on as if nothing were.
    prepare(composed.bytes, facts).then((prepared) => {
      entry.prepared = prepared
      this.#preparing.delete(entry.key)
      this.#pump()
    })
  }
}
