import { type PreparedRequest, type ReadResponse, readResponse } from "./attempt.ts"
import { type FailedCall, NoReplyError, TidewireError, TimedOutError, UnreadableReplyError } from "./errors.ts"

/** What stands between two empty lines of an event stream; null and `message` for what it lacks. */
export interface StreamEvent {
  readonly name: string
  readonly id: string | null
  readonly data: string | null
  /** The pause before the next connection that the service asks for. */
  readonly retryMs: number | null
}

interface Block {
  name: string
  id: string | null
  data: Array<string>
  retryMs: number | null
}

const FIELD = /^([^:]*)(?:: ?(.*))?$/s
const WHOLE = /^\d{1,9}$/
const emptyBlock = (): Block => ({ name: "message", id: null, data: [], retryMs: null })

/** Reads the events of a stream out of its pieces, wherever they are cut. Lines end with LF or CRLF. */
class EventReader {
  readonly #charactersMax: number
  #line = ""
  #block = emptyBlock()
  #characters = 0

  constructor(charactersMax: number) {
    this.#charactersMax = charactersMax
  }

  /** The events that a piece completes; null where one is larger than the bound. */
  push(piece: string): ReadonlyArray<StreamEvent> | null {
    const events: Array<StreamEvent> = []
    const [first = "", ...lines] = piece.split("\n")
    this.#line += first
    for (const next of lines) {
      this.#take(this.#line.endsWith("\r") ? this.#line.slice(0, -1) : this.#line, events)
      this.#line = next
    }
    return this.#characters + this.#line.length > this.#charactersMax ? null : events
  }

  #take(line: string, events: Array<StreamEvent>): void {
    if (line === "") {
      const { data, ...rest } = this.#block
      events.push({ ...rest, data: data.length === 0 ? null : data.join("\n") })
      this.#block = emptyBlock()
      this.#characters = 0
      return
    }
    this.#characters += line.length
    const [, field, value = ""] = FIELD.exec(line) ?? []
    if (field === "id") this.#block.id = value
    else if (field === "event") this.#block.name = value
    else if (field === "data") this.#block.data.push(value)
    else if (field === "retry" && WHOLE.test(value)) this.#block.retryMs = Number(value)
  }
}

/** A response that is not the expected one. */
export class OtherResponse {
  readonly response: ReadResponse

  constructor(response: ReadResponse) {
    this.response = response
  }
}

/**
 * The events of one connection, those of each piece together, until it ends. Throws an `OtherResponse` where there is no
 * stream, a `TimedOutError` after a silence of `silenceMs`, a `NoReplyError` where the connection cannot be made or breaks,
 * and the reason of an aborted signal. The connection is closed when the iteration ends in any way.
 */
export async function* openEventStream(
  { url, init }: PreparedRequest,
  {
    fetch: send,
    signal,
    silenceMs,
    bytesMax,
    call,
  }: {
    readonly fetch: typeof fetch
    readonly signal: AbortSignal
    readonly silenceMs: number
    readonly bytesMax: number
    readonly call: FailedCall
  },
): AsyncGenerator<ReadonlyArray<StreamEvent>, void, void> {
  const connection = new AbortController()
  const stop = () => connection.abort(signal.reason)
  const heard = async <A>(step: Promise<A>): Promise<A> => {
    const timer = setTimeout(
      () => connection.abort(new TimedOutError(`nothing was sent for ${silenceMs} ms`, call)),
      silenceMs,
    )
    try {
      return await step
    } catch (cause) {
      if (connection.signal.aborted) throw connection.signal.reason
      throw cause instanceof TidewireError ? cause : new NoReplyError("the connection failed", call, cause)
    } finally {
      clearTimeout(timer)
    }
  }
  signal.addEventListener("abort", stop, { once: true })
  try {
    signal.throwIfAborted()
    // A redirect is seen as such, and not as a connection that failed and is worth another attempt.
    const asked = { ...init, redirect: "manual", cache: "no-store", signal: connection.signal } as const
    const response = await heard(send(url, asked))
    const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true
    if (response.status !== 200 || !isStream || response.body === null)
      throw new OtherResponse(await heard(readResponse(response, bytesMax, call)))
    const pieces = response.body.getReader()
    const decoder = new TextDecoder()
    const reader = new EventReader(bytesMax)
    for (;;) {
      const { done, value } = await heard(pieces.read())
      if (done) return
      const events = reader.push(decoder.decode(value, { stream: true }))
      if (events === null) throw new UnreadableReplyError(`an event is larger than ${bytesMax} bytes`, call)
      yield events
    }
  } finally {
    signal.removeEventListener("abort", stop)
    connection.abort()
  }
}
