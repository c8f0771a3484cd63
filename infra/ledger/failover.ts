import * as Result from "effect/Result"
import { Gauge } from "prom-client"
import { BillingUnavailable } from "../../ledger/client.ts"
import type { SendOutcome, SendRequest } from "./send-request.ts"

/** A message that is queued or in flight. */
export interface WaitingMessage<Message, Answered> {
  readonly message: Message
  /** The message as JSON. */
  readonly text: string
  /** The request of the public port that it belongs to. */
  readonly request: string | null
  readonly sinceMs: number
  readonly complete: (outcome: Answered | Unanswered) => void
  /** It was sent, and whether it was written is unknown. */
  uncertain: boolean
  abandoned: boolean
}

/** The outcome of a message without an answer of the ledger. */
type Unanswered = Result.Result<never, BillingUnavailable>

/** How messages of one kind are sent, and how often. */
export interface MessageKind<Message, Answered extends Result.Result<unknown, { readonly _tag: string }>> {
  readonly path: string
  readonly textOf: (message: Message, request: string | null) => string
  /** The body of a request with these messages. */
  readonly bodyOf: (batch: ReadonlyArray<WaitingMessage<Message, Answered>>) => string
  /** The outcome of each message of a request; null for a text that is no reply to it. */
  readonly readReply: (text: string, messages: ReadonlyArray<Message>) => ReadonlyArray<Answered> | null
  /** Whether a message may be sent again when it is unknown whether it was written. */
  readonly mayResend: (message: Message) => boolean
  /** Whether a refusal of the second request leaves it unknown what became of the first one. */
  readonly leavesUnknown: (message: Message, tag: string) => boolean
  /** Messages of one request at most. */
  readonly batchMax: number
  /** Requests in flight: messages that arrive meanwhile wait for the next one. */
  readonly requestsMax: number
  readonly waitingMax: number
  /** How long a message waits to be sent. */
  readonly waitMaxMs: number
  readonly attemptMaxMs: number
  /** Deadline of a request to a process whose last reply was lost: it may be suspended. */
  readonly suspectAttemptMaxMs: number
  /** Deadline of all attempts of a message together: a reply of the API is due within 30 s. */
  readonly totalMaxMs: number
}

/** Messages are batched up to this size. */
const REQUEST_MAX_CHARACTERS = 1024 * 1024
const SUSPECT_MS = 5_000
const RETRY_SECONDS = 2

const waitingGauge = new Gauge({
  name: "tidewire_ledger_client_queue_commands",
  help: "Commands that wait to be sent to the process that holds the ledger",
})

const unavailable = (reason: BillingUnavailable["reason"]): Unanswered =>
  Result.fail(new BillingUnavailable({ reason, retryAfterSeconds: RETRY_SECONDS }))

/** Why billing is unavailable, by an outcome; null for any other outcome. */
const reasonOf = (outcome: Result.Result<unknown, unknown>): BillingUnavailable["reason"] | null =>
  Result.isFailure(outcome) && outcome.failure instanceof BillingUnavailable ? outcome.failure.reason : null

/** Nothing was decided at that process: the next one may decide. */
const UNDECIDED: ReadonlySet<BillingUnavailable["reason"] | null> = new Set(["standby", "stopped", "clock"])

/**
 * Messages for the process that holds the ledger, of several that may hold it. Requests go to the process that answered last,
 * and to the next one if it does not hold the ledger or is unreachable. After a lost reply it is unknown whether a message
 * was written: its kind decides whether it is sent again, and what the second answer implies about the first request.
 */
export class Failover<Message, Answered extends Result.Result<unknown, { readonly _tag: string }>> {
  readonly #kind: MessageKind<Message, Answered>
  readonly #sendRequest: SendRequest
  /** How many processes may hold the ledger; each is known by its place in the list. */
  readonly #processes: number
  readonly #suspectUntilMs: Array<number>
  #waiting: Array<WaitingMessage<Message, Answered>> = []
  #running = 0
  #planned = false
  #active = 0

  constructor(kind: MessageKind<Message, Answered>, sendRequest: SendRequest, processes: number) {
    this.#kind = kind
    this.#sendRequest = sendRequest
    this.#processes = processes
    this.#suspectUntilMs = Array.from({ length: processes }, () => 0)
  }

