import { createHash } from "node:crypto"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as References from "effect/References"
import * as Scope from "effect/Scope"
import fc from "fast-check"
import { Registry } from "prom-client"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Traffic } from "../../api/http/traffic.ts"
import type { PastSource } from "../../api/past/known-view.ts"
import { buildApi, closeApi } from "../../api/server.ts"
import { followViews } from "../../api/views/follower.ts"
import { ViewStore } from "../../api/views/store.ts"
import { openClickHouse } from "../../infra/history/clickhouse.ts"
import { openLog } from "../../infra/log/open.ts"
import { startHistory } from "../../infra/roles/start-history.ts"
import { makePlan } from "../../ingestors/poll/plan.ts"
import { sources } from "../../ingestors/registry.ts"
import { runHistory } from "../../processors/history/consumer.ts"
import { readStates } from "../../processors/history/state.ts"
import { archiveTargets, targetsOf } from "../../processors/history/targets.ts"
import { pastViews } from "../../processors/past/past-views.ts"
import { pastProcessors } from "../../processors/past/processors.ts"
import { loadProcessors, tables } from "../../processors/registry.ts"
import * as metrics from "../../processors/run/metrics.ts"
import { runProcessor } from "../../processors/run/runner.ts"
import { hasPast } from "../../schemas/contract/past.ts"
import { encodeEvent, instant, makeEvent } from "../../schemas/event.ts"
import { clockTicked, feedsDeclared } from "../../schemas/events/observations.ts"
import type { EventLog, LogRecord } from "../../schemas/ports/event-log.ts"
import type { History } from "../../schemas/ports/history.ts"
import { endpoints } from "../../schemas/registry.ts"
import { runCommand } from "../support/command.ts"
import {
  type ClickHouseServer,
  dockerMissing,
  type KafkaBroker,
  startClickHouse,
  startKafka,
} from "../support/docker.ts"
import { eventually } from "../support/eventually.ts"
import { settingsOf } from "../support/everything-kept.ts"
import { freePort, removeDirectory, temporaryDirectory } from "../support/service.ts"
import { freeReplies } from "../support/some-feed.ts"
import { makeVirtualPolls, type StoppedClock } from "../support/virtual-polls.ts"
import { makeWorldHttp } from "../support/world-http.ts"
import { worldKeys } from "../world/keys.ts"

// A simulated day: every feed is polled each hour of it, the folds run on a real log, an API serves what they make, and a
// thousand replies are recorded at random instants. Whatever happens to the service afterwards, it answers the same when it is
// asked for these instants. The whole day is part of `npm run soak`; otherwise its first hours are taken.

const BEGIN_MS = Date.parse("2026-11-20T00:00:00.000Z")
const STEP_MS = 60 * 60_000
const STEPS = Number(process.env.ROUNDS ?? 3)
const REPLIES_A_STEP = 42
/** Replies that are asked for at a time. */
const CALLERS = 8
/** After the last step: every fold has settled the whole day. */
const AFTER_MS = BEGIN_MS + STEPS * STEP_MS + 10 * 60_000

interface Recorded {
  readonly path: string
  readonly at: string
  readonly data: unknown
}

/** A reply without the members that are no data: when it was made, and the instant that it is of. */
const dataOf = (body: string): unknown => {
  const { _meta, updated_at, generated_at, ...data } = JSON.parse(body)
  return data
}

const offered = freeReplies.filter(({ endpoint }) => hasPast(endpoint))
const versions = tables.filter(({ name }) => name === "view_versions")
const silent = Effect.provideService(References.MinimumLogLevel, "None")

/** An API over views that are followed, or over the past alone. */
const openApi = async (store: ViewStore, past: PastSource | null, nowMs: () => number) => {
  const app = await buildApi({
    endpoints,
    store,
    past,
    nowMs,
    demand: null,
    billing: null,
    traffic: new Traffic(),
    registry: new Registry(),
    version: "1.2.3",
    startedAtMs: BEGIN_MS,
    limits: { requestsPerDay: 10_000_000, pastRepliesPerMinute: 1_000_000, selectionsPerMinute: 1_000_000 },
    trustedProxies: [],
    baseUrl: null,
    attribution: new Map(),
    logger: { error: (fields) => process.stderr.write(`${JSON.stringify(fields)}\n`) },
  })
  const address = await app.listen({ host: "127.0.0.1", port: 0 })
  return { get: (path: string) => fetch(`${address}${path}`), close: () => closeApi(app, 1_000) }
}

