import { cpSync } from "node:fs"
import { connect, createServer, type Socket } from "node:net"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { createClient } from "@clickhouse/client"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import { type ClickHouseOptions, openClickHouse } from "../../../infra/history/clickhouse.ts"
import { openLmdbLog } from "../../../infra/log/lmdb/event-log.ts"
import { runHistory } from "../../../processors/history/consumer.ts"
import type { KeptHistory } from "../../../processors/history/keeper.ts"
import { readStates } from "../../../processors/history/state.ts"
import { targetsOf } from "../../../processors/history/targets.ts"
import { verifyTables } from "../../../processors/history/verify.ts"
import type { Table } from "../../../processors/table.ts"
import type { EventLog, LogRecord } from "../../../schemas/ports/event-log.ts"
import type { History } from "../../../schemas/ports/history.ts"
import { eventually } from "../../support/eventually.ts"
import { temporaryDirectory } from "../../support/service.ts"
import { tables } from "./workload.ts"

/** A ClickHouse under test. */
export interface Engine {
  readonly options: ClickHouseOptions
  /** The analysts' user, if the engine's configuration has it. */
  readonly analyst?: { readonly user: string; readonly password: string }
  /** Kills its process with SIGKILL; it restarts by itself. */
  readonly kill: () => Promise<void>
  readonly stop: () => Promise<void>
}

/** A TCP proxy to ClickHouse that can be cut. */
export interface Line {
  readonly url: string
  readonly cut: () => void
  readonly mend: () => void
  readonly close: () => Promise<void>
}

/** Opens a proxy to `url` on its own port. While it is cut, connections are closed and refused. */
export const openLine = (url: () => string): Promise<Line> =>
  new Promise((resolve, reject) => {
    const sockets = new Set<Socket>()
    let isCut = false
    const server = createServer((near) => {
      const target = new URL(url())
      const far = connect(Number(target.port), target.hostname)
      for (const [one, other] of [
        [near, far],
        [far, near],
      ] as const) {
        sockets.add(one)
        one.on("error", () => other.destroy())
        one.on("close", () => {
          sockets.delete(one)
          other.destroy()
        })
      }
      if (isCut) near.destroy()
      else near.pipe(far).pipe(near)
    })
    server.once("error", reject)
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      if (address === null || typeof address === "string") return reject(new Error("no port"))
      resolve({
        url: `http://127.0.0.1:${address.port}`,
        cut: () => {
          isCut = true
          for (const socket of sockets) socket.destroy()
        },
        mend: () => {
          isCut = false
        },
        close: () =>
          new Promise((closed) => {
            for (const socket of sockets) socket.destroy()
            server.close(() => closed())
          }),
      })
    })
  })

/** The SQL files of the archive and of some tables: all of them would slow down every test. */
export const migrationsOf = (names: ReadonlyArray<string>): URL => {
  const folder = temporaryDirectory()
  for (const name of ["events", ...names])
    cpSync(new URL(`../../../processors/tables/${name}/`, import.meta.url), join(folder, name), { recursive: true })
  return pathToFileURL(`${folder}/`)
}

/** The SQL files of the workload's tables. */
export const migrations = migrationsOf(tables.map(({ name }) => name))

const Count = Schema.Struct({ count: Schema.Natural })

/** A new log, and a history on a fresh database; `close` ends everything that was started on it. */
export interface Stage {
  readonly log: EventLog
  readonly history: History
  readonly directory: string
  readonly run: <A, E>(effect: Effect.Effect<A, E, Scope.Scope>) => Promise<A>
  readonly append: (records: ReadonlyArray<LogRecord>) => Promise<void>
  /** Starts the consumer; the result ends it without cleanup, as a crash would. */
  readonly consume: (
    history?: History,
    keptHistory?: KeptHistory,
  ) => {
    readonly crash: () => Promise<void>
    readonly ended: Promise<Exit.Exit<never, unknown>>
  }
  readonly count: (sql: string) => Promise<number>
  /** Tests whether the checkpoints cover the whole log. Rows may be visible earlier; a verification ends at the checkpoint. */
  readonly written: () => Promise<boolean>
  /** Waits until the whole log is in the history, and the checkpoints cover it. */
  readonly caughtUp: (deltas: number, ticks: number) => Promise<void>
  /** Fails unless every table equals a fresh fold of the log and the archive equals the log. */
  readonly verify: () => Promise<void>
  readonly close: () => Promise<void>
}

