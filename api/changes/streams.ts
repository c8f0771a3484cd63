import type { ChangeFilter, ReadyChange } from "./filter.ts"
import { matches } from "./filter.ts"
import type { PacedReads } from "./reads.ts"
import { type ChangeWindow, placeIn } from "./window.ts"

/** How often the streams are looked after. */
export const TICK_MS = 250
/** Each stream says where it is every 15 seconds: in one of this many ticks. */
const BEATS = 60
/** Unsent bytes beyond which a reader gets nothing more until it has read. */
const UNSENT_MAX_BYTES = 256 * 1024
/** A reader that does not read what was sent within this time is ended. */
const SLOW_MS = 30_000
/** Bytes of one write, at most; a single change may exceed it. */
const BATCH_MAX_BYTES = 64 * 1024
/** Batches that are shared by the streams of one pass. */
const BATCHES_MAX = 64
/** Streams that are served before the process attends to something else. */
const SLICE = 512
/** How long a connection lasts: 10 minutes, and up to a fifth less or more, so that readers do not all come back at once. */
const LIFE_MS = 600_000
const LIFE_SPREAD = 0.2
/** How long an ended connection may take to send the rest. */
const LINGER_MS = 5_000
const RETRY_MIN_MS = 1_000
const RETRY_MAX_MS = 5_000

/** An event with empty data is dispatched, so that a page notices that none comes; one without any is not. */
const beatOf = (id: string | null): Buffer =>
  Buffer.from(`event: heartbeat\n${id === null ? "" : `id: ${id}\n`}data:\n\n`)

/** The way to one reader. */
export interface Connection {
  /** Bytes that were written and not yet taken by the network. */
  readonly unsentBytes: number
  readonly write: (bytes: Buffer) => void
  /** Ends when everything written is sent. */
  readonly end: () => void
  readonly destroy: () => void
}

/**
 * `live`: it gets what the window gets. `reading`: it waits for changes of the log. `blocked`: it has too much unsent.
 * `ended`: it gets nothing more.
 */
type StreamState = "live" | "reading" | "blocked" | "ended"

/** One reader. What it gets is not kept for it: it has a place in the log alone. */
export class ChangeStream {
  readonly connection: Connection
  readonly filter: ChangeFilter
  readonly endsAtMs: number
  readonly beat: number
  /** Everything up to this number was looked at, and what matches was written. */
  cursor: number
  state: StreamState = "live"
  /** Whether the last change that it came to was for it. */
  isEager = false
  /** Since when it is blocked or ended. */
  sinceMs = 0

  constructor(connection: Connection, filter: ChangeFilter, cursor: number, endsAtMs: number, beat: number) {
    this.connection = connection
    this.filter = filter
    this.cursor = cursor
    this.endsAtMs = endsAtMs
    this.beat = beat
  }
}

/** A call that waits for a change which matches. */
export interface Waiter {
  readonly filter: ChangeFilter
  readonly untilMs: number
  /** Everything up to this number was looked at. */
  after: number
  readonly wake: () => void
}

/** Changes in the form of one write. */
interface Batch {
  /** Null where none matches. */
  readonly bytes: Buffer | null
  readonly reached: number
}

/** What streams need of their surroundings. */
export interface StreamsOptions {
  readonly window: ChangeWindow
  readonly reads: PacedReads
  readonly nowMs: () => number
  /** A number in [0, 1). */
  readonly random: () => number
  /** Runs a function soon. */
  readonly soon: (run: () => void) => void
}

/** Frames that match, as many as fit into `bytesMax`, at least one; `reached`: of all. */
const batchOf = (
  changes: Iterable<ReadyChange>,
  filter: ChangeFilter,
  after: number,
  reached: number,
  bytesMax: number,
): Batch => {
  const frames: Array<Buffer> = []
  let bytes = 0
  let looked = after
  for (const change of changes) {
    if (matches(filter, change)) {
      if (frames.length > 0 && bytes + change.frame.length > bytesMax) return { bytes: joined(frames), reached: looked }
      frames.push(change.frame)
      bytes += change.frame.length
    }
    looked = change.ordinal
  }
  return { bytes: joined(frames), reached }
}

const joined = (frames: ReadonlyArray<Buffer>): Buffer | null => {
  const [first, ...others] = frames
  if (first === undefined) return null
  return others.length === 0 ? first : Buffer.concat(frames)
}

