import { createHash, timingSafeEqual } from "node:crypto"
import { Effect, Result, type Scope } from "effect"
import type { FastifyInstance } from "fastify"
import { Counter, Gauge } from "prom-client"
import { Agent, request } from "undici"
import { type Answered, type AnswerTo, BillingUnavailable, type LedgerClient } from "../../ledger/client.ts"
import type { Command, Refusal } from "../../ledger/command.ts"
import { mayResend, meaningOf } from "./resend.ts"
import { COMMANDS_MAX, type Outcome, readReply, readRequest, writeReply } from "./wire.ts"

/** Where the process that holds the ledger takes commands, below its admin address. */
export const LEDGER_PATH = "/internal/ledger"

/** A transaction of ten thousand transfers fits. */
const BODY_BYTES_MAX = 4 * 1024 * 1024
/** Commands are put together up to this. */
const REQUEST_CHARACTERS_MAX = 1024 * 1024
/** So many commands' accounts, each told with all the purchases that one is told with. */
const REPLY_BYTES_MAX = 32 * 1024 * 1024
const CONNECT_TIMEOUT_MS = 1_000
/** Longer than the writer lets a command wait, and appends what follows from it on a good day. */
const ATTEMPT_MS_MAX = 6_000
/** How long a reply may take until it is asked, again and again, whether the process is alive at all, in milliseconds. */
const DOUBT_MS = 1_000
const ALIVE_MS_MAX = 1_000
const ALIVE_PATH = "/livez"
/** What a process that has just let a request time out is given, in milliseconds: it may have been stopped. */
const SUSPECT_ATTEMPT_MS_MAX = 1_000
const SUSPECT_MS = 5_000
/** All attempts of a command together, in milliseconds: an answer of the API is due within 30 s. */
const TOTAL_MS_MAX = 12_000
/** How long a command waits to be sent, in milliseconds. */
const WAIT_MS_MAX = 5_000
const COMMANDS_WAITING_MAX = 10_000
/** Requests at a time: what comes meanwhile goes with the next one, as the writer's appends do. */
const REQUESTS_MAX = 8
const RETRY_SECONDS = 2
const NOT_THE_WRITER = 421

const attempts = new Counter({
  name: "tidewire_ledger_client_requests_total",
  help: "Requests to processes that may hold the ledger, by what came of them: answered, standby, unreachable, refused (wrong secret or form), or lost (the reply did not come)",
  labelNames: ["outcome"],
})
const waitingGauge = new Gauge({
  name: "tidewire_ledger_client_queue_commands",
  help: "Commands that wait to be sent to the process that holds the ledger",
})

const digest = (text: string): Buffer => createHash("sha256").update(text).digest()

/**
 * Takes commands over HTTP: a Fastify plugin for the admin port of processes that may hold the ledger. One that does not
 * hold it now answers 421. Callers show `secret` as bearer token.
 */
export const ledgerRoutes =
  (holder: { readonly client: LedgerClient; readonly active: () => boolean }, secret: string) =>
  async (app: FastifyInstance): Promise<void> => {
    const expected = digest(`Bearer ${secret}`)
    const outcomeOf = async (command: Command | null): Promise<Outcome> =>
      command === null
        ? Result.fail<Refusal>({ _tag: "invalid_command" })
        : await Effect.runPromise(Effect.result(holder.client.submit(command)))
    app.post(LEDGER_PATH, {
      bodyLimit: BODY_BYTES_MAX,
      // Before the body is read. Digests have one length, and comparing them takes the same time whatever was sent.
      onRequest: async (request, reply) => {
        if (!timingSafeEqual(digest(request.headers.authorization ?? ""), expected)) await reply.code(401).send()
      },
      handler: async (request, reply) => {
        const commands = readRequest(request.body)
        if (commands === null) return reply.code(400).send()
        if (!holder.active()) return reply.code(NOT_THE_WRITER).send()
        return writeReply(await Promise.all(commands.map(outcomeOf)))
      },
    })
  }

/** A command on its way. */
interface Waiting {
  readonly command: Command
  /** The command as it is sent. */
  readonly text: string
  readonly sinceMs: number
  readonly tell: (outcome: Outcome) => void
  /** It was sent, and nobody knows whether it was written. */
  uncertain: boolean
  abandoned: boolean
}

const commandsOf = (batch: ReadonlyArray<Waiting>) => batch.map(({ command }) => command)

/** The first commands that fit into one request; at least one. */
const firstOf = (waiting: ReadonlyArray<Waiting>): ReadonlyArray<Waiting> => {
  let [count, characters] = [0, 0]
  for (const { text } of waiting.slice(0, COMMANDS_MAX)) {
    characters += text.length
    if (count > 0 && characters > REQUEST_CHARACTERS_MAX) break
    count++
  }
  return waiting.slice(0, count)
}