/** Opens a stage on a ClickHouse, by default with the tables of the workload. */
export const openStage = async (
  options: ClickHouseOptions,
  directory = temporaryDirectory(),
  staged: ReadonlyArray<Table> = tables,
): Promise<Stage> => {
  const scope = Scope.makeUnsafe()
  const run: Stage["run"] = (effect) => Effect.runPromise(Scope.provide(effect, scope))
  const history = await run(openClickHouse({ migrations, ...options }))
  await run(history.prepare)
  const log = await run(openLmdbLog({ path: join(directory, "log") }))
  const producer = await run(
    log.claim("test", ["deltas", "observations", "ledger", "versions", "purges", "quarantine"]),
  )
  const count: Stage["count"] = async (sql) => (await run(history.query(sql, Count)))[0]?.count ?? 0
  const written: Stage["written"] = async () => {
    const states = await run(readStates(log))
    for (const { name, topic } of targetsOf(staged))
      if ((states.get(name)?.next ?? 0) < (await run(log.end(topic)))) return false
    return true
  }
  return {
    log,
    history,
    directory,
    run,
    append: async (records) => {
      await run(producer.commit(records))
    },
    consume: (used = history, keptHistory = new Map()) => {
      const fiber = Effect.runFork(
        Effect.scoped(
          runHistory({ log, history: used, tables: staged, flushEveryMs: 20, lagEveryMs: 10, keptHistory }),
        ),
      )
      return {
        crash: () => Effect.runPromise(Fiber.interrupt(fiber)),
        ended: Effect.runPromise(Fiber.await(fiber)),
      }
    },
    count,
    written,
    caughtUp: async (deltas, ticks) => {
      await eventually("the history has caught up", async () => {
        const archived = await count("SELECT count() AS count FROM events")
        const typed = await count(
          "SELECT (SELECT count() FROM feed_probes) + (SELECT count() FROM earthquakes) AS count",
        )
        return archived >= deltas + ticks && typed >= deltas && (await written())
      })
    },
    verify: async () => {
      const verified = await run(verifyTables({ log, history, tables: staged }))
      const wrong = verified.flatMap(({ difference }) => (difference === null ? [] : [difference]))
      if (wrong.length > 0) throw new Error(`the history differs from the log: ${JSON.stringify(wrong)}`)
      if (!verified.some(({ rows }) => rows > 0)) throw new Error("nothing was compared")
    },
    close: () => Effect.runPromise(Scope.close(scope, Exit.void)),
  }
}

/** The analyst of an engine: its own, or one that `prepare` created; null if the server allows no users. */
export const analystOf = async (
  { options, analyst }: Engine,
  made: { readonly user: string; readonly password: string },
): Promise<{ readonly user: string; readonly password: string } | null> => {
  const candidate = analyst ?? made
  const client = createClient({ url: options.url, username: candidate.user, password: candidate.password })
  const answers = await client.query({ query: "SELECT 1" }).then(
    (result) => result.text(),
    () => null,
  )
  await client.close()
  return answers === null ? null : candidate
}

/** Drops the project's database. */
export const dropDatabase = async ({ url, user, password }: ClickHouseOptions): Promise<void> => {
  const client = createClient({ url, username: user, password })
  for (const database of ["tidewire", "tidewire_build"])
    await client.command({ query: `DROP DATABASE IF EXISTS ${database} SYNC` })
  await client.close()
}
