import { type Batch, Batches, batchOf, gapOf, openingOf } from "./batches.ts"
import type { Connection } from "./connection.ts"
import type { ChangeFilter } from "./filter.ts"
import type { PacedReads } from "./reads.ts"
import { WaitingCalls } from "./waiting-calls.ts"
import { type ChangeWindow, placeIn } from "./window.ts"

/** How often the streams are looked after. */
export const TICK_MS = 250
/** Each stream says where it is every 15 seconds: in one of this many ticks. */
const BEATS = 60
/** Unsent bytes beyond which a reader gets nothing more until it has read. */
const UNSENT_MAX_BYTES = 256 * 1024
/** A reader that does not read what was sent within this time is ended. */
const SLOW_MS = 30_000
/** Streams that are served before the process attends to something else. */
const SLICE = 512
/** How long a connection lasts: 10 minutes, and up to a fifth less or more, so that readers do not all come back at once. */
const LIFE_MS = 600_000
const LIFE_SPREAD = 0.2
/** How long an ended connection may take to send the rest. */
const LINGER_MS = 5_000
const RETRY_MIN_MS = 1_000
const RETRY_MAX_MS = 5_000

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

/** All streams of a process, and the calls that wait. `tick` is called every `TICK_MS`. */
export class ChangeStreams {
  /** The calls that wait for a change; they end with the streams. */
  readonly calls: WaitingCalls
  /** What happened since the start. */
  readonly counts = { slowEnded: 0, gaps: 0, resumes: 0 }
  readonly #options: StreamsOptions
  readonly #beats: ReadonlyArray<Set<ChangeStream>> = Array.from({ length: BEATS }, () => new Set())
  /** Those that got the last change, by their beats: they are served before those that wait for rare ones. */
  readonly #eager: ReadonlyArray<Set<ChangeStream>> = Array.from({ length: BEATS }, () => new Set())
  /** Those that are blocked or ended. */
  readonly #watched = new Set<ChangeStream>()
  readonly #batches: Batches
  #open = 0
  #opened = 0
  #ticks = 0
  /** The group that the pass is at; null between passes. */
  #passAt: number | null = null
  #passAgain = false
  #isDraining = false

  constructor(options: StreamsOptions) {
    this.#options = options
    this.#batches = new Batches(options.window)
    this.calls = new WaitingCalls(options.window)
    options.window.listen((change) => {
      this.#batches.clear()
      if (change === "anew") {
        this.calls.wakeAll()
        this.#endStreams()
      } else this.#schedulePass()
    })
  }

  /** Streams whose connection is open. */
  get open(): number {
    return this.#open
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
    connection.write(openingOf(retryMs, this.#idOf(after)))
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

  /** Looks after every stream: where it is, how long it has been there. */
  tick(): void {
    const nowMs = this.#options.nowMs()
    for (const stream of this.#watched) this.#look(stream, nowMs)
    this.calls.wakeLate(nowMs)
    this.#ticks += 1
    for (const stream of this.#beats[this.#ticks % BEATS] ?? []) {
      if (nowMs >= stream.endsAtMs) this.end(stream)
      if (stream.state === "live" || stream.state === "reading") this.#beat(stream)
    }
  }

  /** Ends every stream and wakes every call, now and from now on. */
  drain(): void {
    this.#isDraining = true
    this.calls.end()
    this.#endStreams()
  }

  #endStreams(): void {
    for (const stream of this.#all()) this.end(stream)
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
      this.calls.wakeDue()
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
      if (isFor) this.#send(stream, this.#batches.behind(stream.cursor, stream.filter))
      else stream.cursor = window.reached
    }
  }

  #setEager(stream: ChangeStream, isEager: boolean): void {
    stream.isEager = isEager
    const group = this.#eager[stream.beat]
    if (isEager) group?.add(stream)
    else group?.delete(stream)
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
    const outcome = await reads.read(placeIn(window.log, stream.cursor), () => stream.state === "reading")
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
    stream.connection.write(gapOf(this.#idOf(stream.cursor), this.#idOf(to)))
    stream.cursor = to
  }

  /** Says where a stream is. */
  #beat({ connection, cursor }: ChangeStream): void {
    if (connection.unsentBytes > UNSENT_MAX_BYTES) return
    const { bytes } = this.#batches.heartbeat(cursor)
    if (bytes !== null) connection.write(bytes)
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
}
