import { randomBytes } from "node:crypto"
import { chmod, mkdir, rename, writeFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { createServer } from "node:net"
import { dirname, join, resolve } from "node:path"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { Counter } from "prom-client"
import { isDiskLow } from "../system/disk.ts"
import { confinementVersion } from "./confinement.ts"
import type { EngineChildOptions } from "./engine-child.ts"
import { configXml, usersXml } from "./engine-config.ts"
import {
  awaitOverdueQuery,
  awaitReady,
  type EngineProcess,
  type EngineUser,
  removeCutDefinitions,
  startProcess,
  stopProcess,
} from "./engine-process.ts"
import { ANALYST, ANALYST_LIMITS, type AnalystLimits, WRITER } from "./users.ts"

/** The embedded ClickHouse could not be started. */
export class EngineFailed extends Schema.TaggedError<EngineFailed>()("EngineFailed", {
  reason: Schema.Literals(["unsupported_platform", "start_failed"]),
  problem: Schema.String,
}) {
  override get message() {
    return `the embedded ClickHouse cannot run: ${this.problem}`
  }
}

/** A running embedded ClickHouse. When its process ends, it is restarted on the same ports. */
export interface EmbeddedClickHouse {
  /** The address of ClickHouse's HTTP interface. */
  readonly url: string
  readonly httpPort: number
  /** The port of ClickHouse's native protocol. */
  readonly tcpPort: number
  readonly writer: EngineUser
  readonly analyst: EngineUser
  /** True if the operating system confines the engine to its own files and ports. */
  readonly confined: boolean
  /** The process of the engine; null between an end and the next start. */
  readonly pid: () => number | null
}

const PLATFORM_PACKAGES: Readonly<Record<string, string>> = {
  "linux-x64": "@chdb/lib-linux-x64-gnu",
  "linux-arm64": "@chdb/lib-linux-arm64-gnu",
  "darwin-x64": "@chdb/lib-darwin-x64",
  "darwin-arm64": "@chdb/lib-darwin-arm64",
}

/** An earlier engine whose parent was killed may need some time to release the directory. */
const START_ATTEMPTS_MAX = 6
const RESTART_DELAY_MIN_MS = 100
/** The longest delay after an engine that had become ready, and after one that had not. */
const RESTART_DELAY_MAX_MS = { ready: 1_000, notReady: 10_000 }
/** After an engine that ran this long, the delays start at the shortest again. */
const STEADY_MS = 60_000
const restarts = new Counter({
  name: "tidewire_history_engine_restarts_total",
  help: "Restarts of the embedded ClickHouse after its process had ended",
})

/** Finds the engine's library for this platform, or the reason why there is none. */
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

/** The end of one run of the engine's process. */
interface EndedRun {
  /** Whether it had become ready. */
  readonly ready: boolean
  readonly problem: string
}

/**
 * Restarts the engine for ever, with growing delays. `started` succeeds when it is ready for the first time, and fails after
 * `START_ATTEMPTS_MAX` unsuccessful runs; `isWaiting` is true while the start waits for disk space.
 */
const supervise = (
  runOnce: Effect.Effect<EndedRun>,
  started: Deferred.Deferred<void, EngineFailed>,
  isWaiting: () => boolean,
) =>
  Effect.gen(function* () {
    let failures = 0
    while (true) {
      const startedAt = performance.now()
      const { ready, problem } = yield* runOnce
      failures = ready && performance.now() - startedAt > STEADY_MS ? 1 : failures + 1
      // On a full disk the start is retried: the rest of the service continues, and the engine starts once there is space.
      const waits = isWaiting()
      if (!(yield* Deferred.isDone(started)) && failures >= START_ATTEMPTS_MAX && !waits)
        return yield* Deferred.fail(started, new EngineFailed({ reason: "start_failed", problem }))
      if (yield* Deferred.isDone(started)) {
        restarts.inc()
        yield* Effect.logWarning("the history engine ended and is restarted").pipe(
          Effect.annotateLogs({ problem, failures }),
        )
      }
      const longest = ready ? RESTART_DELAY_MAX_MS.ready : RESTART_DELAY_MAX_MS.notReady
      yield* Effect.sleep(Math.min(longest, RESTART_DELAY_MIN_MS * 2 ** (failures - 1)))
    }
  })

/**
 * Starts ClickHouse in a child process, with its own HTTP and native listeners, and keeps it running until the scope
 * closes. Its data, `config.xml` and `users.xml` are in `directory`, readable by this user only. Port 0 selects a free one.
 * Succeeds when it answers. The child ends with this process, even after kill -9.
 */
export const startEmbeddedClickHouse = Effect.fn("startEmbeddedClickHouse")(function* (options: {
  readonly directory: string
  readonly httpPort: number
  readonly tcpPort: number
  readonly host?: string
  /** The writer's password for this start; generated by default. */
  readonly writerPassword?: string
  /** True to retry a start for as long as the disk is full. */
  readonly waitsForDisk?: boolean
  /** The analyst's password; by default generated for this start. */
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
  // Written before every start, since another start on the same directory, which is refused later, may have replaced it.
  // Replaced after the start too: the process is confined to the files that existed then, so a query with the function
  // `file()` cannot read the new ones, and finds no password hash.
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
        const unready = yield* Effect.promise(() => awaitReady(engine, url, writer))
        if (unready !== null) return { ready: false, problem: unready }
        yield* Effect.promise(configure)
        current = engine
        yield* Deferred.succeed(started, undefined)
        // The release ends the process of an overdue query.
        const ended = Effect.promise(() => engine.exited)
        const problem = yield* Effect.race(ended, awaitOverdueQuery(url, writer, analystLimits.querySeconds))
        return { ready: true, problem }
      }),
    (engine) =>
      Effect.promise(() => {
        current = null
        return stopProcess(engine)
      }),
  )

  const mendDefinitions = Effect.gen(function* () {
    const removed = yield* Effect.try({ try: () => removeCutDefinitions(dataDirectory), catch: String })
    if (removed.length > 0)
      yield* Effect.logError("definitions of the history were empty or cut; what they defined is made again").pipe(
        Effect.annotateLogs({ names: removed.join(" ") }),
      )
  })

  const runOnce = Effect.tryPromise({ try: configure, catch: String }).pipe(
    Effect.andThen(mendDefinitions),
    Effect.andThen(runProcess),
    Effect.catch((cause) => Effect.succeed({ ready: false, problem: `its files cannot be prepared (${cause})` })),
  )

  yield* Effect.forkScoped(supervise(runOnce, started, () => options.waitsForDisk === true && isDiskLow(directory)))
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
