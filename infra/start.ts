import { parseArgs } from "node:util"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import type pino from "pino"
import { DONE, FAILED, WRONG_USAGE } from "./commands/arguments.ts"
import { type Role, roles, settingTable } from "./config/setting-table.ts"
import { describeSettings, isWrongSetting, loadSettings, type Settings } from "./config/settings.ts"
import { loadPipelineWorker } from "./roles/pipeline-worker.ts"
import type { ProcessTime } from "./roles/process-time.ts"
import { messageOf } from "./system/error.ts"
import { effectLogger, logConsole, makeLogger, processInstance } from "./telemetry/logger.ts"

/** The longest orderly shutdown of a process. */
const SHUTDOWN_MAX_MS = 4_500

const usageOf = (role: Role): string => `Tidewire: the world's public feeds on one log, served as prepared views.

  npm start                              every role in one process, on the embedded engines
  npm start -- --role=ROLE               one of ingest, process, ledger, api, on KAFKA_BROKERS and CLICKHOUSE_URL

  npm start -- --role=ROLE --help        the settings that this role reads

Settings${role === "all" ? "" : ` of the role ${role}`}, from the environment:
${describeSettings(role)}
`

/** Ends the process with the exit code of wrong usage. */
const refuse = (problems: ReadonlyArray<string>): never => {
  process.stderr.write(`${problems.join("\n")}\nSee npm start -- --help\n`)
  process.exit(WRONG_USAGE)
}

const isRole = (text: string): text is Role => (roles as ReadonlyArray<string>).includes(text)

const chooseRole = (): Role => {
  try {
    const { role, help } = parseArgs({
      options: { role: { type: "string", default: "all" }, help: { type: "boolean", default: false } },
    }).values
    if (!isRole(role)) return refuse([`--role: must be one of ${roles.join(", ")}`])
    if (help) {
      process.stdout.write(usageOf(role))
      process.exit(DONE)
    }
    return role
  } catch (cause) {
    return refuse([messageOf(cause)])
  }
}

/** The settings that a process of one role requires: the embedded engines serve one process only. */
const needsOf = (
  role: Exclude<Role, "all">,
  { demandUrls, history, internalPort, ledgerUrls }: Settings,
): ReadonlyArray<keyof typeof settingTable> => {
  switch (role) {
    case "ingest":
      return ["kafkaBrokers", "demandSecret"]
    case "process":
      return ["kafkaBrokers", ...(history === "off" ? [] : ["clickhouseUrl" as const])]
    case "ledger":
      return ["kafkaBrokers", "ledgerApiSecret", "ledgerOperatorSecret"]
    case "api":
      return [
        "kafkaBrokers",
        ...(demandUrls === null ? [] : ["demandSecret" as const]),
        ...(ledgerUrls === null ? [] : ["ledgerApiSecret" as const]),
        ...(internalPort === null ? [] : ["ledgerUrls" as const]),
      ]
  }
}

/** Tests whether two edges have a secret in common: a client of one could then use the other. */
const sharedSecretIn = ({ demandSecret, ledgerApiSecret, ledgerOperatorSecret, sisterSecret }: Settings): boolean => {
  const edges = [demandSecret, ledgerApiSecret, ledgerOperatorSecret, sisterSecret]
  const all = edges.flatMap((secrets) => [...new Set(secrets)])
  return new Set(all).size < all.length
}

const chooseSettings = (role: Role): Settings => {
  const loaded = loadSettings(process.env)
  if (Result.isFailure(loaded)) return refuse(loaded.failure.map(({ message }) => message))
  if (sharedSecretIn(loaded.success))
    return refuse(["DEMAND_SECRET, LEDGER_API_SECRET, LEDGER_OPERATOR_SECRET and SISTER_SECRET must not be the same"])
  const missing = role === "all" ? [] : needsOf(role, loaded.success).filter((key) => loaded.success[key] === null)
  return missing.length === 0
    ? loaded.success
    : refuse(missing.map((key) => `${settingTable[key].name}: --role=${role} requires it`))
}