  /** Queues a message; `complete` is called once, with its outcome. Returns how to abandon it. */
  push(message: Message, request: string | null, complete: (outcome: Answered | Unanswered) => void): () => void {
    const text = this.#kind.textOf(message, request)
    const sinceMs = performance.now()
    const one = { message, text, request, sinceMs, complete, uncertain: false, abandoned: false }
    if (this.#processes === 0) complete(unavailable("unreachable"))
    else if (this.#waiting.length >= this.#kind.waitingMax) complete(unavailable("overloaded"))
    else {
      this.#waiting.push(one)
      waitingGauge.inc()
      // After this turn of the event loop, so that messages pushed together share a request.
      if (!this.#planned) setImmediate(() => this.#pump())
      this.#planned = true
    }
    return () => {
      one.abandoned = true
    }
  }

  #pump(): void {
    this.#planned = false
    const now = performance.now()
    while (this.#running < this.#kind.requestsMax && this.#waiting.length > 0) {
      const next = this.#takeBatch()
      const taken = next.filter(({ abandoned }) => !abandoned)
      const due = taken.filter(({ sinceMs }) => now - sinceMs <= this.#kind.waitMaxMs)
      for (const one of taken) if (!due.includes(one)) one.complete(unavailable("waited"))
      if (due.length === 0) continue
      this.#running++
      void this.#send(due).finally(() => {
        this.#running--
        this.#pump()
      })
    }
  }

  /** Takes the first messages that fit into one request; at least one. */
  #takeBatch(): ReadonlyArray<WaitingMessage<Message, Answered>> {
    let [count, characters] = [0, 0]
    for (const { text } of this.#waiting.slice(0, this.#kind.batchMax)) {
      characters += text.length
      if (count > 0 && characters > REQUEST_MAX_CHARACTERS) break
      count++
    }
    const taken = this.#waiting.slice(0, count)
    this.#waiting = this.#waiting.slice(count)
    waitingGauge.dec(count)
    return taken
  }

  /** Sends a batch to each process once, then to the first one again: its connection may be lost, and not the process. */
  async #send(batch: ReadonlyArray<WaitingMessage<Message, Answered>>): Promise<void> {
    const { attemptMaxMs, suspectAttemptMaxMs, totalMaxMs } = this.#kind
    const deadline = performance.now() + totalMaxMs
    const first = this.#active
    let rest = batch
    let last: ReadonlyArray<Answered> | Exclude<SendOutcome, object> = "unreachable"
    for (let tried = 0; tried <= this.#processes && rest.length > 0; tried++) {
      const index = (first + tried) % this.#processes
      const left = deadline - performance.now()
      if (left <= 0) break
      const suspect = (this.#suspectUntilMs[index] ?? 0) > performance.now()
      last = await this.#exchange(index, rest, Math.min(left, suspect ? suspectAttemptMaxMs : attemptMaxMs))
      if (typeof last !== "string") this.#active = index
      else if (this.#active === index) this.#active = (index + 1) % this.#processes
      rest = this.#completeDecided(rest, last)
    }
    const reason = typeof last !== "string" || last === "standby" ? "standby" : "unreachable"
    for (const one of rest) one.complete(unavailable(one.uncertain ? "unknown" : reason))
  }

  /** One request: the outcome of each message, or why there are none. */
  async #exchange(index: number, batch: ReadonlyArray<WaitingMessage<Message, Answered>>, maxMs: number) {
    const { path, bodyOf, readReply } = this.#kind
    const sent = await this.#sendRequest(index, path, bodyOf(batch), maxMs)
    const messages = batch.map(({ message }) => message)
    const outcome = typeof sent === "string" ? sent : (readReply(sent.text, messages) ?? "lost")
    this.#suspectUntilMs[index] = outcome === "lost" ? performance.now() + SUSPECT_MS : 0
    return outcome
  }

  /** Completes messages with the outcomes of a request; returns those to send to the next process. */
  #completeDecided(
    batch: ReadonlyArray<WaitingMessage<Message, Answered>>,
    sent: ReadonlyArray<Answered> | Exclude<SendOutcome, object>,
  ): ReadonlyArray<WaitingMessage<Message, Answered>> {
    if (typeof sent === "string" && sent !== "lost") return batch
    return batch.filter((one, index) => {
      const outcome = typeof sent === "string" ? undefined : sent[index]
      const reason = outcome === undefined ? "unknown" : reasonOf(outcome)
      if (UNDECIDED.has(reason)) return true
      if (outcome !== undefined && reason !== "unknown") {
        const isUnknown =
          one.uncertain && Result.isFailure(outcome) && this.#kind.leavesUnknown(one.message, outcome.failure._tag)
        one.complete(isUnknown ? unavailable("unknown") : outcome)
        return false
      }
      one.uncertain = true
      if (this.#kind.mayResend(one.message)) return true
      one.complete(unavailable("unknown"))
      return false
    })
  }
}