/** Runs the folds and the API over a log for a day, and records replies. */
const runDay = (log: EventLog): Promise<ReadonlyArray<Recorded>> =>
  Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const clock: StoppedClock = { nowMs: BEGIN_MS }
        const http = makeWorldHttp({ seed: "a-day", nowMs: () => clock.nowMs })
        const polls = makeVirtualPolls(http, clock)
        const keys = worldKeys(false)
        const plan = makePlan(sources, (setting) => keys[setting] ?? null, null)
        const writer = yield* log.claim("ingest", ["observations", "quarantine", "checkpoints"])
        const processors = (yield* Effect.promise(loadProcessors)).filter(({ topic }) => topic === "observations")
        for (const processor of processors) yield* Effect.forkScoped(runProcessor({ log, processor }))
        const store = new ViewStore({ endpoints, nowMs: () => clock.nowMs })
        const following = followViews(log, store, () => clock.nowMs, {
          caughtUp: Effect.void,
          halted: (reason) => Effect.die(reason),
          stopped: () => Effect.void,
        })
        yield* Effect.forkScoped(following)
        const api = yield* Effect.promise(() => openApi(store, null, () => clock.nowMs))
        const own = (type: typeof clockTicked | typeof feedsDeclared, data: never) => ({
          topic: "observations" as const,
          key: type.type,
          value: encodeEvent(
            makeEvent(type as typeof clockTicked, {
              id: `${type.type} ${clock.nowMs}`,
              source: "test",
              subject: "test",
              time: instant(clock.nowMs),
              data,
            }),
          ),
        })
        /** All folds have folded the log, and the API has what they wrote. */
        const settled = async () => {
          const end = await Effect.runPromise(log.end("observations"))
          await eventually("every fold is at the end", async () => {
            const { values } = await metrics.position.get()
            const reached = new Map(values.map(({ labels, value }) => [labels.processor, value]))
            return processors.every(({ name }) => (reached.get(name) ?? 0) >= end)
          })
          const views = await Effect.runPromise(log.end("views"))
          await eventually("the API has every view", () => (store.nextOffset ?? 0) >= views)
          await store.settled()
        }
        const pathAt = fc.sample(fc.constantFrom(...offered), { numRuns: STEPS * REPLIES_A_STEP, seed: 27 })
        const parts = fc.sample(fc.nat(999), { numRuns: STEPS * REPLIES_A_STEP, seed: 28 })

        yield* writer.commit([own(feedsDeclared, { feeds: plan.declared } as never)])
        const recorded: Array<Recorded> = []
        for (let step = 0; step < STEPS; step++) {
          clock.nowMs = BEGIN_MS + step * STEP_MS
          const polled: Array<LogRecord> = []
          for (const one of plan.scheduled) {
            clock.nowMs += 97
            polled.push(...(yield* Effect.promise(() => polls.poll(one))).recorded.records)
          }
          yield* writer.commit([...polled, own(clockTicked, {} as never)])
          yield* Effect.promise(settled)
          const polledMs = clock.nowMs + 1
          for (let turn = 0; turn < REPLIES_A_STEP; turn++) {
            const index = step * REPLIES_A_STEP + turn
            const { path } = pathAt[index] ?? { path: "" }
            const leftMs = BEGIN_MS + (step + 1) * STEP_MS - 1 - polledMs
            clock.nowMs = polledMs + Math.floor((leftMs * (parts[index] ?? 0)) / 1_000)
            const reply = yield* Effect.promise(() => api.get(path))
            const body = yield* Effect.promise(() => reply.text())
            expect([path, reply.status]).toEqual([path, 200])
            recorded.push({ path, at: instant(clock.nowMs), data: dataOf(body) })
          }
        }
        for (clock.nowMs = BEGIN_MS + STEPS * STEP_MS; clock.nowMs < AFTER_MS; clock.nowMs += 60_000)
          yield* writer.commit([own(clockTicked, {} as never)])
        yield* Effect.promise(settled)
        yield* Effect.promise(api.close)
        return recorded
      }),
    ).pipe(silent),
  )

/** Writes the whole log into the history. */
const archive = (log: EventLog, history: History): Promise<void> =>
  Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        yield* Effect.forkScoped(runHistory({ log, history, tables, flushEveryMs: 20 }))
        yield* Effect.promise(() =>
          eventually("the whole log is in the history", async () => {
            // A table notes its progress where it has rows of the last events.
            const states = await Effect.runPromise(readStates(log))
            for (const { name, topic } of [...archiveTargets, ...targetsOf(versions)])
              if ((states.get(name)?.next ?? 0) < (await Effect.runPromise(log.end(topic)))) return false
            return true
          }),
        )
      }),
    ).pipe(silent),
  )

/** Log and history under some settings, for the scope. */
const opened = <A>(
  environment: Readonly<Record<string, string>>,
  use: (log: EventLog, history: History) => Promise<A>,
): Promise<A> => {
  const settings = settingsOf(environment)
  return Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const history = yield* openClickHouse(yield* startHistory(settings))
        const log = yield* openLog(settings)
        return yield* Effect.promise(() => use(log, history))
      }),
    ).pipe(silent),
  )
}

