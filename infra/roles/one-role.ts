import * as Effect from "effect/Effect"
import type pino from "pino"
import { makePayments } from "../../ledger/client.ts"
import type { EventLog } from "../../schemas/ports/event-log.ts"
import type { History } from "../../schemas/ports/history.ts"
import type { Role } from "../config/setting-table.ts"
import type { Settings } from "../config/settings.ts"
import { demandRoutes, makeHttpObserve } from "../demand/http.ts"
import { makeHttpLedger, makeRemotePayments } from "../ledger/http.ts"
import { ledgerRoutes } from "../ledger/routes.ts"
import { logAccess } from "../log/access.ts"
import { exportStates, makeStatus, type Status } from "../parts/part.ts"
import { collectNodeMetrics, exportProcess, metricsText, ownMetrics, watchLogSizes } from "../telemetry/metrics.ts"
import { reportStarted, startAdmin } from "./admin.ts"
import { chainFactsOf, directoryOf, openChainOf, secretsOf, startLedger } from "./ledger.ts"
import { checkPorts, portsOf } from "./ports.ts"
import { openRoleLog } from "./role-log.ts"
import { historyEngine, startHistory } from "./start-history.ts"

/** What the start of each role receives. */
interface RoleProcess {
  readonly settings: Settings
  readonly logger: pino.Logger
  readonly log: EventLog
  readonly status: Status
  readonly metrics: () => Promise<string>
}

/** The code of an API process, which a process of another role does not load. */
const apiCode = Effect.promise(async () => ({
  ...(await import("./api.ts")),
  ...(await import("./billing.ts")),
  ...(await import("../demand/views.ts")),
  ...(await import("../history/clickhouse.ts")),
}))

/** The billing of an API process. It stores nothing on disk: its keys come from the environment, the same for all processes. */
const remoteBilling = (
  settings: Settings,
  urls: ReadonlyArray<string>,
  { log, history }: { readonly log: EventLog; readonly history: History | null },
) =>
  Effect.gen(function* () {
    const secrets = yield* secretsOf(settings, null)
    const [secret = ""] = settings.ledgerApiSecret ?? []
    const facts = yield* chainFactsOf(settings)
    const ledger = yield* makeHttpLedger({ urls, edge: "api", secret })
    const payments = facts === null ? null : yield* makeRemotePayments({ urls, secret, facts })
    const { openBilling } = yield* apiCode
    return yield* openBilling({ settings, log, ledger, payments, secrets, history })
  })

// The code of a role is loaded where it runs: parsers, folds and routes would take memory in processes that have no use of it.
const startIngest = ({ settings, log, status, metrics }: RoleProcess) =>
  Effect.gen(function* () {
    const { ingestRole } = yield* Effect.promise(() => import("./ingest.ts"))
    const ingest = ingestRole(settings, log, status)
    yield* Effect.forkScoped(ingest.run)
    // A process of a single role locks no data folder, so its secrets must be given.
    const admin = yield* startAdmin(settings, status, metrics, (app) =>
      app.register(demandRoutes(ingest.observe, settings.demandSecret ?? [])),
    )
    yield* reportStarted({ admin })
  })

const startProcess = ({ settings, log, status, metrics }: RoleProcess) =>
  Effect.gen(function* () {
    const { processRole } = yield* Effect.promise(() => import("./process.ts"))
    yield* Effect.forkScoped(watchLogSizes(log))
    const clickhouse = settings.history === "off" ? null : yield* startHistory(settings)
    yield* Effect.forkScoped(yield* processRole(clickhouse, log, status, settings))
    const admin = yield* startAdmin(settings, status, metrics)
    yield* reportStarted({ admin })
  })

const startLedgerRole = ({ settings, log, status, metrics }: RoleProcess) =>
  Effect.gen(function* () {
    const chain = yield* openChainOf(settings)
    const ledger = yield* startLedger({
      ...{ log, status, chain },
      directory: yield* directoryOf(settings),
      stateSecrets: settings.ledgerOperatorSecret,
    })
    const payments = chain === null ? null : makePayments({ ledger: ledger.client, chain })
    const secrets = { api: settings.ledgerApiSecret ?? [], operator: settings.ledgerOperatorSecret ?? [] }
    const admin = yield* startAdmin(settings, status, metrics, (app) =>
      app.register(ledgerRoutes({ holder: ledger, payments, secrets })),
    )
    yield* reportStarted({ admin })
  })

const startApi = ({ settings, logger, log, status, metrics }: RoleProcess) =>
  Effect.gen(function* () {
    const { makeDemand, openClickHouse, prepareApi, startRail, watchLedgers } = yield* apiCode
    const urls = settings.demandUrls ?? []
    const [secret = ""] = settings.demandSecret ?? []
    const demand = urls.length === 0 ? null : makeDemand(yield* makeHttpObserve({ urls, secret }))
    const history =
      settings.clickhouseUrl === null ? null : yield* openClickHouse((yield* historyEngine(settings)).options)
    const billing =
      settings.ledgerUrls === null ? null : yield* remoteBilling(settings, settings.ledgerUrls, { log, history })
    const sources = Effect.promise(async () => {
      const { sourceFactsOf, sources } = await import("../../ingestors/registry.ts")
      return sources.map(sourceFactsOf)
    })
    const api = yield* prepareApi({ settings, log, status, demand, billing, history, logger, sources })
    const url = yield* api.listen
    const rail = billing === null ? {} : yield* startRail(settings, billing, logger)
    if (settings.ledgerUrls !== null) {
      const part = status.part("api", "billing", { optional: () => true })
      yield* Effect.forkScoped(watchLedgers(settings.ledgerUrls, part))
    }
    const admin = yield* startAdmin(settings, status, metrics)
    yield* reportStarted({ api: url, ...rail, admin })
  })

const starts = { ingest: startIngest, process: startProcess, ledger: startLedgerRole, api: startApi } as const

/** Runs one role until interrupted. */
export const oneRole = (role: Exclude<Role, "all">, settings: Settings, logger: pino.Logger) =>
  Effect.gen(function* () {
    collectNodeMetrics({ role })
    // Only the ledger stores something on disk.
    exportProcess(role === "ledger" ? settings.dataDirectory : null)
    yield* checkPorts(portsOf(role, settings))
    const status = makeStatus()
    exportStates(status)
    const { log, failed } = yield* openRoleLog(settings, status, logAccess[role])
    const metrics = async () =>
      metricsText([await ownMetrics(["main", role, ...(role === "api" ? ["ledgerClient" as const] : [])])])
    const started = Effect.gen(function* () {
      yield* starts[role]({ settings, logger, log, status, metrics })
      return yield* Effect.never
    })
    return yield* Effect.raceFirst(started, failed)
  })
