import { Effect, Result, type Scope } from "effect"
import { Gauge } from "prom-client"
import { type AnswerTo, BillingUnavailable, type DurableAnswer, type LedgerClient } from "../../ledger/client.ts"
import type { Command } from "../../ledger/command.ts"
import type { Refusal } from "../../ledger/refusal.ts"
import { type EdgeName, edges } from "./edges.ts"
import { mayResend, meaningOf } from "./resend.ts"
import { makeRequestSender, type SendOutcome } from "./send-request.ts"
import { COMMANDS_MAX, type Outcome, readReply } from "./wire.ts"

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
const REQUESTS_MAX = 8
const RETRY_SECONDS = 2

const waitingGauge = new Gauge({
  name: "tidewire_ledger_client_queue_commands",
  help: "Commands that wait to be sent to the process that holds the ledger",
})

/** A command that is queued or in flight. */
interface WaitingCommand {
  readonly command: Command
  /** The command as JSON. */
  readonly text: string
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

/** Dependencies of the client, and limits that tests set. */
export interface HttpLedgerOptions {
  /** Admin addresses of all processes that may hold the ledger. */
  readonly urls: ReadonlyArray<string>
  /** The edge that commands are sent over, and its current secret. */
  readonly edge: EdgeName
  readonly secret: string
  readonly attemptMsMax?: number
  readonly totalMsMax?: number
  readonly commandsWaitingMax?: number
}

/**
 * The ledger over HTTP. Requests go to the process that answered last, and to the next one if it does not hold the ledger
 * or is unreachable. After a lost reply, `resend.ts` decides whether the command is sent again and what its caller gets; an
 * outcome that stays unknown is `billing_unavailable` with the reason `unknown`. Commands that are submitted together share
 * a request. Connections live as long as the scope.
 */
export const makeHttpLedger = (options: HttpLedgerOptions): Effect.Effect<LedgerClient, never, Scope.Scope> =>
  Effect.gen(function* () {
    const {
      urls,
      secret,
      edge,
      attemptMsMax = ATTEMPT_MS_MAX,
      totalMsMax = TOTAL_MS_MAX,
      commandsWaitingMax = COMMANDS_WAITING_MAX,
    } = options
    const sendRequest = yield* makeRequestSender({ urls, edge, secret, connections: 2 * REQUESTS_MAX })
    let waiting: Array<WaitingCommand> = []
    let running = 0
    let planned = false
    let active = 0
    const suspectUntilMs = urls.map(() => 0)

    const exchange = async (
      index: number,
      batch: ReadonlyArray<WaitingCommand>,
      msMax: number,
    ): Promise<RequestOutcome> => {
      const sent = await sendRequest(
        index,
        edges[edge].path,
        `{"commands":[${batch.map(({ text }) => text).join(",")}]}`,
        msMax,
      )
      const outcome = typeof sent === "string" ? sent : (readReply(sent.text, commandsOf(batch)) ?? "lost")
      suspectUntilMs[index] = outcome === "lost" ? performance.now() + SUSPECT_MS : 0
      return outcome
    }

    const settle = (one: WaitingCommand, outcome: Outcome): void => {
      const meaning = one.uncertain && Result.isFailure(outcome) ? meaningOf(one.command, outcome.failure) : "stands"
      // Its outcome is not awaited: if it is lost too, the writer refunds the debit after its deadline.
      if (meaning === "release" && one.command._tag === "debit")
        push({ _tag: "refund", debit: one.command.debit, operator: null }, () => undefined)
      one.complete(meaning === "stands" ? outcome : Result.fail(unavailable("unknown")))
    }

    /** Completes commands with the outcomes of a request; returns those to send to the next process. */
    const completeDecided = (
      batch: ReadonlyArray<WaitingCommand>,
      sent: RequestOutcome,
    ): ReadonlyArray<WaitingCommand> => {
      if (typeof sent === "string" && sent !== "lost") return batch
      return batch.filter((one, index) => {
        const outcome: Outcome | undefined = typeof sent === "string" ? undefined : sent[index]
        if (outcome !== undefined && isUndecided(outcome)) return true
        if (outcome !== undefined && !isUnknown(outcome)) {
          settle(one, outcome)
          return false
        }
        one.uncertain = true
        if (mayResend(one.command)) return true
        one.complete(Result.fail(unavailable("unknown")))
        return false
      })
    }

    const send = async (batch: ReadonlyArray<WaitingCommand>): Promise<void> => {
      const deadline = performance.now() + totalMsMax
      const first = active
      let rest = batch
      let last: RequestOutcome = "unreachable"
      // Each process once, then the first one again: a lost connection does not mean that its process is gone.
      for (let tried = 0; tried <= urls.length && rest.length > 0; tried++) {
        const index = (first + tried) % urls.length
        const left = deadline - performance.now()
        const suspect = (suspectUntilMs[index] ?? 0) > performance.now()
        if (left <= 0) break
        last = await exchange(index, rest, Math.min(left, suspect ? SUSPECT_ATTEMPT_MS_MAX : attemptMsMax))
        if (typeof last === "string") {
          if (active === index) active = (index + 1) % urls.length
        } else active = index
        rest = completeDecided(rest, last)
      }
      const reason = typeof last !== "string" || last === "standby" ? "standby" : "unreachable"
      for (const one of rest) one.complete(Result.fail(unavailable(one.uncertain ? "unknown" : reason)))
    }

    const pump = (): void => {
      planned = false
      const now = performance.now()
      while (running < REQUESTS_MAX && waiting.length > 0) {
        const next = firstOf(waiting)
        waiting = waiting.slice(next.length)
        const taken = next.filter(({ abandoned }) => !abandoned)
        const due = taken.filter(({ sinceMs }) => now - sinceMs <= WAIT_MS_MAX)
        for (const one of taken) if (!due.includes(one)) one.complete(Result.fail(unavailable("waited")))
        if (due.length === 0) continue
        running++
        void send(due).finally(() => {
          running--
          pump()
        })
      }
      waitingGauge.set(waiting.length)
    }

    const push = (command: Command, complete: WaitingCommand["complete"]): WaitingCommand => {
      const text = JSON.stringify(command)
      const one: WaitingCommand = {
        command,
        text,
        sinceMs: performance.now(),
        complete,
        uncertain: false,
        abandoned: false,
      }
      if (urls.length === 0) complete(Result.fail(unavailable("unreachable")))
      else if (waiting.length >= commandsWaitingMax) complete(Result.fail(unavailable("overloaded")))
      else {
        waiting.push(one)
        // After this turn of the event loop, so that commands submitted together share a request.
        if (!planned) setImmediate(pump)
        planned = true
      }
      return one
    }

    const submit: LedgerClient["submit"] = <C extends Command>(command: C) =>
      Effect.callback<DurableAnswer<AnswerTo<C>>, Refusal | BillingUnavailable>((resume) => {
        const one = push(command, (outcome) =>
          // `readReply` decoded the answer by the schema of this command.
          resume(Effect.fromResult(outcome as Result.Result<DurableAnswer<AnswerTo<C>>, Refusal | BillingUnavailable>)),
        )
        return Effect.sync(() => {
          one.abandoned = true
        })
      })
    return { submit }
  })
