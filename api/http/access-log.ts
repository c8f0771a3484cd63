/** A request as the access log records it: without address, query or any other text of the client. */
export interface AccessLine {
  readonly endpoint: string
  readonly method: string
  readonly status: number
  readonly bytes: number
  readonly coding: string
  readonly durationMs: number
  readonly client: string
  /** The id of the request, which its reply and the log lines about it carry too. */
  readonly request: string
}

const FLUSH_EVERY_MS = 500
/** Text buffered until the next flush; lines beyond it are dropped and counted. */
const PENDING_MAX_CHARACTERS = 1024 * 1024
const methods = new Set(["GET", "HEAD", "POST", "OPTIONS", "PUT", "PATCH", "DELETE"])

/**
 * Writes one JSON line for each request, in batches: at thousands of requests a second, a write for each request would cost
 * more than its reply. `write` gets whole lines.
 */
export class AccessLog {
  readonly #write: (lines: string) => void
  readonly #nowMs: () => number
  readonly #origin: string
  readonly #timer: NodeJS.Timeout
  #pending = ""
  #dropped = 0
  #time = ""
  #timeMs = 0

  /** `origin`: members of every line, such as the role and the process. */
  constructor(
    write: (lines: string) => void,
    nowMs: () => number = Date.now,
    origin: Readonly<Record<string, string>> = {},
  ) {
    this.#write = write
    this.#origin = Object.entries(origin)
      .map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)},`)
      .join("")
    this.#nowMs = nowMs
    this.#timer = setInterval(() => this.flush(), FLUSH_EVERY_MS)
    this.#timer.unref()
  }

  /** Adds one line. Its texts come from closed sets of this service, and the id from a closed alphabet, so none needs to be escaped. */
  add(line: AccessLine): void {
    if (this.#pending.length > PENDING_MAX_CHARACTERS) {
      this.#dropped += 1
      return
    }
    const nowMs = this.#nowMs()
    if (nowMs !== this.#timeMs) {
      this.#timeMs = nowMs
      this.#time = new Date(nowMs).toISOString()
    }
    const method = methods.has(line.method) ? line.method : "other"
    this.#pending += `{"level":"info","time":"${this.#time}",${this.#origin}"msg":"request","endpoint":"${line.endpoint}","method":"${method}","status":${line.status},"bytes":${line.bytes},"coding":"${line.coding}","duration_us":${Math.round(line.durationMs * 1000)},"client":"${line.client}","request":"${line.request}"}\n`
  }

  /** Writes the pending lines. */
  flush(): void {
    if (this.#dropped > 0) {
      this.#pending += `{"level":"warn","time":"${new Date(this.#nowMs()).toISOString()}",${this.#origin}"msg":"access lines dropped","dropped":${this.#dropped}}\n`
      this.#dropped = 0
    }
    if (this.#pending === "") return
    const lines = this.#pending
    this.#pending = ""
    this.#write(lines)
  }

  /** Writes the pending lines and stops the timer. */
  close(): void {
    clearInterval(this.#timer)
    this.flush()
  }
}