/**
 * Refuses wrong names of `ENDPOINTS_OFF`, and logs what is off. The contract is loaded for it, which every role but the
 * ledger loads anyway; the ledger has no endpoints.
 */
const checkOffering = async (role: Role, { endpointsOff }: Settings, logger: pino.Logger): Promise<void> => {
  if (endpointsOff === null || role === "ledger") return
  const { notOfferedText, offeringWithout } = await import("./roles/offering.ts")
  const offering = offeringWithout(endpointsOff)
  if (Result.isFailure(offering))
    refuse(offering.failure.map((problem) => `${settingTable.endpointsOff.name}: ${problem}`))
  else logger.info(notOfferedText(offering.success))
}

/** Refuses names of sources in settings that are none: their files are listed, as most processes need no code of them. */
const checkSources = async (role: Role, settings: Settings): Promise<void> => {
  if (role === "ledger") return
  if ([settings.restrictedSources, settings.resaleSources, settings.sourcesOff].every((names) => names === null)) return
  const { sourceNames, wrongSourceNames } = await import("./roles/licensing.ts")
  const wrong = wrongSourceNames(settings, sourceNames())
  if (wrong.length > 0) refuse(wrong)
}

/** Refuses a `KEEP_HISTORY` that names what is not there, or keeps less than the service needs. The tables are loaded for it. */
const checkKeptHistory = async (role: Role, settings: Settings): Promise<void> => {
  if (settings.keepHistory === null || (role !== "all" && role !== "process")) return
  const { keptHistoryOf } = await import("./roles/kept-history.ts")
  const kept = keptHistoryOf(settings)
  if (Result.isFailure(kept)) refuse(kept.failure)
}

/**
 * Starts the role that the arguments name, with the settings of the environment, and ends the process with it. `time`: of all
 * roles in one process, where it is not the machine's.
 */
export const start = async (time: ProcessTime | null = null): Promise<void> => {
  const role = chooseRole()
  const settings = chooseSettings(role)
  const instance = settings.instance ?? processInstance()
  const logger = makeLogger(settings.logLevel, { role, instance })
  logConsole(logger)
  await checkSources(role, settings)
  await checkKeptHistory(role, settings)
  await checkOffering(role, settings, logger)
  const running = Effect.gen(function* () {
    if (role !== "all") {
      const { oneRole } = yield* Effect.promise(() => import("./roles/one-role.ts"))
      return yield* oneRole(role, settings, logger)
    }
    // Both threads load their code at the same time, as loading is a large part of the start.
    const thread = loadPipelineWorker(time?.thread)
    const { allRoles } = yield* Effect.promise(() => import("./roles/all-roles.ts"))
    if (time !== null) yield* Effect.promise(() => time.begins)
    return yield* allRoles(settings, logger, thread, time)
  })
  const fiber = Effect.runFork(Effect.scoped(running).pipe(Effect.provide(effectLogger(logger))))

  let stopping = false
  const stop = (signal: NodeJS.Signals) => {
    if (stopping) return
    stopping = true
    logger.info({ signal }, "stopping")
    setTimeout(() => {
      logger.error("the shutdown did not end in time")
      process.exit(1)
    }, SHUTDOWN_MAX_MS).unref()
    Effect.runFork(Fiber.interrupt(fiber))
  }
  process.on("SIGINT", stop)
  process.on("SIGTERM", stop)

  fiber.addObserver((exit) => {
    if (Exit.isSuccess(exit) || stopping) {
      logger.info("stopped")
      process.exit(0)
    }
    const failure = Exit.findErrorOption(exit)
    if (failure._tag === "Some") process.stderr.write(`${failure.value.message}\n`)
    else logger.fatal({ cause: Cause.pretty(exit.cause) }, "a defect ended the process")
    process.exit(failure._tag === "Some" && isWrongSetting(failure.value) ? WRONG_USAGE : FAILED)
  })
}
