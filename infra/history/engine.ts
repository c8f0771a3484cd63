import { randomBytes } from "node:crypto"
import { chmod, mkdir, rename, writeFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { createServer } from "node:net"
import { dirname, join, resolve } from "node:path"
import { Deferred, Effect, Schema, type Scope } from "effect"
import { Counter } from "prom-client"
import { isDiskLow } from "../config/disk.ts"
import { ANALYST_LIMITS, type AnalystLimits } from "./analyst-limits.ts"
import { confinementVersion } from "./confinement.ts"
import type { EngineChildOptions } from "./engine-child.ts"
import { ANALYST, configXml, usersXml, WRITER } from "./engine-config.ts"
import { awaitReady, type EngineProcess, type EngineUser, startProcess, stopProcess } from "./engine-process.ts"

export type { EngineUser } from "./engine-process.ts"

/** The embedded ClickHouse could not be started; `problem` says why in a sentence. */
export class EngineFailed extends Schema.TaggedError<EngineFailed>()("EngineFailed", {
  reason: Schema.Literals(["unsupported_platform", "start_failed"]),
  problem: Schema.String,
}) {
  override get message() {
    return `the embedded ClickHouse cannot run: ${this.problem}`
  }
}

/** A running embedded ClickHouse. It is started again, on the same ports, whenever its process ends. */
export interface EmbeddedClickHouse {
  /** The address of ClickHouse's HTTP interface. */
  readonly url: string
  readonly httpPort: number
  /** The port of ClickHouse's native protocol. */
  readonly tcpPort: number
  readonly writer: EngineUser
  readonly analyst: EngineUser
  /** Whether the operating system keeps the engine from files and hosts that are not its own. */
  readonly confined: boolean
  /** The process that is the engine now; null between its end and its next start. */
  readonly pid: () => number | null
}

const PLATFORM_PACKAGES: Readonly<Record<string, string>> = {
  "linux-x64": "@chdb/lib-linux-x64-gnu",
  "linux-arm64": "@chdb/lib-linux-arm64-gnu",
  "darwin-x64": "@chdb/lib-darwin-x64",
  "darwin-arm64": "@chdb/lib-darwin-arm64",
}

/** A predecessor whose parent was killed may need a moment to let go of the directory. */
const START_ATTEMPTS_MAX = 6
const RESTART_DELAY_MS_MIN = 100
/** The longest pause after an engine that had come up, and after one that had not. */
const RESTART_DELAY_MS_MAX = { ready: 1_000, notReady: 10_000 }
/** An engine that has lived this long starts the delays anew. */
const STEADY_MS = 60_000
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
  /** The analyst's password; made for this start when not given. */
  readonly analystPassword?: string
  readonly analystLimits?: AnalystLimits
}): Effect.fn.Return<EmbeddedClickHouse, EngineFailed, Scope.Scope> {
  const found = engineLibrary()
  if ("problem" in found) return yield* new EngineFailed({ reason: "unsupported_platform", problem: found.problem })

  const directory = resolve(options.directory)
  const dataDirectory = join(directory, "data")
  const configFile = join(directory, "config.xml")
  const usersFile = join(directory, "users.xml")
  const confined = confinementVersion() > 0
  const writer = { user: WRITER, password: options.writerPassword ?? randomBytes(32).toString("hex") }
  const analyst = { user: ANALYST, password: options.analystPassword ?? randomBytes(32).toString("hex") }

  const analystLimits = options.analystLimits ?? ANALYST_LIMITS

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
  // Before every start: another start on the same directory, which is refused only then, may have written its own. And
  // after it: the process is confined to the files that it has begun with, so it cannot read the new ones, and a query
  // with the function `file()` sees no hash of a password.
  const configure = async () => {
    const host = options.host ?? "127.0.0.1"
    const users = { writerPassword: writer.password, analystPassword: analyst.password, analystLimits }
    await writePrivately(configFile, configXml({ dataDirectory, usersFile, host, httpPort, tcpPort }))
    await writePrivately(usersFile, usersXml(users))
  }
  if (!confined)
    yield* Effect.logWarning(
      "this system cannot confine the history engine: with the function file(), analysts read what this user may read",
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
        yield* Effect.promise(configure)
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