/** All streams of a process, and the calls that wait. `tick` is called every `TICK_MS`. */
export class ChangeStreams {
  /** What happened since the start. */
  readonly counts = { slowEnded: 0, gaps: 0, resumes: 0 }
  readonly #options: StreamsOptions
  readonly #beats: ReadonlyArray<Set<ChangeStream>> = Array.from({ length: BEATS }, () => new Set())
  /** Those that got the last change, by their beats: they are served before those that wait for rare ones. */
  readonly #eager: ReadonlyArray<Set<ChangeStream>> = Array.from({ length: BEATS }, () => new Set())
  /** Those that are blocked or ended. */
  readonly #watched = new Set<ChangeStream>()
  readonly #waiters = new Set<Waiter>()
  readonly #batches = new Map<string, Batch>()
  #open = 0
  #opened = 0
  #ticks = 0
  /** The group that the pass is at; null between passes. */
  #passAt: number | null = null
  #passAgain = false
  #isDraining = false

  constructor(options: StreamsOptions) {
    this.#options = options
    options.window.listen((change) => {
      this.#batches.clear()
      if (change === "anew") this.#endAll()
      else this.#schedulePass()
    })
  }

  /** Streams whose connection is open. */
  get open(): number {
    return this.#open
  }

  get waiting(): number {
    return this.#waiters.size
  }

  get isDraining(): boolean {
    return this.#isDraining
  }

  /** Bytes of all streams that the network has not taken. */
  get unsentBytes(): number {
    let bytes = 0
    for (const { connection } of this.#all()) bytes += connection.unsentBytes
    return bytes
  }

  /** Adds a stream that goes on behind a number. */
  add(connection: Connection, filter: ChangeFilter, after: number): ChangeStream {
    const { nowMs, random } = this.#options
    const lifeMs = LIFE_MS * (1 - LIFE_SPREAD + 2 * LIFE_SPREAD * random())
    const stream = new ChangeStream(connection, filter, after, nowMs() + lifeMs, this.#opened % BEATS)
    this.#opened += 1
    this.#open += 1
    this.#groupOf(stream).add(stream)
    const retryMs = Math.round(RETRY_MIN_MS + (RETRY_MAX_MS - RETRY_MIN_MS) * random())
    const id = this.#idOf(after)
    connection.write(Buffer.from(`retry: ${retryMs}\n${id === null ? "" : `id: ${id}\n`}\n`))
    this.#advance(stream)
    return stream
  }

  /** Goes on with a stream whose reader has read everything sent. */
  resume(stream: ChangeStream): void {
    if (stream.state !== "blocked") return
    stream.state = "live"
    this.#watched.delete(stream)
    this.#advance(stream)
  }

  /** Ends a stream when everything written is sent. */
  end(stream: ChangeStream): void {
    if (stream.state === "ended") return
    stream.state = "ended"
    stream.sinceMs = this.#options.nowMs()
    this.#watched.add(stream)
    stream.connection.end()
  }

  /** Forgets a stream whose connection is closed. */
  remove(stream: ChangeStream): void {
    stream.state = "ended"
    this.#watched.delete(stream)
    this.#eager[stream.beat]?.delete(stream)
    if (this.#groupOf(stream).delete(stream)) this.#open -= 1
  }

  /**
   * Calls `wake` once: when there may be a change that matches behind `after`, when the time is over, or when the streams end. It
   * may be called at once.
   */
  wait(waiter: Waiter): void {
    if (this.#isDraining || this.#isDue(waiter)) waiter.wake()
    else this.#waiters.add(waiter)
  }

  /** Forgets a waiting call. */
  forget(waiter: Waiter): void {
    this.#waiters.delete(waiter)
  }

  /** Looks after every stream: where it is, how long it has been there. */
  tick(): void {
    const nowMs = this.#options.nowMs()
    for (const stream of this.#watched) this.#look(stream, nowMs)
    for (const waiter of this.#waiters) if (nowMs >= waiter.untilMs) this.#wake(waiter)
    this.#ticks += 1
    for (const stream of this.#beats[this.#ticks % BEATS] ?? []) {
      if (nowMs >= stream.endsAtMs) this.end(stream)
      if (stream.state === "live" || stream.state === "reading") this.#beat(stream)
    }
  }

  /** Ends every stream and wakes every call, now and from now on. */
  drain(): void {
    this.#isDraining = true
    this.#endAll()
  }

  #endAll(): void {
    for (const stream of this.#all()) this.end(stream)
    for (const waiter of this.#waiters) this.#wake(waiter)
  }

  *#all(): Generator<ChangeStream> {
    for (const group of this.#beats) yield* group
  }

  #groupOf({ beat }: ChangeStream): Set<ChangeStream> {
    return this.#beats[beat] as Set<ChangeStream>
  }

  #idOf(ordinal: number): string | null {
    return this.#options.window.cursorOf(ordinal)
  }

  #schedulePass(): void {
    if (this.#passAt !== null) {
      this.#passAgain = true
      return
    }
    this.#passAt = 0
    this.#options.soon(() => {
      for (const waiter of this.#waiters) if (this.#isDue(waiter)) this.#wake(waiter)
      this.#pass()
    })
  }

  /** Gives every stream what follows its place; some of them at once, the others soon. */
  #pass(): void {
    let served = 0
    const groups = [...this.#eager, ...this.#beats]
    let at = this.#passAt ?? groups.length
    for (; at < groups.length && served < SLICE; at++)
      for (const stream of groups[at] ?? []) {
        this.#advance(stream)
        served += 1
      }
    if (at < groups.length) {
      this.#passAt = at
      this.#options.soon(() => this.#pass())
      return
    }
    this.#passAt = null
    if (!this.#passAgain) return
    this.#passAgain = false
    this.#schedulePass()
  }

  /** Gives a stream what follows its place, of the window or of the log, until it has too much unsent. */
  #advance(stream: ChangeStream): void {
    const { window } = this.#options
    while (stream.state === "live" && stream.cursor < window.reached) {
      if (!window.holds(stream.cursor)) {
        this.#read(stream)
        return
      }
      const isFor = window.hasBehind(stream.cursor, stream.filter)
      if (isFor !== stream.isEager) this.#setEager(stream, isFor)
      if (isFor) this.#send(stream, this.#batchBehind(stream))
      else stream.cursor = window.reached
    }
  }

  #setEager(stream: ChangeStream, isEager: boolean): void {
    stream.isEager = isEager
    const group = this.#eager[stream.beat]
    if (isEager) group?.add(stream)
    else group?.delete(stream)
  }

  #batchBehind({ filter, cursor }: ChangeStream): Batch {
    const { window } = this.#options
    const key = `${cursor} ${filter.key}`
    const known = this.#batches.get(key)
    if (known !== undefined) return known
    const batch = batchOf(window.behind(cursor), filter, cursor, window.reached, BATCH_MAX_BYTES)
    if (this.#batches.size < BATCHES_MAX) this.#batches.set(key, batch)
    return batch
  }

  #send(stream: ChangeStream, { bytes, reached }: Batch): void {
    if (bytes !== null) {
      const { unsentBytes } = stream.connection
      if (unsentBytes > 0 && unsentBytes + bytes.length > UNSENT_MAX_BYTES) {
        stream.state = "blocked"
        stream.sinceMs = this.#options.nowMs()
        this.#watched.add(stream)
        return
      }
      stream.connection.write(bytes)
    }
    stream.cursor = reached
  }

  /** Reads on from the log, where the window no longer holds what follows. */
  async #read(stream: ChangeStream): Promise<void> {
    stream.state = "reading"
    const { window, reads } = this.#options
    const outcome = await reads.read(placeIn(window.log, stream.cursor))
    // It may have been ended meanwhile.
    if (stream.state !== "reading") return
    stream.state = "live"
    if (outcome._tag === "Gone") this.#sendGap(stream, outcome.oldest - 1)
    else if (
      outcome._tag === "Portion" &&
      outcome.log === this.#options.window.log &&
      outcome.reached > stream.cursor
    ) {
      const { changes, reached } = outcome
      this.#send(stream, batchOf(changes, stream.filter, stream.cursor, reached, UNSENT_MAX_BYTES))
    } else {
      this.end(stream)
      return
    }
    this.#advance(stream)
  }

