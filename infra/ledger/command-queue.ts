import * as Result from "effect/Result"
import { Gauge } from "prom-client"
import { BillingUnavailable } from "../../ledger/client.ts"
import type { Command } from "../../ledger/command.ts"
import type { Refusal } from "../../ledger/refusal.ts"
import { type EdgeName, edges } from "./edges.ts"
import type { SendOutcome, SendRequest } from "./send-request.ts"
import { COMMANDS_MAX, type Outcome, readReply } from "./wire.ts"

// After a lost reply it is unknown whether the command was written. This file decides which commands may be sent again, and
// what the answer to the second request implies about the first.

/** What the answer to a command that was sent again means for its caller. */
type Meaning =
  /** It holds, whatever the first request did. */
  | "stands"
  /** The first request may have been written, and its answer is lost. */
  | "lost"

const ONCE: ReadonlySet<Command["_tag"]> = new Set(["grant", "reissue", "acceptClock"])

/**
 * Whether a command may be sent again when it is unknown whether it was written. All but `grant`, `reissue` and
 * `acceptClock`: a repeated confirm, observe, settle or refund is idempotent, and quotes and debits carry an id. A grant has
 * no id and would be applied twice; a second reissue would void the token of the first.
 */
const mayResend = ({ _tag }: Command): boolean => !ONCE.has(_tag)

/** What the refusal of a repeated command means, when the outcome of the first request is unknown. */
const meaningOf = (command: Command, refusal: Refusal | BillingUnavailable): Meaning => {
  // It is certain only that the second request wrote nothing.
  if (refusal._tag === "billing_unavailable") return "lost"
  // The memo was generated for this quote, so the first request was written; its total is lost with its answer.
  if (command._tag === "issueQuote" && refusal._tag === "memo_in_use") return "lost"
  // The first request was written: its caller releases the debit, whose id it has made.
  if (command._tag === "debit" && refusal._tag === "duplicate_debit") return "lost"
  return "stands"
}

/** Commands are batched up to this size. */
const REQUEST_CHARACTERS_MAX = 1024 * 1024
/** Longer than a command may wait at the writer plus a usual append. */
const ATTEMPT_MS_MAX = 6_000
/** Deadline of a request to a process whose last reply was lost, in milliseconds: it may be suspended. */
const SUSPECT_ATTEMPT_MS_MAX = 1_000
const SUSPECT_MS = 5_000
/** Deadline of all attempts of a command together, in milliseconds: a reply of the API is due within 30 s. */
const TOTAL_MS_MAX = 12_000
/** How long a command waits to be sent, in milliseconds. */
const WAIT_MS_MAX = 5_000
const COMMANDS_WAITING_MAX = 10_000
/** Requests in flight: commands that arrive meanwhile are batched into the next one. */
export const REQUESTS_MAX = 8
const RETRY_SECONDS = 2

const waitingGauge = new Gauge({
  name: "tidewire_ledger_client_queue_commands",
  help: "Commands that wait to be sent to the process that holds the ledger",
})

/** A command that is queued or in flight. */
export interface WaitingCommand {
  readonly command: Command
  /** The command as JSON. */
  readonly text: string
  /** The request of the public port that it belongs to. */
  readonly request: string | null
  readonly sinceMs: number
  readonly complete: (outcome: Outcome) => void
  /** It was sent, and whether it was written is unknown. */
  uncertain: boolean
  abandoned: boolean
}

const commandsOf = (batch: ReadonlyArray<WaitingCommand>) => batch.map(({ command }) => command)

/** The first commands that fit into one request; at least one. */
const firstOf = (waiting: ReadonlyArray<WaitingCommand>): ReadonlyArray<WaitingCommand> => {
  let [count, characters] = [0, 0]
  for (const { text } of waiting.slice(0, COMMANDS_MAX)) {
    characters += text.length
    if (count > 0 && characters > REQUEST_CHARACTERS_MAX) break
    count++
  }
  return waiting.slice(0, count)
}

/** The outcome of one request: an outcome for each command, or why there are none. */
type RequestOutcome = ReadonlyArray<Outcome> | Exclude<SendOutcome, object>

const unavailable = (reason: BillingUnavailable["reason"]) =>
  new BillingUnavailable({ reason, retryAfterSeconds: RETRY_SECONDS })

/** Nothing was decided at that process: the next one may decide. */
const isUndecided = (outcome: Outcome): boolean =>
  Result.isFailure(outcome) &&
  outcome.failure._tag === "billing_unavailable" &&
  (outcome.failure.reason === "standby" || outcome.failure.reason === "stopped" || outcome.failure.reason === "clock")
const isUnknown = (outcome: Outcome): boolean =>
  Result.isFailure(outcome) && outcome.failure._tag === "billing_unavailable" && outcome.failure.reason === "unknown"

/** Limits that tests set. */
export interface CommandQueueLimits {
  readonly attemptMsMax?: number
  readonly totalMsMax?: number
  readonly commandsWaitingMax?: number
}

