import { type ChildProcess, spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { chmod, mkdir, rename, writeFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { createServer } from "node:net"
import { dirname, join, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { Deferred, Effect, Schema, type Scope } from "effect"
import { Counter } from "prom-client"
import { isDiskLow } from "../config/disk.ts"
import { confinementVersion } from "./confinement.ts"
import type { EngineChildOptions } from "./engine-child.ts"
import { ANALYST, configXml, usersXml, WRITER } from "./engine-config.ts"

/** The embedded ClickHouse could not be started; `problem` says why in a sentence. */
export class EngineFailed extends Schema.TaggedError<EngineFailed>()("EngineFailed", {
  reason: Schema.Literals(["unsupported_platform", "start_failed"]),
  problem: Schema.String,
}) {
  override get message() {
    return `the embedded ClickHouse cannot run: ${this.problem}`
  }
}

/** Name and password of a user of the engine. */
export interface EngineUser {
  readonly user: string
  /** Empty where the user needs none. */
  readonly password: string
}

/** A running embedded ClickHouse. It is started again, on the same ports, whenever its process ends. */
export interface EmbeddedClickHouse {
  /** The address of ClickHouse's HTTP interface. */
  readonly url: string
  readonly httpPort: number
  /** The port of ClickHouse's native protocol. */
  readonly tcpPort: number
  readonly writer: EngineUser
  /** Without a password where the process is confined; else with one, which also stands in `analyst-password`. */
  readonly analyst: EngineUser
  /** Whether the operating system keeps the engine from files and hosts that are not its own. */
  readonly confined: boolean
  /** The process that is the engine now; null between its end and its next start. */
  readonly pid: () => number | null
}

/** The file, beside the data, that holds the analyst's password where there is one. */
export const ANALYST_PASSWORD_FILE = "analyst-password"

const PLATFORM_PACKAGES: Readonly<Record<string, string>> = {
  "linux-x64": "@chdb/lib-linux-x64-gnu",
  "linux-arm64": "@chdb/lib-linux-arm64-gnu",
  "darwin-x64": "@chdb/lib-darwin-x64",
  "darwin-arm64": "@chdb/lib-darwin-arm64",
}

const READY_MS_MAX = 30_000
const READY_POLL_MS = 25
const READY_REQUEST_MS_MAX = 1_000
const STOP_MS_MAX = 5_000
/** A predecessor whose parent was killed may need a moment to let go of the directory. */
const START_ATTEMPTS_MAX = 6
const RESTART_DELAY_MS_MIN = 100
/** The longest pause after an engine that had come up, and after one that had not. */
const RESTART_DELAY_MS_MAX = { ready: 1_000, notReady: 10_000 }
/** An engine that has lived this long starts the delays anew. */
const STEADY_MS = 60_000
const MESSAGE_BYTES_MAX = 4_096

const restarts = new Counter({
  name: "tidewire_history_engine_restarts_total",
  help: "How often the embedded ClickHouse was started again after its process had ended",
})

/** The path of the engine's library for this platform, or a sentence that says why there is none. */
export const engineLibrary = (
  platform: string = process.platform,
  architecture: string = process.arch,
): { readonly library: string } | { readonly problem: string } => {
  const name = PLATFORM_PACKAGES[`${platform}-${architecture}`]
  const elsewhere = "set CLICKHOUSE_URL to use a ClickHouse server"
  if (name === undefined) return { problem: `there is no build for ${platform} on ${architecture}; ${elsewhere}` }
  try {
    return { library: join(dirname(createRequire(import.meta.url).resolve(`${name}/package.json`)), "libchdb.so") }
  } catch {
    return { problem: `the optional package ${name} is not installed; install it, or ${elsewhere}` }
  }
}

const freePort = () =>
  new Promise<number>((resolve, reject) => {
    const server = createServer()
    server.once("error", reject)
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0))
    })
  })

