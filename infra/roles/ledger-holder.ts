import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Scope from "effect/Scope"
import { BillingUnavailable, type LedgerClient } from "../../ledger/client.ts"
import { LEDGER_WRITER, type LedgerOptions } from "../../ledger/write/session.ts"
import { openLedger } from "../../ledger/write/writer.ts"
import type { EventLog, LogUnavailable } from "../../schemas/ports/event-log.ts"
import type { PartStatus, Status } from "../parts/part.ts"
import { supervise } from "../parts/part.ts"
import { foldingLog, reportingLog } from "../parts/part-log.ts"

/** The ledger's writer in this process, while it is the one that holds it. */
export interface LedgerHolder {
  /** Submits to the ledger of this process; `billing_unavailable` (`standby`) while this process does not hold it. */
  readonly client: LedgerClient
  /** Whether this process believes that it is the writer; only the fence of the log is authoritative. */
  readonly active: () => boolean
  /** Waits for this process's turn, holds the ledger until it is fenced, and waits again. */
  readonly run: Effect.Effect<never>
}

/** Dependencies of a holder. */
export interface HolderOptions extends LedgerOptions {
  readonly status: Status
  /**
   * Whether only this process serves calls on this log, as it holds the lock of its folder: then the calls that are open when
   * it first opens the ledger belong to a process that is gone, and are refunded at once.
   */
  readonly servesAlone?: boolean
  /** Runs while this process holds the ledger. */
  readonly beside?: (client: LedgerClient) => Effect.Effect<never, never, Scope.Scope>
}

/** Retry-After while this process does not hold the ledger: a failover takes this long. */
const RETRY_SECONDS = 2
/** Reasons that mean that the ledger cannot write: the role is reported as hindered until a call succeeds. */
const CANNOT_WRITE: ReadonlySet<string> = new Set(["log", "unknown", "waited"])
/** How often an idle holder proves its claim: so one that was fenced while suspended notices. */
const PROOF_EVERY = "5 seconds"

/** How often a log that may lose payments is looked at again. */
const RISKS_EVERY = "5 seconds"

/** Submits a command that needs the claim and usually writes nothing. */
const prove = (ledger: LedgerClient): Effect.Effect<never> =>
  ledger
    .submit({ _tag: "refundOrphans" })
    .pipe(Effect.ignore, Effect.andThen(Effect.sleep(PROOF_EVERY)), Effect.forever)

/** Refunds the calls of the process that held the log before. */
const refundDeadCalls = (ledger: LedgerClient): Effect.Effect<void> =>
  ledger.submit({ _tag: "refundOrphans", callsAreDead: true }).pipe(
    Effect.repeat({ while: ({ answer }) => answer.refunded > 0 }),
    // Those that are left are refunded when they are overdue.
    Effect.ignore,
  )

/** Waits while one lost broker may lose an acknowledged payment: nothing is sold on such a log, and standing by proves nothing. */
const untilDurable = (log: EventLog, part: PartStatus): Effect.Effect<void, LogUnavailable> => {
  let logged = false
  const look: Effect.Effect<void, LogUnavailable> = Effect.flatMap(log.risks, (risks) => {
    const risk = risks.get("ledger")
    if (risk === undefined)
      return logged ? Effect.logInfo("the ledger's topic is replicated: it may be held") : Effect.void
    const reason = `nothing is sold: ${risk}`
    part.set({ state: "waiting", reason })
    const say = logged ? Effect.void : Effect.logError(reason)
    logged = true
    return say.pipe(Effect.andThen(Effect.sleep(RISKS_EVERY)), Effect.andThen(look))
  })
  return look
}

/** Makes a holder, which holds the ledger whenever it is this process's turn. Nothing happens before `run` is run. */
export const holdLedger = (options: HolderOptions): LedgerHolder => {
  const { status, beside } = options
  const part = status.part("ledger", "writer")
  const log = reportingLog(options.log, part)
  let active: LedgerClient | null = null
  let deadCalls = options.servesAlone === true
  /** Reports the outcome of calls as the status of the part: hindered from a refusal until the next answer. */
  const reporting = (ledger: LedgerClient): LedgerClient => ({
    submit: (command) =>
      ledger.submit(command).pipe(
        Effect.onExit((exit) =>
          Effect.sync(() => {
            const failure = Exit.findErrorOption(exit)
            if (failure._tag === "None" || failure.value._tag !== "billing_unavailable") part.hinder("calls", null)
            else if (CANNOT_WRITE.has(failure.value.reason))
              part.hinder("calls", `the log: calls are refused (${failure.value.reason})`)
          }),
        ),
      ),
  })
  const run = supervise("ledger", part, (ready) =>
    Effect.gen(function* () {
      part.hinder("calls", null)
      yield* untilDurable(log, part)
      yield* log.awaitTurn(LEDGER_WRITER)
      part.set({ state: "starting", reason: "the log is being folded" })
      const folding = foldingLog(log, part, "ledger")
      const ledger = yield* openLedger({ ...options, log: folding.log }).pipe(
        Effect.tapErrorTag("LogCut", (cut) => Effect.logError(cut.message)),
        Effect.map((opened) => ({ ...opened, ...reporting(opened) })),
      )
      if (deadCalls) yield* refundDeadCalls(ledger)
      deadCalls = false
      yield* Effect.acquireRelease(
        Effect.sync(() => {
          active = ledger
        }),
        () =>
          Effect.sync(() => {
            active = null
          }),
      )
      yield* folding.readyThen(ready)
      yield* Effect.logInfo("the ledger is held by this process")
      const companions = [prove(ledger), ...(beside === undefined ? [] : [beside(ledger)])]
      return yield* Effect.raceFirst(ledger.stopped, Effect.all(companions, { concurrency: "unbounded" }))
    }),
  ).pipe(
    Effect.ensuring(
      Effect.sync(() => {
        active = null
      }),
    ),
  )
  const client: LedgerClient = {
    submit: (command) =>
      Effect.suspend(() =>
        active === null
          ? Effect.fail(new BillingUnavailable({ reason: "standby", retryAfterSeconds: RETRY_SECONDS }))
          : active.submit(command),
      ),
  }
  return { client, active: () => active !== null, run }
}
