import { type ChildProcess, spawn } from "node:child_process"
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs"
import { basename, join } from "node:path"
import { fileURLToPath } from "node:url"
import * as Effect from "effect/Effect"
import { Counter } from "prom-client"
import { request } from "undici"
import type { EngineChildOptions } from "./engine-child.ts"
import { ANALYST } from "./users.ts"

/** Name and password of a user of the engine. */
export interface EngineUser {
  readonly user: string
  /** Empty if the user has none. */
  readonly password: string
}

const READY_MAX_MS = 30_000
const READY_POLL_MS = 25
const READY_REQUEST_MAX_MS = 1_000
const STOP_MAX_MS = 5_000
const MESSAGE_MAX_BYTES = 4_096

/** The child process of the engine. */
export interface EngineProcess {
  readonly child: ChildProcess
  readonly exited: Promise<string>
}

const pathsIn = (directory: string): ReadonlyArray<string> =>
  existsSync(directory) && statSync(directory).isDirectory()
    ? readdirSync(directory).map((name) => join(directory, name))
    : []

const LINE_BREAK = 10
/** Whether a definition was not written to its end, which is a line break. */
const isCut = (path: string): boolean => readFileSync(path).at(-1) !== LINE_BREAK

/**
 * Removes cut and empty definitions of databases and tables, which a full disk can leave and with which the engine does not start.
 * What they defined is then absent, is created again by its migrations, and is filled from the archive and the log. Gives
 * the names of what was removed.
 */
export const removeCutDefinitions = (dataDirectory: string): ReadonlyArray<string> => {
  // A database has a folder `store/<first three digits of its id>/<id>`, and in it a file for each of its tables.
  const folders = [join(dataDirectory, "metadata"), ...pathsIn(join(dataDirectory, "store")).flatMap(pathsIn)]
  const cut = folders.flatMap(pathsIn).filter((path) => path.endsWith(".sql") && isCut(path))
  for (const path of cut) rmSync(path)
  return cut.map((path) => basename(path, ".sql"))
}

/** Starts the child. */
export const startProcess = (options: EngineChildOptions): EngineProcess => {
  const child = spawn(
    process.execPath,
    [fileURLToPath(new URL("engine-child.ts", import.meta.url)), JSON.stringify(options)],
    {
      cwd: options.directory,
      // The environment of this process is not inherited: it may contain keys, which queries could read.
      env: { TZ: "UTC" },
      // Its own process group, so that Ctrl-C does not end the engine before the last insert.
      detached: true,
      stdio: ["pipe", "ignore", "pipe"],
    },
  )
  let output = ""
  child.stderr?.on("data", (chunk: Buffer) => {
    output = (output + chunk.toString()).slice(-MESSAGE_MAX_BYTES)
  })
  child.stdin?.on("error", () => {})
  const exited = new Promise<string>((resolve) => {
    child.once("error", (cause) => resolve(cause.message))
    child.once("close", (code, signal) => {
      const words =
        output
          .trim()
          .split("\n")
          .find((line) => line.includes("Exception")) ?? output.trim().split("\n").at(-1)
      resolve(
        `its process ended (${signal ?? `code ${code}`})${words === undefined || words === "" ? "" : `: ${words}`}`,
      )
    })
  })
  return { child, exited }
}

/** Ends the child, and waits for it. */
export const stopProcess = async ({ child, exited }: EngineProcess) => {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill("SIGTERM")
  const timer = setTimeout(() => child.kill("SIGKILL"), STOP_MAX_MS)
  await exited
  clearTimeout(timer)
}

/** The engine's answer to a query of the writer; null if there is none in time. */
const askEngine = async (url: string, writer: EngineUser, sql: string, withinMs: number): Promise<string | null> => {
  try {
    // Queries as the writer, whose password is new: a different process on the port cannot pass for the engine.
    const response = await request(`${url}/?query=${encodeURIComponent(sql)}`, {
      headers: { "X-ClickHouse-User": writer.user, "X-ClickHouse-Key": writer.password },
      signal: AbortSignal.timeout(withinMs),
    })
    const answer = await response.body.text()
    return response.statusCode === 200 ? answer : null
  } catch {
    return null
  }
}

/** Waits until the engine answers; gives the problem if it does not. */
export const awaitReady = async (engine: EngineProcess, url: string, writer: EngineUser): Promise<string | null> => {
  let ended: string | null = null
  engine.exited.then((words) => {
    ended = words
  })
  const deadline = performance.now() + READY_MAX_MS
  while (performance.now() < deadline) {
    if (ended !== null) return ended
    if ((await askEngine(url, writer, "SELECT 1", READY_REQUEST_MAX_MS)) !== null) return ended
    await new Promise((resolve) => setTimeout(resolve, READY_POLL_MS))
  }
  return `it did not answer within ${READY_MAX_MS / 1000} seconds`
}

/**
 * ClickHouse looks at the time limit of a query between two blocks of rows only. A block of costly function calls can hold
 * its cores for hours, also after its client has gone and after `KILL QUERY`. Only the end of the process ends such a query.
 */

const POLL_EVERY_MS = 2_000
const ANSWER_MAX_MS = 5_000
/** A query that runs for this many times its limit is overdue. */
const OVERDUE_FACTOR = 2

const overdue = new Counter({
  name: "tidewire_history_overdue_queries_total",
  help: "Queries of analysts that outlived twice their time limit, so that the embedded ClickHouse was ended and restarted",
})

/** Gives the seconds until a query of an analyst is overdue, of the first one; nothing if none runs. */
const secondsLeftSql = (querySeconds: number) => `
  SELECT min(${OVERDUE_FACTOR} * if(limit > 0, limit, ${querySeconds}) - elapsed)
  FROM (SELECT elapsed, toFloat64OrZero(Settings['max_execution_time']) AS limit FROM system.processes WHERE user = '${ANALYST}')
  HAVING count() > 0
  FORMAT TabSeparated`

/**
 * Waits until a query of an analyst is overdue in the engine, and gives the problem. The engine is given at least
 * `OVERDUE_FACTOR` times the analysts' limit, `querySeconds`, after its start: queries with lower limits of their own cannot
 * end one engine after the other.
 */
export const awaitOverdueQuery = Effect.fnUntraced(function* (url: string, writer: EngineUser, querySeconds: number) {
  const sql = secondsLeftSql(querySeconds)
  const notBeforeMs = performance.now() + OVERDUE_FACTOR * querySeconds * 1_000
  let deadlineMs = Number.POSITIVE_INFINITY
  while (performance.now() < Math.max(deadlineMs, notBeforeMs)) {
    yield* Effect.sleep(POLL_EVERY_MS)
    const answer = yield* Effect.promise(() => askEngine(url, writer, sql, ANSWER_MAX_MS))
    // An engine that does not answer keeps its deadline: the query may be what keeps it from answering.
    if (answer === null) continue
    const left = answer.trim()
    deadlineMs = left === "" ? Number.POSITIVE_INFINITY : performance.now() + Number(left) * 1_000
  }
  overdue.inc()
  return `a query of an analyst ran longer than ${OVERDUE_FACTOR} times its time limit`
})
