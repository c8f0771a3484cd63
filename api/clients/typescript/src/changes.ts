import type { Operation } from "../operations.js"
import { attempt, type PreparedRequest, prepareRequest } from "./attempt.ts"
import { deadlineOf, sleep } from "./deadline.ts"
import {
  CursorError,
  type FailedCall,
  NoReplyError,
  ProblemError,
  TidewireError,
  TimedOutError,
  UnreadableReplyError,
} from "./errors.ts"
import { OtherResponse, openEventStream } from "./event-stream.ts"
import { isObject } from "./json.ts"
import { refusalOf, retryAfterSecondsOf } from "./problem.ts"
import type { ParameterValues } from "./sent.ts"

/** Options of an iteration over changes. */
export interface ChangesOptions {
  /** Ends the iteration: the reason of the signal is thrown. */
  readonly signal?: AbortSignal | undefined
  /** Sees the cursor each time that it moves on without a change: a caller with filters stores it as that of a change. */
  readonly onCursor?: ((cursor: string) => void) | undefined
  /** Sees why a connection ended, null where the service closed it in turn, and the pause before the next one. */
  readonly onReconnect?:
    | ((ended: { readonly cause: TidewireError | null; readonly pauseMs: number }) => void)
    | undefined
  /** How many connections in a row may fail: without a bound by default. The error of the last one is thrown. */
  readonly failuresMax?: number | undefined
  /** The longest silence of a connection: 45,000 ms by default, as the service sends something every 15 seconds. */
  readonly silenceMs?: number | undefined
}

/** Where changes are read. */
interface ChangesSource {
  readonly baseUrl: string
  readonly fetch: typeof fetch
  readonly bodyBytesMax: number
  readonly stream: Operation
  readonly page: Operation
}

/** What a failed connection leaves: the error, and how long the service asks to wait. */
interface Interruption {
  readonly error: TidewireError
  readonly retryAfterMs: number
}

const SILENCE_MS = 45_000
/** The pause before another connection until the service names one. It doubles with each failure in a row. */
const PAUSE_MS = 1_000
const PAUSE_MIN_MS = 100
const PAUSE_MAX_MS = 60_000
const DOUBLINGS_MAX = 16
const RETRY_AFTER_MAX_MS = 300_000
const PAGE_CHANGES = 1_000
const PAGE_WAIT_SECONDS = 25
const [START, NOW] = ["start", "now"]

const isCursorProblem = (error: string): error is CursorError["error"] =>
  error === "cursor_gone" || error === "other_log" || error === "future_cursor"
const textOf = (value: unknown): string | null => (typeof value === "string" ? value : null)

/**
 * Reads every change behind a cursor, then each as it comes: by streams, one after another, each from the last cursor. Where
 * a stream stays silent from its beginning, as behind a proxy that holds it back, by pages that wait for a change.
 */
export class ChangesReader<Change> {
  readonly #source: ChangesSource
  readonly #filters: ParameterValues
  readonly #options: ChangesOptions
  readonly #signal: AbortSignal
  readonly #silenceMs: number
  readonly #call: FailedCall
  #cursor: string
  #pauseMs = PAUSE_MS
  #failures = 0
  #isByPages = false

  constructor(source: ChangesSource, { after = NOW, ...filters }: ParameterValues, options: ChangesOptions) {
    this.#source = source
    this.#filters = filters
    this.#options = options
    this.#signal = options.signal ?? new AbortController().signal
    this.#silenceMs = options.silenceMs ?? SILENCE_MS
    this.#call = { operation: source.stream.name, idempotencyKey: null }
    this.#cursor = String(after)
  }

