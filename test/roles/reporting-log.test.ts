import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { expect, it, onTestFinished } from "vitest"
import { makeStatus } from "../../infra/parts/part.ts"
import { reportingLog } from "../../infra/parts/part-log.ts"
import { watchLog } from "../../infra/roles/role-log.ts"
import { type EventLog, LogFull, LogUnavailable, OutcomeUnknown } from "../../schemas/ports/event-log.ts"
import { eventually } from "../support/eventually.ts"
import { makeMemoryLog } from "../support/memory-log.ts"

const scene = async (change: (log: EventLog) => Partial<EventLog> = () => ({})) => {
  const memory = makeMemoryLog()
  const status = makeStatus()
  const part = status.part("ledger", "writer")
  const scope = await Effect.runPromise(Scope.make())
  onTestFinished(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  const run = <A, E>(effect: Effect.Effect<A, E, Scope.Scope>) => Effect.runPromise(Scope.provide(effect, scope))
  const log = reportingLog({ ...memory.log, ...change(memory.log) }, part)
  return { memory, status, part, run, log, report: () => status.reports()[0] }
}

const entry = { topic: "ledger", key: "account", value: new Uint8Array(1) } as const

it("a part waits for the log from a commit that it cannot take until the next that it takes", async () => {
  const { memory, part, run, log, report } = await scene()
  const writer = await run(log.claim("ledger", ["ledger"]))
  part.set({ state: "active" })
  for (const failure of [
    new LogFull({ problem: "no space left" }),
    new LogUnavailable({ problem: "the brokers are away", cause: null }),
    new OutcomeUnknown({ writer: "ledger", cause: null }),
  ]) {
    memory.failWith(failure)
    await run(Effect.exit(writer.commit([entry])))
    expect(report()).toMatchObject({ state: "waiting", reason: failure.message })
    memory.failWith(null)
    await run(writer.commit([entry]))
    expect(report()).toMatchObject({ state: "active", reason: null })
  }
})

it("a part waits while a commit is not answered for seconds", async () => {
  const answer = await Effect.runPromise(Deferred.make<void>())
  const { part, run, log, report } = await scene((memory) => ({
    claim: (writer, topics) =>
      Effect.map(memory.claim(writer, topics), (held) => ({
        ...held,
        commit: (records) => Effect.andThen(Deferred.await(answer), held.commit(records)),
      })),
  }))
  const writer = await run(log.claim("ledger", ["ledger"]))
  part.set({ state: "active" })
  const committed = run(writer.commit([entry]))
  await eventually("it waits", () => report()?.state === "waiting")
  await run(Deferred.succeed(answer, undefined))
  await committed
  await eventually("it is active again", () => report()?.state === "active")
})

it("a part is a standby while another process has the turn, and starts when its own has come", async () => {
  const turn = await Effect.runPromise(Deferred.make<void>())
  const { run, log, report } = await scene(() => ({
    awaitTurn: (_, standsBy) =>
      Effect.andThen(
        Effect.sync(() => standsBy?.()),
        Deferred.await(turn),
      ),
  }))
  const waiting = run(log.awaitTurn("ledger"))
  await eventually("it stands by", () => report()?.state === "standby")
  await run(Deferred.succeed(turn, undefined))
  await waiting
  expect(report()?.state).toBe("starting")
})

it("every part of a process waits while the end of the log cannot be read", async () => {
  let away = false
  const { memory, part, status, run, report } = await scene()
  part.set({ state: "active" })
  const log: EventLog = {
    ...memory.log,
    end: (topic) =>
      Effect.suspend(() =>
        away ? Effect.fail(new LogUnavailable({ problem: "away", cause: null })) : memory.log.end(topic),
      ),
  }
  await run(Effect.forkScoped(watchLog(log, "checkpoints", status)))
  await eventually("it reads the log's end", () => report()?.state === "active")
  away = true
  await eventually("it waits", () => report()?.state === "waiting")
  away = false
  await eventually("it is active again", () => report()?.state === "active")
})
