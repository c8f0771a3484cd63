import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import { describe, expect, it, onTestFinished } from "vitest"
import { openLedger } from "../../ledger/write/writer.ts"
import type { EventLog } from "../../schemas/ports/event-log.ts"
import type { Topic } from "../../schemas/topics.ts"
import { openLmdbLog } from "../log/lmdb/event-log.ts"
import { makeStatus, type PartState, readinessOf } from "../parts/part.ts"
import { holdLedger } from "./ledger-holder.ts"

const POLL_MS = 10

const until = async (what: () => boolean | Promise<boolean>) => {
  const deadline = Date.now() + 180_000
  while (!(await what())) {
    if (Date.now() > deadline) throw new Error("it never came true")
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
}

/** A log whose turns the test gives: `awaitTurn` waits for the next one. */
const scene = async (risk: string | null = null) => {
  const directory = mkdtempSync(join(tmpdir(), "tidewire-test-"))
  const scope = await Effect.runPromise(Scope.make())
  onTestFinished(async () => {
    await Effect.runPromise(Scope.close(scope, Exit.void))
    rmSync(directory, { recursive: true, force: true })
  })
  const run = <A, E>(effect: Effect.Effect<A, E, Scope.Scope>) => Effect.runPromise(Scope.provide(effect, scope))
  const log = await run(openLmdbLog({ path: directory }))
  const turns: Array<Deferred.Deferred<void>> = []
  const risks = new Map<Topic, string>()
  const standby: EventLog = {
    ...log,
    risks: Effect.sync(() => risks),
    awaitTurn: (_, standsBy) =>
      Effect.gen(function* () {
        standsBy?.()
        const turn = yield* Deferred.make<void>()
        turns.push(turn)
        yield* Deferred.await(turn)
      }),
  }
  if (risk !== null) risks.set("ledger", risk)
  const status = makeStatus()
  const state = (): PartState | undefined => status.reports()[0]?.state
  const companions = { running: 0 }
  const holder = holdLedger({
    log: standby,
    status,
    beside: () =>
      Effect.acquireRelease(
        Effect.sync(() => {
          companions.running += 1
        }),
        () =>
          Effect.sync(() => {
            companions.running -= 1
          }),
      ).pipe(Effect.andThen(Effect.never)),
  })
  const stop = new AbortController()
  const ended = Effect.runPromiseExit(holder.run, { signal: stop.signal })
  onTestFinished(() => stop.abort())
  const giveTurn = async () => {
    await until(() => turns.length > 0)
    const turn = turns.shift()
    if (turn !== undefined) Effect.runSync(Deferred.succeed(turn, undefined))
  }
  const read = () => Effect.runPromise(Effect.result(holder.client.submit({ _tag: "refundOrphans" })))
  return { log, run, status, state, companions, holder, stop, ended, giveTurn, read, turns, risks }
}

const answers = expect.objectContaining({ success: expect.objectContaining({ answer: { refunded: 0 } }) })
const standsBy = expect.objectContaining({
  failure: expect.objectContaining({ _tag: "billing_unavailable", reason: "standby" }),
})

describe("the holder of the ledger", () => {
  it("stands by until it is its turn, and says so", async () => {
    const { holder, read, giveTurn, status, state, companions, turns } = await scene()
    await until(() => turns.length > 0)
    expect(holder.active()).toBe(false)
    expect(await read()).toEqual(standsBy)
    expect(state()).toBe("standby")
    expect(readinessOf(status.reports()).ready).toBe(true)
    expect(companions.running).toBe(0)
    await giveTurn()
    await until(() => holder.active())
    expect(await read()).toEqual(answers)
    await until(() => companions.running === 1)
    expect(status.reports()).toMatchObject([{ role: "ledger", part: "writer", state: "active", reason: null }])
  })

  it("finds out by itself that it was fenced, stands by, and holds the ledger again when its turn comes back", async () => {
    const { log, run, holder, read, giveTurn, state, companions } = await scene()
    await giveTurn()
    await until(() => holder.active())
    const other = await run(openLedger({ log }))
    await until(() => !holder.active())
    await until(() => state() === "standby")
    expect(await read()).toEqual(standsBy)
    expect(companions.running).toBe(0)
    expect(Result.isSuccess(await Effect.runPromise(Effect.result(other.submit({ _tag: "refundOrphans" }))))).toBe(true)
    await giveTurn()
    await until(() => holder.active())
    expect(await read()).toEqual(answers)
  })

  it("gives up the ledger when it is stopped", async () => {
    const { holder, read, giveTurn, stop, ended, companions } = await scene()
    await giveTurn()
    await until(() => holder.active())
    stop.abort()
    await ended
    expect(holder.active()).toBe(false)
    expect(companions.running).toBe(0)
    expect(await read()).toEqual(standsBy)
  })

  it("sells nothing while one lost broker may lose a payment, says how to change that, and goes on once it is changed", async () => {
    const { risks, status, read, giveTurn, turns } = await scene(
      "the topic ledger has a single replica. To change it: ...",
    )
    await until(() => status.reports()[0]?.state === "waiting")
    expect(readinessOf(status.reports()).reasons).toEqual([
      "ledger writer: waiting: nothing is sold: the topic ledger has a single replica. To change it: ...",
    ])
    expect(await read()).toEqual(standsBy)
    expect(turns).toEqual([])
    risks.clear()
    await giveTurn()
    await until(() => status.reports()[0]?.state === "active")
    expect(await read()).toEqual(answers)
  })
})
