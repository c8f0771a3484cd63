import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { EventLog, LogUnavailable, ReadFailed } from "../../schemas/ports/event-log.ts"
import type { Topic } from "../../schemas/topics.ts"
import type { Settings } from "../config/settings.ts"
import type { LogAccess } from "../log/access.ts"
import { topicsOf } from "../log/access.ts"
import { openWholeLog } from "../log/open.ts"
import type { ImportUnfinished } from "../log/transfer/import-mark.ts"
import type { Status } from "../parts/part.ts"

const OPENING = "opening"

type OpenFailed = LogUnavailable | ReadFailed | ImportUnfinished

/** The log of a process that starts. */
export interface RoleLog {
  /** On Kafka every operation waits until the log is open. */
  readonly log: EventLog
  /** Fails when the log can never be opened: a wrong password, an untrusted certificate, an unfinished import. */
  readonly failed: Effect.Effect<never, OpenFailed>
}

/** A log whose operations wait for another one. */
const deferredLog = (opened: Effect.Effect<EventLog>): EventLog => ({
  claim: (writer, topics) => Effect.flatMap(opened, (log) => log.claim(writer, topics)),
  awaitTurn: (writer, standby) => Effect.flatMap(opened, (log) => log.awaitTurn(writer, standby)),
  read: (topic, from) => Stream.unwrap(Effect.map(opened, (log) => log.read(topic, from))),
  follow: (topic, from) => Stream.unwrap(Effect.map(opened, (log) => log.follow(topic, from))),
  start: (topic) => Effect.flatMap(opened, (log) => log.start(topic)),
  end: (topic) => Effect.flatMap(opened, (log) => log.end(topic)),
  bytes: (topic) => Effect.flatMap(opened, (log) => log.bytes(topic)),
  append: (records) => Effect.flatMap(opened, (log) => log.append(records)),
  risks: Effect.flatMap(opened, (log) => log.risks),
  trim: (topic, before) => Effect.flatMap(opened, (log) => log.trim(topic, before)),
})

/**
 * Opens the log of a role for the scope: the embedded one at once, one on Kafka in the background, so that a process whose
 * brokers are slow or away starts, shows that it waits for them, and goes on by itself. `access`: the topics that the role
 * uses; all when absent.
 */
export const openRoleLog = (
  settings: Settings,
  status: Status,
  access: LogAccess | null = null,
): Effect.Effect<RoleLog, OpenFailed, Scope.Scope> =>
  Effect.gen(function* () {
    if (settings.kafkaBrokers === null) return { log: yield* openWholeLog(settings), failed: Effect.never }
    const context = yield* Effect.context<never>()
    const opened = yield* Deferred.make<EventLog, OpenFailed>()
    let waited = false
    const waiting = (problem: string) => {
      status.hinderAll(OPENING, `kafka: ${problem}`)
      if (waited) return
      waited = true
      Effect.runForkWith(context)(Effect.logWarning(`waiting: kafka: ${problem}`))
    }
    status.hinderAll(OPENING, "kafka: the brokers have not answered yet")
    const open = openWholeLog(settings, { waiting, ...(access === null ? {} : { topics: topicsOf(access) }) }).pipe(
      Effect.tap((log) =>
        Effect.gen(function* () {
          status.hinderAll(OPENING, null)
          if (waited) yield* Effect.logInfo("kafka answers")
          if (access !== null) yield* Effect.forkScoped(watchLog(log, access.watches, status))
          yield* Effect.forkScoped(watchRisks(log, status))
        }),
      ),
    )
    yield* Effect.forkScoped(Effect.flatMap(Effect.exit(open), (exit) => Deferred.done(opened, exit)))
    return {
      // A failure ends the process, so the operations that wait need not fail.
      log: deferredLog(Effect.catch(Deferred.await(opened), () => Effect.never)),
      failed: Effect.andThen(Deferred.await(opened), Effect.never),
    }
  })

const WATCH_EVERY = "1 second"
const ANSWER_MAX = "3 seconds"

/** Reads the end of a topic periodically, and hinders every part of the process while that fails. */
export const watchLog = (log: EventLog, topic: Topic, status: Status): Effect.Effect<never> =>
  log.end(topic).pipe(
    Effect.timeout(ANSWER_MAX),
    Effect.result,
    Effect.map((answer) => status.hinderAll("log", Result.isSuccess(answer) ? null : "the log, which does not answer")),
    Effect.andThen(Effect.sleep(WATCH_EVERY)),
    Effect.forever,
  )

const RISKS_EVERY = "30 seconds"

/** Reads periodically which topics may lose acknowledged records, warns of them in the readiness, and logs each once. */
const watchRisks = (log: EventLog, status: Status): Effect.Effect<never> =>
  Effect.suspend(() => {
    let logged = new Set<string>()
    return log.risks.pipe(
      Effect.flatMap((risks) => {
        const warnings = [...risks.values()]
        status.warn("replicas", warnings)
        const fresh = warnings.filter((warning) => !logged.has(warning))
        logged = new Set(warnings)
        return Effect.forEach(fresh, (warning) => Effect.logWarning(warning), { discard: true })
      }),
      // Brokers that are away show in the states of the parts.
      Effect.ignore,
      Effect.andThen(Effect.sleep(RISKS_EVERY)),
      Effect.forever,
    )
  })