  #sendGap(stream: ChangeStream, to: number): void {
    this.counts.gaps += 1
    const id = this.#idOf(to)
    const data = JSON.stringify({ from: this.#idOf(stream.cursor), to: id })
    stream.connection.write(Buffer.from(`event: gap\nid: ${id}\ndata: ${data}\n\n`))
    stream.cursor = to
  }

  /** Says where a stream is. */
  #beat({ connection, cursor }: ChangeStream): void {
    if (connection.unsentBytes > UNSENT_MAX_BYTES) return
    const key = `beat ${cursor}`
    const bytes = this.#batches.get(key)?.bytes ?? beatOf(this.#idOf(cursor))
    if (this.#batches.size < BATCHES_MAX) this.#batches.set(key, { bytes, reached: cursor })
    connection.write(bytes)
  }

  #look(stream: ChangeStream, nowMs: number): void {
    const sinceMs = nowMs - stream.sinceMs
    if (stream.state === "ended") {
      if (sinceMs >= LINGER_MS) stream.connection.destroy()
    } else if (stream.connection.unsentBytes === 0) this.resume(stream)
    else if (sinceMs >= SLOW_MS) {
      this.counts.slowEnded += 1
      stream.state = "ended"
      stream.connection.destroy()
    }
  }

  /** Whether a waiting call has something to look at. Otherwise it need not look at the same changes again. */
  #isDue(waiter: Waiter): boolean {
    const { window } = this.#options
    if (!window.holds(waiter.after)) return true
    if (window.hasBehind(waiter.after, waiter.filter)) return true
    waiter.after = Math.max(waiter.after, window.reached)
    return false
  }

  #wake(waiter: Waiter): void {
    this.#waiters.delete(waiter)
    waiter.wake()
  }
}