/** The queue of commands, and the requests that carry them to the process that holds the ledger. */
export class CommandQueue {
  readonly #sendRequest: SendRequest
  readonly #path: string
  /** How many processes may hold the ledger; each is known by its place in the list. */
  readonly #processes: number
  readonly #attemptMsMax: number
  readonly #totalMsMax: number
  readonly #commandsWaitingMax: number
  readonly #suspectUntilMs: Array<number>
  #waiting: Array<WaitingCommand> = []
  #running = 0
  #planned = false
  #active = 0

  constructor(sendRequest: SendRequest, edge: EdgeName, processes: number, limits: CommandQueueLimits) {
    this.#sendRequest = sendRequest
    this.#path = edges[edge].path
    this.#processes = processes
    this.#attemptMsMax = limits.attemptMsMax ?? ATTEMPT_MS_MAX
    this.#totalMsMax = limits.totalMsMax ?? TOTAL_MS_MAX
    this.#commandsWaitingMax = limits.commandsWaitingMax ?? COMMANDS_WAITING_MAX
    this.#suspectUntilMs = Array.from({ length: processes }, () => 0)
  }

  /** Queues a command; `complete` is called once, with its outcome. */
  push(command: Command, request: string | null, complete: WaitingCommand["complete"]): WaitingCommand {
    const text = JSON.stringify(command)
    const one: WaitingCommand = {
      command,
      text,
      request,
      sinceMs: performance.now(),
      complete,
      uncertain: false,
      abandoned: false,
    }
    if (this.#processes === 0) complete(Result.fail(unavailable("unreachable")))
    else if (this.#waiting.length >= this.#commandsWaitingMax) complete(Result.fail(unavailable("overloaded")))
    else {
      this.#waiting.push(one)
      // After this turn of the event loop, so that commands submitted together share a request.
      if (!this.#planned) setImmediate(() => this.#pump())
      this.#planned = true
    }
    return one
  }

  async #exchange(index: number, batch: ReadonlyArray<WaitingCommand>, msMax: number): Promise<RequestOutcome> {
    const sent = await this.#sendRequest(
      index,
      this.#path,
      `{"commands":[${batch.map(({ text }) => text).join(",")}],"requests":${JSON.stringify(batch.map(({ request }) => request))}}`,
      msMax,
    )
    const outcome = typeof sent === "string" ? sent : (readReply(sent.text, commandsOf(batch)) ?? "lost")
    this.#suspectUntilMs[index] = outcome === "lost" ? performance.now() + SUSPECT_MS : 0
    return outcome
  }

  #settle(one: WaitingCommand, outcome: Outcome): void {
    const meaning = one.uncertain && Result.isFailure(outcome) ? meaningOf(one.command, outcome.failure) : "stands"
    one.complete(meaning === "stands" ? outcome : Result.fail(unavailable("unknown")))
  }

  /** Completes commands with the outcomes of a request; returns those to send to the next process. */
  #completeDecided(batch: ReadonlyArray<WaitingCommand>, sent: RequestOutcome): ReadonlyArray<WaitingCommand> {
    if (typeof sent === "string" && sent !== "lost") return batch
    return batch.filter((one, index) => {
      const outcome: Outcome | undefined = typeof sent === "string" ? undefined : sent[index]
      if (outcome !== undefined && isUndecided(outcome)) return true
      if (outcome !== undefined && !isUnknown(outcome)) {
        this.#settle(one, outcome)
        return false
      }
      one.uncertain = true
      if (mayResend(one.command)) return true
      one.complete(Result.fail(unavailable("unknown")))
      return false
    })
  }

  async #send(batch: ReadonlyArray<WaitingCommand>): Promise<void> {
    const deadline = performance.now() + this.#totalMsMax
    const first = this.#active
    let rest = batch
    let last: RequestOutcome = "unreachable"
    // Each process once, then the first one again: a lost connection does not mean that its process is gone.
    for (let tried = 0; tried <= this.#processes && rest.length > 0; tried++) {
      const index = (first + tried) % this.#processes
      const left = deadline - performance.now()
      const suspect = (this.#suspectUntilMs[index] ?? 0) > performance.now()
      if (left <= 0) break
      last = await this.#exchange(index, rest, Math.min(left, suspect ? SUSPECT_ATTEMPT_MS_MAX : this.#attemptMsMax))
      if (typeof last === "string") {
        if (this.#active === index) this.#active = (index + 1) % this.#processes
      } else this.#active = index
      rest = this.#completeDecided(rest, last)
    }
    const reason = typeof last !== "string" || last === "standby" ? "standby" : "unreachable"
    for (const one of rest) one.complete(Result.fail(unavailable(one.uncertain ? "unknown" : reason)))
  }

  #pump(): void {
    this.#planned = false
    const now = performance.now()
    while (this.#running < REQUESTS_MAX && this.#waiting.length > 0) {
      const next = firstOf(this.#waiting)
      this.#waiting = this.#waiting.slice(next.length)
      const taken = next.filter(({ abandoned }) => !abandoned)
      const due = taken.filter(({ sinceMs }) => now - sinceMs <= WAIT_MS_MAX)
      for (const one of taken) if (!due.includes(one)) one.complete(Result.fail(unavailable("waited")))
      if (due.length === 0) continue
      this.#running++
      void this.#send(due).finally(() => {
        this.#running--
        this.#pump()
      })
    }
    waitingGauge.set(this.#waiting.length)
  }
}
