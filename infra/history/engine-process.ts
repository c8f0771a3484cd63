import { type ChildProcess, spawn } from "node:child_process"
import { existsSync, readdirSync, rmSync, statSync } from "node:fs"
import { basename, join } from "node:path"
import { fileURLToPath } from "node:url"
import { request } from "undici"
import type { EngineChildOptions } from "./engine-child.ts"

/** Name and password of a user of the engine. */
export interface EngineUser {
  readonly user: string
  /** Empty if the user has none. */
  readonly password: string
}

const READY_MS_MAX = 30_000
const READY_POLL_MS = 25
const READY_REQUEST_MS_MAX = 1_000
const STOP_MS_MAX = 5_000
const MESSAGE_BYTES_MAX = 4_096

/** The child process of the engine. */
export interface EngineProcess {
  readonly child: ChildProcess
  readonly exited: Promise<string>
}

const within = (directory: string): ReadonlyArray<string> =>
  existsSync(directory) && statSync(directory).isDirectory()
    ? readdirSync(directory).map((name) => join(directory, name))
    : []

/**
 * Removes empty definitions of databases and tables, which a full disk can leave and with which the engine does not start.
 * What they defined is then absent, is created again by its migrations, and is filled from the archive and the log. Gives
 * the names of what was removed.
 */
export const removeEmptyDefinitions = (dataDirectory: string): ReadonlyArray<string> => {
  // A database has a folder `store/<first three digits of its id>/<id>`, and in it a file for each of its tables.
  const folders = [join(dataDirectory, "metadata"), ...within(join(dataDirectory, "store")).flatMap(within)]
  const empty = folders.flatMap(within).filter((path) => path.endsWith(".sql") && statSync(path).size === 0)
  for (const path of empty) rmSync(path)
  return empty.map((path) => basename(path, ".sql"))
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
    output = (output + chunk.toString()).slice(-MESSAGE_BYTES_MAX)
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
  const timer = setTimeout(() => child.kill("SIGKILL"), STOP_MS_MAX)
  await exited
  clearTimeout(timer)
}

/** The engine's answer to a query of the writer; null if there is none in time. */
export const askEngine = async (
  url: string,
  writer: EngineUser,
  sql: string,
  withinMs: number,
): Promise<string | null> => {
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
  const deadline = performance.now() + READY_MS_MAX
  while (performance.now() < deadline) {
    if (ended !== null) return ended
    if ((await askEngine(url, writer, "SELECT 1", READY_REQUEST_MS_MAX)) !== null) return ended
    await new Promise((resolve) => setTimeout(resolve, READY_POLL_MS))
  }
  return `it did not answer within ${READY_MS_MAX / 1000} seconds`
}