const writePrivately = async (path: string, content: string) => {
  await writeFile(`${path}.new`, content, { mode: 0o600 })
  await chmod(`${path}.new`, 0o600)
  await rename(`${path}.new`, path)
}

interface EngineProcess {
  readonly child: ChildProcess
  readonly exited: Promise<string>
}

const startProcess = (options: EngineChildOptions): EngineProcess => {
  const child = spawn(
    process.execPath,
    [fileURLToPath(new URL("engine-child.ts", import.meta.url)), JSON.stringify(options)],
    {
      cwd: options.directory,
      // Nothing of this process' environment: it may hold keys, and a process can read its own.
      env: { TZ: "UTC" },
      // A group of its own: Ctrl-C must reach the engine after the last insert, not before.
      detached: true,
      stdio: ["pipe", "ignore", "pipe"],
    },
  )
  let said = ""
  child.stderr?.on("data", (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-MESSAGE_BYTES_MAX)
  })
  child.stdin?.on("error", () => {})
  const exited = new Promise<string>((resolve) => {
    child.once("error", (cause) => resolve(cause.message))
    child.once("close", (code, signal) => {
      const words =
        said
          .trim()
          .split("\n")
          .find((line) => line.includes("Exception")) ?? said.trim().split("\n").at(-1)
      resolve(
        `its process ended (${signal ?? `code ${code}`})${words === undefined || words === "" ? "" : `: ${words}`}`,
      )
    })
  })
  return { child, exited }
}

const stopProcess = async ({ child, exited }: EngineProcess) => {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill("SIGTERM")
  const timer = setTimeout(() => child.kill("SIGKILL"), STOP_MS_MAX)
  await exited
  clearTimeout(timer)
}

const answers = async (url: string, writer: EngineUser) => {
  try {
    // As the writer, whose password is of this start: another process on the port cannot be taken for the engine.
    const response = await fetch(`${url}/?query=SELECT%201`, {
      headers: { "X-ClickHouse-User": writer.user, "X-ClickHouse-Key": writer.password },
      signal: AbortSignal.timeout(READY_REQUEST_MS_MAX),
    })
    await response.text()
    return response.ok
  } catch {
    return false
  }
}

/** Waits until the engine answers; a sentence when it does not. */
const awaitReady = async (engine: EngineProcess, url: string, writer: EngineUser): Promise<string | null> => {
  let ended: string | null = null
  engine.exited.then((words) => {
    ended = words
  })
  const deadline = performance.now() + READY_MS_MAX
  while (performance.now() < deadline) {
    if (ended !== null) return ended
    if (await answers(url, writer)) return ended
    await new Promise((resolve) => setTimeout(resolve, READY_POLL_MS))
  }
  return `it did not answer within ${READY_MS_MAX / 1000} seconds`
}

/**
 * Starts ClickHouse in a child process, with its own HTTP and native listeners, and keeps it running until the scope
 * closes. Its data, `config.xml` and `users.xml` stand in `directory`, for this user's eyes only. Port 0 takes a free one.
 * Succeeds when it answers. The child ends with this process, however this one ends.
 */