/** What one request came to. `refused`, `standby` and `unreachable`: nothing was decided. `lost`: nobody knows. */
type Said = ReadonlyArray<Outcome> | "standby" | "refused" | "unreachable" | "lost"

const boundedText = async (body: AsyncIterable<Buffer>): Promise<string> => {
  const chunks: Array<Buffer> = []
  let length = 0
  for await (const chunk of body) {
    length += chunk.length
    if (length > REPLY_BYTES_MAX) throw new Error("the reply is larger than any answer")
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

/** Nothing was sent where no connection was made. */
const NOT_SENT: ReadonlySet<unknown> = new Set([
  "ECONNREFUSED",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EAI_AGAIN",
  "UND_ERR_CONNECT_TIMEOUT",
])
const wasNotSent = (error: unknown): boolean =>
  typeof error === "object" && error !== null && "code" in error && NOT_SENT.has(error.code)

const unavailable = (reason: BillingUnavailable["reason"]) =>
  new BillingUnavailable({ reason, retryAfterSeconds: RETRY_SECONDS })

/** Nothing was decided there: another process may be asked. */
const isNowhere = (outcome: Outcome): boolean =>
  Result.isFailure(outcome) &&
  outcome.failure._tag === "billing_unavailable" &&
  (outcome.failure.reason === "standby" || outcome.failure.reason === "stopped")
const isUnknown = (outcome: Outcome): boolean =>
  Result.isFailure(outcome) && outcome.failure._tag === "billing_unavailable" && outcome.failure.reason === "unknown"

/** What the client needs, and limits that tests set. */
export interface HttpLedgerOptions {
  /** Admin addresses of all processes that may hold the ledger. */
  readonly urls: ReadonlyArray<string>
  readonly secret: string
  readonly attemptMsMax?: number
  readonly totalMsMax?: number
  readonly commandsWaitingMax?: number
}

/**
 * The ledger over HTTP. The process that answered last is asked first, the next one when it does not hold the ledger or
 * cannot be reached. Where a request was sent and no reply came, `resend.ts` says whether the command is sent again and
 * what its caller is told; where nothing can be said it is `billing_unavailable` with the reason `unknown`. Commands that
 * come together travel together. Connections live as long as the scope.
 */
export const makeHttpLedger = (options: HttpLedgerOptions): Effect.Effect<LedgerClient, never, Scope.Scope> =>
  Effect.gen(function* () {
    const {
      urls,
      secret,
      attemptMsMax = ATTEMPT_MS_MAX,
      totalMsMax = TOTAL_MS_MAX,
      commandsWaitingMax = COMMANDS_WAITING_MAX,
    } = options
    const context = yield* Effect.context<never>()
    const agent = yield* Effect.acquireRelease(
      Effect.sync(
        () => new Agent({ connections: 2 * REQUESTS_MAX, pipelining: 1, connectTimeout: CONNECT_TIMEOUT_MS }),
      ),
      (one) => Effect.promise(() => one.destroy()),
    )
    let waiting: Array<Waiting> = []
    let running = 0
    let planned = false
    let active = 0
    const suspectUntilMs = urls.map(() => 0)
    const refusing = new Set<number>()

    /** Whether a process answers anything: one that was stopped keeps its connections, and says nothing. */
    const isAlive = async (index: number): Promise<boolean> => {
      try {
        const signal = AbortSignal.timeout(ALIVE_MS_MAX)
        const { body } = await request(new URL(ALIVE_PATH, urls[index]), { dispatcher: agent, signal })
        await body.dump()
        return true
      } catch {
        return false
      }
    }

    const ask = async (index: number, batch: ReadonlyArray<Waiting>, msMax: number): Promise<Said> => {
      const abort = new AbortController()
      const deadline = setTimeout(() => abort.abort(), msMax)
      const doubt = setInterval(async () => {
        if (!(await isAlive(index))) abort.abort()
      }, DOUBT_MS)
      try {
        const { statusCode, body } = await request(new URL(LEDGER_PATH, urls[index]), {
          method: "POST",
          dispatcher: agent,
          signal: abort.signal,
          headers: { "content-type": "application/json", authorization: `Bearer ${secret}` },
          body: `{"commands":[${batch.map(({ text }) => text).join(",")}]}`,
        })
        const text = await boundedText(body)
        if (statusCode === NOT_THE_WRITER) return "standby"
        if (statusCode >= 400 && statusCode < 500) return "refused"
        return (statusCode === 200 ? readReply(text, commandsOf(batch)) : null) ?? "lost"
      } catch (error) {
        return wasNotSent(error) ? "unreachable" : "lost"
      } finally {
        clearTimeout(deadline)
        clearInterval(doubt)
      }
    }

    /** Notes what an attempt says about the process that was asked. */
    const note = (index: number, said: Said): void => {
      attempts.inc({ outcome: typeof said === "string" ? said : "answered" })
      suspectUntilMs[index] = said === "lost" ? performance.now() + SUSPECT_MS : 0
      if (said === "refused" && !refusing.has(index)) {
        const warning = Effect.logWarning("a ledger process refuses requests: is INTERNAL_SECRET the same everywhere?")
        Effect.runForkWith(context)(warning.pipe(Effect.annotateLogs({ ledger: index })))
      }
      if (said === "refused") refusing.add(index)
      else refusing.delete(index)
    }

    const settle = (one: Waiting, outcome: Outcome): void => {
      const meaning = one.uncertain && Result.isFailure(outcome) ? meaningOf(one.command, outcome.failure) : "stands"
      // Nobody waits for this one's outcome: if it is lost as well, the writer gives the debit back in time.
      if (meaning === "release" && one.command._tag === "debit")
        push({ _tag: "refund", debit: one.command.debit, operator: null }, () => undefined)
      one.tell(meaning === "stands" ? outcome : Result.fail(unavailable("unknown")))
    }

    /** Settles what can be settled with what was said; gives back what is to be asked of the next process. */
    const sort = (batch: ReadonlyArray<Waiting>, said: Said): ReadonlyArray<Waiting> => {
      if (typeof said === "string" && said !== "lost") return batch
      return batch.filter((one, index) => {
        const outcome: Outcome | undefined = typeof said === "string" ? undefined : said[index]
        if (outcome !== undefined && isNowhere(outcome)) return true
        if (outcome !== undefined && !isUnknown(outcome)) {
          settle(one, outcome)
          return false
        }
        one.uncertain = true
        if (mayResend(one.command)) return true
        one.tell(Result.fail(unavailable("unknown")))
        return false
      })
    }

    const send = async (batch: ReadonlyArray<Waiting>): Promise<void> => {
      const deadline = performance.now() + totalMsMax
      const first = active
      let rest = batch
      let last: Said = "unreachable"
      // Once all around, and the first again: a lost connection says nothing of the process behind it.
      for (let tried = 0; tried <= urls.length && rest.length > 0; tried++) {
        const index = (first + tried) % urls.length
        const left = deadline - performance.now()
        const suspect = (suspectUntilMs[index] ?? 0) > performance.now()
        if (left <= 0) break
        last = await ask(index, rest, Math.min(left, suspect ? SUSPECT_ATTEMPT_MS_MAX : attemptMsMax))
        note(index, last)
        if (typeof last === "string") {
          if (active === index) active = (index + 1) % urls.length
        } else active = index
        rest = sort(rest, last)
      }
      const reason = typeof last !== "string" || last === "standby" ? "standby" : "unreachable"
      for (const one of rest) one.tell(Result.fail(unavailable(one.uncertain ? "unknown" : reason)))
    }

    const pump = (): void => {
      planned = false
      const now = performance.now()
      while (running < REQUESTS_MAX && waiting.length > 0) {
        const next = firstOf(waiting)
        waiting = waiting.slice(next.length)
        const taken = next.filter(({ abandoned }) => !abandoned)
        const due = taken.filter(({ sinceMs }) => now - sinceMs <= WAIT_MS_MAX)
        for (const one of taken) if (!due.includes(one)) one.tell(Result.fail(unavailable("waited")))
        if (due.length === 0) continue
        running++
        void send(due).finally(() => {
          running--
          pump()
        })
      }
      waitingGauge.set(waiting.length)
    }

    const push = (command: Command, tell: Waiting["tell"]): Waiting => {
      const text = JSON.stringify(command)
      const one: Waiting = { command, text, sinceMs: performance.now(), tell, uncertain: false, abandoned: false }
      if (urls.length === 0) tell(Result.fail(unavailable("unreachable")))
      else if (waiting.length >= commandsWaitingMax) tell(Result.fail(unavailable("overloaded")))
      else {
        waiting.push(one)
        // A moment later, so that those who come together are sent together.
        if (!planned) setImmediate(pump)
        planned = true
      }
      return one
    }

    const submit: LedgerClient["submit"] = <C extends Command>(command: C) =>
      Effect.callback<Answered<AnswerTo<C>>, Refusal | BillingUnavailable>((resume) => {
        const one = push(command, (outcome) =>
          // The reply was decoded as what this command is answered.
          resume(Effect.fromResult(outcome as Result.Result<Answered<AnswerTo<C>>, Refusal | BillingUnavailable>)),
        )
        return Effect.sync(() => {
          one.abandoned = true
        })
      })
    return { submit }
  })
