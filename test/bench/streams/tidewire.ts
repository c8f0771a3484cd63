import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { openLmdbLog } from "../../../infra/log/lmdb/event-log.ts"
import { numberedChange } from "../../changes/numbered-changes.ts"
import { endAll, start } from "../processes.ts"
import type { ServerQuestion, ServerReport } from "./serve.ts"

/** The stream of every change. */
export const ALL_PATH = "/api/stream"

/** The API alone in its own process, over an embedded log that this process writes. */
export interface StreamsServer {
  readonly address: string
  readonly port: number
  readonly pid: number
  readonly ask: (question: ServerQuestion) => Promise<ServerReport>
  /** Commits so many changes, durably; resolves with the number of the last. */
  readonly commit: (count?: number) => Promise<number>
  /** The contender's `publish` and `receivedMs`. */
  readonly publish: () => Promise<number>
  readonly receivedMs: () => Promise<ReadonlyMap<number, number>>
  readonly end: () => Promise<void>
}

/** Changes of one commit, at most. */
const COMMITTED_AT_ONCE = 1_000

/** Starts the API over a log with so many changes. */
export const startStreamsServer = async (logged = 1): Promise<StreamsServer> => {
  const directory = await mkdtemp(join(tmpdir(), "tidewire-bench-"))
  const path = join(directory, "log")
  const scope = Effect.runSync(Scope.make())
  const open = <A, E>(effect: Effect.Effect<A, E, Scope.Scope>): Promise<A> =>
    Effect.runPromise(effect.pipe(Scope.provide(scope)))
  const log = await open(openLmdbLog({ path }))
  const writer = await open(log.claim("bench", ["deltas"]))
  let last = 0
  const commit = async (count = 1): Promise<number> => {
    for (const end = last + count; last < end; ) {
      const upTo = Math.min(end, last + COMMITTED_AT_ONCE)
      await Effect.runPromise(
        writer.commit(Array.from({ length: upTo - last }, (_, index) => numberedChange(last + index + 1))),
      )
      last = upTo
    }
    return last
  }
  await commit(logged)
  const server = start(new URL("./serve.ts", import.meta.url), [path], {
    execArgv: [...process.execArgv, "--expose-gc"],
  })
  const address = (await server.next()) as string
  const ask = async (question: ServerQuestion): Promise<ServerReport> => {
    server.child.send(question)
    return (await server.next()) as ServerReport
  }
  return {
    address,
    port: Number(new URL(address).port),
    pid: server.child.pid ?? 0,
    ask,
    commit,
    publish: () => commit(),
    receivedMs: async () => new Map((await ask("received")).receivedMs),
    end: async () => {
      await endAll([server])
      await Effect.runPromise(Scope.close(scope, Exit.void))
      await rm(directory, { recursive: true, force: true })
    },
  }
}