  /** Reads until the caller stops, or throws why it makes no sense to go on. */
  async *read(): AsyncGenerator<Change, void, void> {
    for (;;) {
      let ended: Interruption | null = null
      try {
        // With a cursor from the beginning, nothing is lost when the first connection breaks.
        if (this.#cursor === NOW) await this.#readPage({ limit: 1 })
        yield* this.#isByPages ? this.#readPages() : this.#readStream()
      } catch (cause) {
        ended = this.#interruptionOf(cause)
      }
      await this.#pauseAfter(ended)
    }
  }

  async *#readStream(): AsyncGenerator<Change, void, void> {
    const { stream, fetch: send, bodyBytesMax: bytesMax } = this.#source
    const limits = { silenceMs: this.#silenceMs, bytesMax }
    let [events, isRead] = [0, false]
    try {
      const pieces = openEventStream(this.#requestOf(stream), {
        ...limits,
        fetch: send,
        signal: this.#signal,
        call: this.#call,
      })
      for await (const piece of pieces)
        for (const { name, id, data, retryMs } of piece) {
          events += 1
          if (retryMs !== null) this.#pauseMs = Math.min(Math.max(retryMs, PAUSE_MIN_MS), PAUSE_MAX_MS)
          if (name === "gap") throw this.#gapOf(data)
          if (id === null) continue
          const isMoved = id !== this.#cursor
          // The first event says where the stream begins: a service that fails behind it is not asked again without a pause.
          if (isMoved || events > 1) {
            this.#moveTo(id)
            isRead = true
          }
          if (name === "change" && data !== null) yield this.#decoded(data) as Change
          else if (isMoved) this.#options.onCursor?.(id)
        }
    } catch (cause) {
      this.#isByPages = events === 0 && cause instanceof TimedOutError
      throw cause
    }
    if (!isRead) throw new NoReplyError("the stream ended at its beginning", this.#call)
  }

  async *#readPages(): AsyncGenerator<Change, void, void> {
    // A silence that was none of a proxy ends with the first page that fails.
    this.#isByPages = false
    for (;;) {
      const from = this.#cursor
      const wait = Math.min(PAGE_WAIT_SECONDS, Math.floor(this.#silenceMs / 2_000))
      const changes = await this.#readPage({ limit: PAGE_CHANGES, wait })
      yield* changes
      if (changes.length > 0) continue
      if (this.#cursor !== from) this.#options.onCursor?.(this.#cursor)
      // However fast such pages come, they are not asked for without a pause.
      else await sleep(PAUSE_MIN_MS, this.#signal)
    }
  }

  /** Reads a page, and moves on to its end. */
  async #readPage(more: ParameterValues): Promise<ReadonlyArray<Change>> {
    const { page, fetch: send, bodyBytesMax } = this.#source
    const deadline = deadlineOf(this.#silenceMs, this.#signal)
    const how = { fetch: send, deadline, bodyBytesMax, call: this.#call }
    const response = await attempt(this.#requestOf(page, more), how).catch((cause: unknown) => {
      const error = deadline.errorOf(cause, this.#call)
      throw error instanceof TidewireError ? error : new NoReplyError("no reply", this.#call, cause)
    })
    const { status, headers, body } = response
    if (status === 204) {
      this.#moveTo(headers.get("x-service-next-cursor") ?? this.#cursor)
      return []
    }
    if (status !== 200) throw new OtherResponse(response)
    if (!isObject(body) || !Array.isArray(body.changes))
      throw new UnreadableReplyError("a page without changes", this.#call)
    // A log without a change has no cursor yet: whatever comes is behind its start.
    this.#moveTo(textOf(body.next) ?? (this.#cursor === NOW ? START : this.#cursor))
    return body.changes
  }

  #requestOf(operation: Operation, more: ParameterValues = {}): PreparedRequest {
    const parameters = { ...this.#filters, ...more, after: this.#cursor }
    return prepareRequest(this.#source.baseUrl, operation, { parameters }, { token: undefined, idempotencyKey: null })
  }

  #moveTo(cursor: string): void {
    this.#cursor = cursor
    this.#failures = 0
  }

  #decoded(data: string): unknown {
    try {
      return JSON.parse(data)
    } catch (cause) {
      throw new UnreadableReplyError("an event that is not JSON", this.#call, cause)
    }
  }

  /** Changes behind the cursor that are no longer held: to go on without them would be to hide it. */
  #gapOf(data: string | null): CursorError {
    const gap = data === null ? null : this.#decoded(data)
    return new CursorError("cursor_gone", this.#cursor, isObject(gap) ? textOf(gap.to) : null, this.#call)
  }

  /** What another connection can mend; throws any other cause. */
  #interruptionOf(cause: unknown): Interruption {
    if (this.#signal.aborted) throw this.#signal.reason
    if (cause instanceof NoReplyError || cause instanceof TimedOutError) return { error: cause, retryAfterMs: 0 }
    if (!(cause instanceof OtherResponse)) throw cause
    const { response } = cause
    const { status, headers, body } = response
    const error = refusalOf(response, this.#call)
    if (status === 408 || status === 429 || status >= 500)
      return { error, retryAfterMs: Math.min((retryAfterSecondsOf(headers, body) ?? 0) * 1_000, RETRY_AFTER_MAX_MS) }
    if (!(error instanceof ProblemError) || !isCursorProblem(error.error)) throw error
    const oldest = isObject(body) ? textOf(body.oldest) : null
    throw new CursorError(error.error, this.#cursor, oldest, this.#call, error)
  }

  async #pauseAfter(ended: Interruption | null): Promise<void> {
    const { failuresMax = Number.POSITIVE_INFINITY, onReconnect } = this.#options
    if (ended !== null) this.#failures += 1
    if (ended !== null && this.#failures > failuresMax) throw ended.error
    const doublings = Math.min(Math.max(this.#failures - 1, 0), DOUBLINGS_MAX)
    const longestMs = Math.min(this.#pauseMs * 2 ** doublings, PAUSE_MAX_MS)
    // Readers whose connections ended together do not come back together.
    const pauseMs = Math.round((ended?.retryAfterMs ?? 0) + longestMs * (0.5 + Math.random() / 2))
    onReconnect?.({ cause: ended?.error ?? null, pauseMs })
    await sleep(pauseMs, this.#signal)
  }
}
