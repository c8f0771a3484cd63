import { LRUCache } from "lru-cache"
import {
  defaultParameters,
  type Endpoint,
  isView,
  standsReady,
  type ViewEndpoint,
} from "../../schemas/contract/endpoint-kinds.ts"
import { parseInstanceKey } from "../../schemas/feed.ts"
import type { Json } from "../../schemas/json.ts"
import type { StoredRecord } from "../../schemas/ports/event-log.ts"
import type { ViewBody, ViewFreshness } from "../../schemas/view-record.ts"
import type { PreparedReply } from "../http/representation.ts"
import { credited, type DataText } from "./compose.ts"
import { type ViewEntry, ViewPreparer } from "./preparer.ts"
import { ViewRecords } from "./records.ts"

/**
 * Limits of the on-demand keys in the store: their number, and the bytes of all of them together. The least recently used one
 * is dropped first, and fetched again when it is requested.
 */
const ON_DEMAND_KEYS_MAX = 20_000
const ON_DEMAND_MAX_BYTES = 24 * 1024 * 1024
/** What a key costs beside its bytes. */
const ENTRY_BYTES = 1024
/** The data, the reply, and its codings, which together are about as large as one of the two. */
const COPIES = 3
/** How long the reply of an unlogged fetch is remembered. */
const UNLOGGED_KEPT_MS = 24 * 60 * 60_000
/** A freshness further in the future than this was written by a wrong clock. */
const FUTURE_MAX_MS = 60_000

/** A change of a view. Absent members stay as they are; `null` removes. */
export interface ViewUpdate {
  readonly body?: ViewBody | null
  readonly freshness?: ViewFreshness | null
}

/** A premium or filtered view, of which a reply is made for each request: its parsed data and its freshness. */
export interface StandingView {
  /** Null while there is none. The value is shared by all requests and never changed. */
  readonly data: { readonly changedAt: string; readonly value: Json } | null
  readonly freshness: ViewFreshness | null
}

/** Options of a store. */
export interface ViewStoreOptions {
  readonly endpoints: ReadonlyArray<Endpoint>
  readonly nowMs: () => number
  readonly onDemandKeysMax?: number
  /** The lines of credit that terms require, by the names of sources; none by default. Read as views arrive. */
  readonly credits?: ReadonlyMap<string, string>
}

/** One that alone is larger than the limit is in the store alone. */
const weightOf = ({ data }: ViewEntry): number =>
  Math.min(ON_DEMAND_MAX_BYTES, ENTRY_BYTES + COPIES * (data?.bytes.byteLength ?? 0))

/** Whether an endpoint's replies are made for each request, so that no bytes of the view are prepared. */
const isMadeOnRequest = ({ kind, tier }: Endpoint): boolean => tier === "premium" || kind === "filtered"

/**
 * The replies of all views, as bytes; of premium and filtered ones, the data. A view is prepared when it changes and when it
 * becomes stale, never by a request. Until a change is prepared, the bytes before it are served.
 */
export class ViewStore {
  readonly #endpoints: ReadonlyMap<string, ViewEndpoint>
  readonly #nowMs: () => number
  readonly #fixed = new Map<string, ViewEntry>()
  readonly #onDemand: LRUCache<string, { readonly entry: ViewEntry }>
  readonly #credits: ReadonlyMap<string, string>
  /** Keys in `#onDemand` whose data came from an unlogged fetch. */
  readonly #unlogged = new RememberedKeys(UNLOGGED_KEPT_MS)
  readonly #preparer: ViewPreparer
  readonly #records = new ViewRecords()
  readonly #parsed = new WeakMap<DataText, NonNullable<StandingView["data"]>>()
  #advancedMs = Number.NEGATIVE_INFINITY

  /** The offset of `views` at which reading resumes; null before the first batch. */
  nextOffset: number | null = null
  /** Whether everything that the log held when reading began is prepared. */
  caughtUp = false
  /** Why reading has halted, in one sentence; null while it goes on. A halted store never resumes. */
  halted: string | null = null

