import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import { BillingUnavailable, type LedgerClient } from "../../ledger/client.ts"
import { LEDGER_WRITER, type LedgerStopped } from "../../ledger/write/session.ts"
import { openLedger } from "../../ledger/write/writer.ts"
import type { LogUnavailable, ReadFailed } from "../../schemas/ports/event-log.ts"
import { localUrl } from "../config/address.ts"
import type { Settings } from "../config/settings.ts"
import { openWholeLog } from "../log/open.ts"
import type { ImportUnfinished } from "../log/transfer/import-mark.ts"
import { openLmdbState, STATE_FOLDER } from "../state/lmdb-state.ts"
import { type DirectoryUnusable, holdDirectory } from "../system/data-directory.ts"
import { makeHttpLedger } from "./http.ts"

/** File of the operators' secret of a service in one process, below `DATA_DIR/secrets`. */
export const OPERATOR_SECRET_FILE = "ledger-operator"

/** These settings lead to no ledger. */
class LedgerNotFound extends Schema.TaggedError<LedgerNotFound>()("LedgerNotFound", { problem: Schema.String }) {
  override get message() {
    return this.problem
  }
}

/** A dead process keeps its turn at most this long; a living one keeps it. */
const TURN_MAX = "15 seconds"

const secretOf = ({ ledgerOperatorSecret, dataDirectory }: Settings): Effect.Effect<string, LedgerNotFound> =>
  ledgerOperatorSecret !== null
    ? Effect.succeed(ledgerOperatorSecret[0] ?? "")
    : Effect.try({
        try: () => readFileSync(join(dataDirectory, "secrets", OPERATOR_SECRET_FILE), "utf8").trim(),
        catch: () =>
          new LedgerNotFound({ problem: "LEDGER_OPERATOR_SECRET is needed: the one of the running service" }),
      })

const overHttp = (settings: Settings): Effect.Effect<LedgerClient, LedgerNotFound, Scope.Scope> =>
  Effect.flatMap(secretOf(settings), (secret) =>
    makeHttpLedger({
      urls: settings.ledgerUrls ?? [localUrl(settings.adminHost, settings.adminPort)],
      edge: "operator",
      secret,
    }),
  )

/** Why the log cannot be claimed for a command. */
type Unclaimed = LedgerNotFound | LedgerStopped | LogUnavailable | ReadFailed | ImportUnfinished

/** `held`: this process holds DATA_DIR, so the cached state is used, and a log that lacks its entries is refused. */
const claimed = (
  settings: Settings,
  { held }: { readonly held: boolean },
): Effect.Effect<LedgerClient, Unclaimed, Scope.Scope> =>
  Effect.gen(function* () {
    const log = yield* openWholeLog(settings)
    yield* Effect.timeoutOrElse(log.awaitTurn(LEDGER_WRITER), {
      duration: TURN_MAX,
      orElse: () =>
        Effect.fail(new LedgerNotFound({ problem: "another process holds the ledger: name it in LEDGER_URLS" })),
    })
    const path = join(settings.dataDirectory, STATE_FOLDER)
    const state =
      held && existsSync(path)
        ? yield* openLmdbState({ path, secrets: settings.ledgerOperatorSecret ?? [] })
        : undefined
    return yield* openLedger({ log, state })
  })

/**
 * Reaches the ledger from a command line: through the admin port of a running service or, if none runs, by claiming the log
 * for the scope. A data folder that another process holds is never touched.
 */
export const reachLedger = (
  settings: Settings,
): Effect.Effect<LedgerClient, Unclaimed | DirectoryUnusable, Scope.Scope> =>
  Effect.gen(function* () {
    if (settings.kafkaBrokers === null) {
      const directory = join(settings.dataDirectory, "log")
      // A misspelt folder must not become a second ledger.
      if (!existsSync(directory)) return yield* new LedgerNotFound({ problem: `${directory} does not exist` })
      const held = yield* Effect.result(holdDirectory(settings.dataDirectory))
      if (Result.isSuccess(held)) return yield* claimed(settings, { held: true })
      return held.failure._tag === "DirectoryHeld" ? yield* overHttp(settings) : yield* held.failure
    }
    const http = yield* overHttp(settings)
    const own = yield* Effect.cached(claimed(settings, { held: false }))
    const scope = yield* Effect.scope
    return {
      submit: (command) =>
        http.submit(command).pipe(
          Effect.catchIf(
            (failure) => failure._tag === "billing_unavailable" && failure.reason === "unreachable",
            () =>
              own.pipe(
                Effect.provideService(Scope.Scope, scope),
                Effect.tapError((error) => Effect.logError(error.message)),
                Effect.mapError(() => new BillingUnavailable({ reason: "unreachable", retryAfterSeconds: 10 })),
                Effect.flatMap((ledger) => ledger.submit(command)),
              ),
          ),
        ),
    }
  })