export const startEmbeddedClickHouse = Effect.fn("startEmbeddedClickHouse")(function* (options: {
  readonly directory: string
  readonly httpPort: number
  readonly tcpPort: number
  readonly host?: string
  /** The writer's password for this start; made when not given. */
  readonly writerPassword?: string
  /** Whether a start that fails while the disk is full is tried again for ever, and not given up. */
  readonly waitsForDisk?: boolean
}): Effect.fn.Return<EmbeddedClickHouse, EngineFailed, Scope.Scope> {
  const found = engineLibrary()
  if ("problem" in found) return yield* new EngineFailed({ reason: "unsupported_platform", problem: found.problem })

  const directory = resolve(options.directory)
  const dataDirectory = join(directory, "data")
  const configFile = join(directory, "config.xml")
  const usersFile = join(directory, "users.xml")
  const confined = confinementVersion() > 0
  const writer = { user: WRITER, password: options.writerPassword ?? randomBytes(32).toString("hex") }
  const analyst = { user: ANALYST, password: confined ? "" : randomBytes(16).toString("hex") }

  const { httpPort, tcpPort } = yield* Effect.tryPromise({
    try: async () => {
      await mkdir(dataDirectory, { recursive: true, mode: 0o700 })
      await chmod(directory, 0o700)
      return {
        httpPort: options.httpPort === 0 ? await freePort() : options.httpPort,
        tcpPort: options.tcpPort === 0 ? await freePort() : options.tcpPort,
      }
    },
    catch: (cause) =>
      new EngineFailed({ reason: "start_failed", problem: `its directory cannot be prepared (${String(cause)})` }),
  })
  // Before every start: another start on the same directory, which is refused only then, may have written its own.
  const configure = async () => {
    const host = options.host ?? "127.0.0.1"
    await writePrivately(configFile, configXml({ dataDirectory, usersFile, host, httpPort, tcpPort }))
    await writePrivately(usersFile, usersXml({ writerPassword: writer.password, analystPassword: analyst.password }))
    await writePrivately(join(directory, ANALYST_PASSWORD_FILE), analyst.password)
  }
  if (!confined)
    yield* Effect.logWarning(
      "this system cannot confine the history engine, so analysts need the password that stands beside its data",
    )

  const url = `http://127.0.0.1:${httpPort}`
  const child: EngineChildOptions = {
    library: found.library,
    directory: dataDirectory,
    configFile,
    usersFile,
    confined,
    ports: [httpPort, tcpPort],
  }
  let current: EngineProcess | null = null
  const started = yield* Deferred.make<void, EngineFailed>()

  const runProcess = Effect.acquireUseRelease(
    Effect.sync(() => startProcess(child)),
    (engine) =>
      Effect.gen(function* () {
        const problem = yield* Effect.promise(() => awaitReady(engine, url, writer))
        if (problem !== null) return { ready: false, problem }
        current = engine
        yield* Deferred.succeed(started, undefined)
        return { ready: true, problem: yield* Effect.promise(() => engine.exited) }
      }),
    (engine) =>
      Effect.promise(() => {
        current = null
        return stopProcess(engine)
      }),
  )

  const runOnce = Effect.tryPromise({ try: configure, catch: String }).pipe(
    Effect.andThen(runProcess),
    Effect.catch((cause) =>
      Effect.succeed({ ready: false, problem: `its configuration cannot be written (${cause})` }),
    ),
  )

  const supervise = Effect.gen(function* () {
    let failures = 0
    while (true) {
      const startedAt = performance.now()
      const { ready, problem } = yield* runOnce
      failures = ready && performance.now() - startedAt > STEADY_MS ? 1 : failures + 1
      // A full disk is no reason to give up: everything else goes on, and so does this when there is room.
      const waits = options.waitsForDisk === true && isDiskLow(directory)
      if (!(yield* Deferred.isDone(started)) && failures >= START_ATTEMPTS_MAX && !waits)
        return yield* Deferred.fail(started, new EngineFailed({ reason: "start_failed", problem }))
      if (yield* Deferred.isDone(started)) {
        restarts.inc()
        yield* Effect.logWarning("the history engine has ended and is started again").pipe(
          Effect.annotateLogs({ problem, failures }),
        )
      }
      const longest = ready ? RESTART_DELAY_MS_MAX.ready : RESTART_DELAY_MS_MAX.notReady
      yield* Effect.sleep(Math.min(longest, RESTART_DELAY_MS_MIN * 2 ** (failures - 1)))
    }
  })
  yield* Effect.forkScoped(supervise)
  yield* Deferred.await(started)
  return {
    url,
    httpPort,
    tcpPort,
    writer,
    analyst,
    confined,
    pid: () => current?.child.pid ?? null,
  }
})