/** The whole output of a command. */
const outputOf = async (
  environment: Readonly<Record<string, string>>,
  name: string,
  ...words: ReadonlyArray<string>
) => {
  const { stdout, stderr } = await runCommand(environment, name, ...words)
  return stdout + stderr
}

describe("the past of a day", () => {
  const embedded = temporaryDirectory()
  const moved = temporaryDirectory()
  const containers = Scope.makeUnsafe()
  let here: Readonly<Record<string, string>>
  let recorded: ReadonlyArray<Recorded>
  let hashes: ReadonlyArray<string>

  /** Asks for every recorded reply again: `data` is equal. Gives the hashes of the bytes. */
  const askAgain = async (history: History): Promise<ReadonlyArray<string>> => {
    const past = { views: pastViews(history, pastProcessors), isShown: () => true, credits: new Map<string, string>() }
    const nowMs = () => AFTER_MS
    const api = await openApi(new ViewStore({ endpoints, nowMs }), past, nowMs)
    /** The hash of the bytes of one of them. */
    const ask = async ({ path, at, data }: Recorded): Promise<string> => {
      // A busy machine may take longer than a read may; that is refused for the moment.
      const { status, body } = await eventually(`${path} at ${at} is answered`, async () => {
        const reply = await api.get(`${path}${path.includes("?") ? "&" : "?"}at=${at}`)
        const answered = { status: reply.status, body: await reply.text() }
        return answered.status === 503 ? undefined : answered
      })
      expect([path, at, status, status === 200 ? dataOf(body) : body]).toEqual([path, at, 200, data])
      expect(JSON.parse(body)._meta.at).toMatchObject({ requested: at, known_at: at })
      return createHash("sha256").update(body).digest("hex")
    }
    try {
      const found: Array<string> = []
      for (let from = 0; from < recorded.length; from += CALLERS)
        found.push(...(await Promise.all(recorded.slice(from, from + CALLERS).map(ask))))
      return found
    } finally {
      await api.close()
    }
  }

  beforeAll(async () => {
    here = {
      DATA_DIR: embedded,
      CLICKHOUSE_HTTP_PORT: String(await freePort()),
      CLICKHOUSE_TCP_PORT: String(await freePort()),
    }
  })
  afterAll(async () => {
    await Effect.runPromise(Scope.close(containers, Exit.void))
    removeDirectory(embedded)
    removeDirectory(moved)
  })

  it("is answered as it was served, at random instants", async () => {
    hashes = await opened(here, async (log, history) => {
      recorded = await runDay(log)
      await Effect.runPromise(history.prepare)
      await archive(log, history)
      return askAgain(history)
    })
    expect(recorded).toHaveLength(STEPS * REPLIES_A_STEP)
    expect(new Set(recorded.map(({ path }) => path)).size).toBeGreaterThan(25)
    // Not the same reply all day long.
    const kinds = Map.groupBy(recorded, ({ path }) => path)
    const changing = [...kinds.values()].filter(
      (some) => new Set(some.map(({ data }) => JSON.stringify(data))).size > 1,
    )
    expect(changing.length).toBeGreaterThan(15)
  })

  it("has the same bytes after a restart and a rebuild of everything", async () => {
    expect(await outputOf(here, "rebuild")).toContain("is live")
    expect(await opened(here, (_, history) => askAgain(history))).toEqual(hashes)
  })

  it("has the same bytes on the other engine, where a backup was restored", async ({ skip }) => {
    const missing = await dockerMissing()
    if (missing !== undefined) skip(missing)
    const [broker, clickhouse]: [KafkaBroker, ClickHouseServer] = await Promise.all([startKafka(), startClickHouse()])
    const stop = Effect.promise(() => Promise.all([broker.stop(), clickhouse.stop()]))
    await Effect.runPromise(Scope.addFinalizer(containers, stop))
    const there = {
      DATA_DIR: moved,
      KAFKA_BROKERS: broker.brokers.join(","),
      CLICKHOUSE_URL: clickhouse.url,
      CLICKHOUSE_USER: clickhouse.username,
      CLICKHOUSE_PASSWORD: clickhouse.password,
      CLICKHOUSE_ANALYST_PASSWORD: "a-password-for-analysts",
    }
    const file = join(moved, "backup.ndjson")
    expect(await outputOf(here, "backup", file)).toContain("records saved")
    expect(await outputOf(there, "restore", file)).toContain("restored")
    expect(await opened(there, (_, history) => askAgain(history))).toEqual(hashes)
  })
})
