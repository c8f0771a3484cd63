import { Effect, type Scope } from "effect"
import { BillingUnavailable, type LedgerClient } from "../../ledger/client.ts"
import { LEDGER_WRITER } from "../../ledger/session.ts"
import { type LedgerOptions, openLedger } from "../../ledger/writer.ts"
import { type Status, supervise } from "../roles/supervise.ts"

/** The ledger's writer in this process, while it is the one that holds it. */
export interface LedgerHolder {
  /** Asks the ledger of this process; `billing_unavailable` while another process holds it, or none does yet. */
  readonly client: LedgerClient
  /** Whether this process is the writer, as far as it knows: only the log's fence is sure of it. */
  readonly active: () => boolean
  /** Waits for this process's turn, holds the ledger until it is fenced, and waits again. */
  readonly run: Effect.Effect<never>
}

/** What a holder needs. */
export interface HolderOptions extends LedgerOptions {
  readonly status: Status
  /** What runs beside the ledger for as long as this process holds it. */
  readonly beside?: (client: LedgerClient) => Effect.Effect<never, never, Scope.Scope>
}

/** When somebody else may have become the writer, in seconds: asking sooner is in vain. */
const RETRY_SECONDS = 2
const PART = "ledger"
/** How often a holder whom nobody asks proves its claim: one that was fenced while it stood still finds out by it. */
const PROOF_EVERY = "5 seconds"

/** Asks for what changes nothing, but needs the claim. */
const prove = (ledger: LedgerClient): Effect.Effect<never> =>
  ledger
    .submit({ _tag: "refundOrphans" })
    .pipe(Effect.ignore, Effect.andThen(Effect.sleep(PROOF_EVERY)), Effect.forever)

/** Holds the ledger whenever it is this process's turn. Nothing happens before `run` is run. */
export const holdLedger = (options: HolderOptions): LedgerHolder => {
  const { status, beside } = options
  let active: LedgerClient | null = null
  const run = supervise(PART, status, (ready) =>
    Effect.gen(function* () {
      status.set(PART, "waits for its turn")
      yield* options.log.awaitTurn(LEDGER_WRITER)
      status.set(PART, "the log is being folded")
      const ledger = yield* openLedger(options)
      yield* Effect.acquireRelease(
        Effect.sync(() => {
          active = ledger
        }),
        () =>
          Effect.sync(() => {
            active = null
          }),
      )
      yield* ready
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