  constructor(options: ViewStoreOptions) {
    this.#endpoints = new Map(options.endpoints.filter(isView).map((endpoint) => [endpoint.path, endpoint]))
    this.#nowMs = options.nowMs
    this.#credits = options.credits ?? new Map()
    this.#onDemand = new LRUCache({
      max: options.onDemandKeysMax ?? ON_DEMAND_KEYS_MAX,
      maxSize: ON_DEMAND_MAX_BYTES,
      dispose: (_, key, reason) => {
        // A key that is weighed anew stays.
        if (reason !== "set") this.#unlogged.delete(key)
      },
    })
    this.#preparer = new ViewPreparer({ entryOf: (key) => this.#entry(key), nowMs: options.nowMs })
  }

  /** The bytes of a key (`instanceKey(path, parameters)`), or undefined while there are none. */
  get(key: string): PreparedReply | undefined {
    return (this.#fixed.get(key) ?? this.#onDemand.get(key)?.entry)?.prepared ?? undefined
  }

  /** A premium or filtered view; undefined while the store holds neither its data nor its freshness. Data is parsed once for each version. */
  standing(key: string): StandingView | undefined {
    const entry = this.#fixed.get(key)
    return entry === undefined ? undefined : { data: entry.data && this.#parse(entry.data), freshness: entry.freshness }
  }

  /** The data and the freshness of a key that is not filtered, of which other formats are made; undefined while there is neither. */
  dataOf(key: string): Pick<ViewEntry, "data" | "freshness"> | undefined {
    return this.#fixed.get(key) ?? this.#onDemand.get(key)?.entry
  }

  /** Age of the data of a key in milliseconds; null where there is no data. */
  ageMs(key: string): number | null {
    const entry = this.#fixed.get(key) ?? this.#onDemand.get(key)?.entry
    if (entry === undefined || entry.data === null) return null
    // Data of the future was stamped by a clock that has been corrected since: its age is wrong by the distance.
    return Math.abs(this.#nowMs() - Date.parse(entry.freshness?.asOf ?? entry.data.changedAt))
  }

  /** Age of the oldest data of each endpoint with fixed keys in milliseconds, by the endpoint's name. */
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

  /** Whether data of a simulated world is served. */
  get holdsSimulated(): boolean {
    for (const { freshness } of this.#fixed.values()) if (freshness?.simulated === true) return true
    return false
  }

  /** Number of keys in the store, by kind. */
  get sizes(): { readonly fixed: number; readonly onDemand: number } {
    return { fixed: this.#fixed.size, onDemand: this.#onDemand.size }
  }

  /**
   * Applies records of `views` in their order and advances `nextOffset`. A damaged record stops its view alone, which goes
   * on being served as it was. Halts at a record of another version; what was prepared before goes on being served. Returns
   * false once it has halted.
   */
  applyRecords(records: ReadonlyArray<StoredRecord>, next: number): boolean {
    if (this.halted !== null) return false
    const refused = this.#records.apply(records, ({ viewKey, data, freshness }) => {
      // What the log holds need not be forgotten.
      this.#unlogged.delete(viewKey)
      if (data === undefined && freshness === undefined) return
      this.#change(viewKey, (entry) => {
        if (data !== undefined) entry.data = data
        if (freshness !== undefined) entry.freshness = credited(freshness, this.#credits)
      })
    })
    if (refused !== null) return this.halt(refused.key, refused.problem)
    this.nextOffset = next
    this.#preparer.run()
    return true
  }

  /** Whether a value lacks the base of its patches, and a record may follow that replaces it. */
  get awaitsWhole(): boolean {
    return this.#records.awaitsWhole
  }

  /** Counts the values that lack the base of their patches as damaged: the log holds nothing that replaces them. */
  stopBroken(): void {
    this.#records.stopBroken()
  }

  /** Views whose last record could not be read, and why. They are served as of the record before, and go on by themselves. */
  get stopped(): ReadonlyMap<string, string> {
    return this.#records.stoppedOf(this.#endpoints)
  }

  /** Halts reading because of a record. Returns false. */
  halt(key: string, problem: string): false {
    this.halted ??= `view record ${key}: ${problem}`
    return false
  }

  /**
   * Applies a view that did not come from the log: one that was fetched on demand. A body older than the stored one is
   * ignored. An unlogged one is forgotten a day later.
   */
  update(key: string, { body, freshness }: ViewUpdate): void {
    this.#change(key, (entry) => {
      const before = entry.freshness?.asOf ?? ""
      const newer = Date.parse(before) > this.#nowMs() + FUTURE_MAX_MS ? "" : before
      if (freshness !== undefined && freshness !== null && (freshness.asOf ?? "") < newer) return
      if (body !== undefined)
        entry.data = body === null ? null : { changedAt: body.changedAt, bytes: Buffer.from(JSON.stringify(body.data)) }
      if (freshness !== undefined) entry.freshness = credited(freshness, this.#credits)
      if (entry.isPrivate) this.#unlogged.add(key, this.#nowMs())
    })
    this.#preparer.run()
  }

  /** Prepares again what has become stale by `nowMs`; after the clock stepped back, everything. Forgets what is due. */
  advance(nowMs: number): void {
    for (const key of this.#unlogged.takeForgotten(nowMs)) this.#remove(key)
    if (nowMs < this.#advancedMs)
      for (const { key, endpoint } of [
        ...this.#fixed.values(),
        ...[...this.#onDemand.values()].map(({ entry }) => entry),
      ])
        if (!isMadeOnRequest(endpoint)) this.#preparer.add(key)
    this.#advancedMs = nowMs
    this.#preparer.addDue(nowMs)
    this.#preparer.run()
  }

  /** While held, changes are applied and nothing is prepared: for reading a log whose older states are overwritten anyway. */
  hold(held: boolean): void {
    this.#preparer.pause(held)
  }

  /** Resolves when no change waits to be prepared. */
  settled(): Promise<void> {
    return this.#preparer.settled()
  }

  #parse(data: DataText): NonNullable<StandingView["data"]> {
    const existing = this.#parsed.get(data)
    if (existing !== undefined) return existing
    const parsed = { changedAt: data.changedAt, value: JSON.parse(data.bytes.toString()) }
    this.#parsed.set(data, parsed)
    return parsed
  }

  #entry(key: string): ViewEntry | undefined {
    return this.#fixed.get(key) ?? this.#onDemand.peek(key)?.entry
  }

  #change(key: string, mutate: (entry: ViewEntry) => void): void {
    const existing = this.#entry(key)
    const entry = existing ?? this.#makeEntry(key)
    if (entry === null) return
    mutate(entry)
    if (entry.data === null && entry.freshness === null) {
      this.#remove(key)
      return
    }
    if (standsReady(entry.endpoint, key)) this.#fixed.set(key, entry)
    else this.#onDemand.set(key, { entry }, { size: weightOf(entry) })
    if (!isMadeOnRequest(entry.endpoint)) this.#preparer.add(key)
  }

  #remove(key: string): void {
    this.#fixed.delete(key)
    this.#onDemand.delete(key)
    this.#preparer.remove(key)
  }

  /** Null for a view of an endpoint that this version does not serve. */
  #makeEntry(key: string): ViewEntry | null {
    const { name, parameters } = parseInstanceKey(key)
    const endpoint = this.#endpoints.get(name)
    if (endpoint === undefined) return null
    const ttlMs = endpoint.ttlMs({ ...defaultParameters(endpoint), ...parameters })
    const isPrivate = endpoint.kind === "on-demand" && endpoint.unlogged && !standsReady(endpoint, key)
    return { key, endpoint, ttlMs, isPrivate, data: null, freshness: null, prepared: null, dueAtMs: null }
  }
}

/** Keys that are forgotten a fixed time after they were last remembered. */
class RememberedKeys {
  readonly #forMs: number
  /** When each key is forgotten; in the order of these times, unless the clock was set back. */
  readonly #untilMs = new Map<string, number>()

  constructor(forMs: number) {
    this.#forMs = forMs
  }

  /** Remembers a key from now on. */
  add(key: string, nowMs: number): void {
    // Deleted first, so that the key moves to the end.
    this.#untilMs.delete(key)
    this.#untilMs.set(key, nowMs + this.#forMs)
  }

  delete(key: string): void {
    this.#untilMs.delete(key)
  }

  /** Removes and returns the keys whose time is over. Costs O(1) when there is none. */
  takeForgotten(nowMs: number): ReadonlyArray<string> {
    const forgotten: Array<string> = []
    for (const [key, untilMs] of this.#untilMs) {
      // A longer time than the fixed one means that the clock stepped back since.
      if (untilMs > nowMs && untilMs - nowMs <= this.#forMs) break
      this.#untilMs.delete(key)
      forgotten.push(key)
    }
    return forgotten
  }
}
