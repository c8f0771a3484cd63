import { readdirSync, readFileSync, readlinkSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type EmbeddedClickHouse, startEmbeddedClickHouse } from "../../../infra/history/engine.ts"
import type { EngineUser } from "../../../infra/history/engine-process.ts"
import { ANALYST_LIMITS } from "../../../infra/history/users.ts"
import { eventually } from "../../support/eventually.ts"
import { temporaryDirectory } from "../../support/service.ts"
import { migrations, openStage, type Stage } from "./harness.ts"
import { events } from "./workload.ts"

/** Three rows ran for 9 to 36 seconds; these, one block, take a quarter of an hour or more. */
const BLOCK_OF_HOURS =
  "SELECT levenshteinDistance(repeat('a', 60000), concat(repeat('b', 60000), toString(number))) FROM numbers(300)"

describe("a query of an analyst that outlives twice its time", () => {
  const scope = Scope.makeUnsafe()
  let engine: EmbeddedClickHouse
  let stage: Stage
  const ask = async (user: EngineUser, sql: string, signal?: AbortSignal) => {
    const response = await fetch(`${engine.url}/?database=tidewire`, {
      method: "POST",
      body: sql,
      headers: { "X-ClickHouse-User": user.user, "X-ClickHouse-Key": user.password },
      ...(signal === undefined ? {} : { signal }),
    })
    return { ok: response.ok, text: await response.text() }
  }
  const running = () => eventually("the engine runs", () => engine.pid() ?? undefined)
  const isBack = (before: number) =>
    eventually("another engine answers an analyst", async () => {
      if ([null, before].includes(engine.pid())) return false
      return (await ask(engine.analyst, "SELECT 42")).text === "42\n"
    })
  const runsLevenshtein = () =>
    eventually("the query runs", async () => {
      const { text } = await ask(
        engine.writer,
        "SELECT count() FROM system.processes WHERE user = 'analyst' AND query LIKE '%levenshtein%'",
      )
      return text === "1\n"
    })

  beforeAll(async () => {
    const directory = join(temporaryDirectory(), "clickhouse")
    const analystLimits = { ...ANALYST_LIMITS, querySeconds: 1 }
    engine = await Effect.runPromise(
      Scope.provide(startEmbeddedClickHouse({ directory, httpPort: 0, tcpPort: 0, analystLimits }), scope),
    )
    stage = await openStage({ url: engine.url, ...engine.writer, migrations })
  })
  afterAll(async () => {
    await stage.close()
    await Effect.runPromise(Scope.close(scope, Exit.void))
  })

  it("is answered with an error, ends with its engine, and costs the history no row", async () => {
    const { crash } = stage.consume()
    await stage.append(events(0, 100))
    const before = await running()
    const answer = ask(engine.analyst, `${BLOCK_OF_HOURS} SETTINGS max_execution_time = 1`).catch(() => ({ ok: false }))
    await runsLevenshtein()
    await stage.append(events(100, 200))
    expect((await answer).ok).toBe(false)
    await stage.append(events(200, 300))
    await isBack(before)
    await stage.caughtUp(300, 30)
    await stage.verify()
    expect(await stage.count("SELECT count() AS count FROM events")).toBe(330)
    await crash()
  })

  it("ends with its engine when its client has gone, also without a limit of its own", async () => {
    const before = await running()
    const client = new AbortController()
    const answer = ask(engine.analyst, BLOCK_OF_HOURS, client.signal).catch(() => ({ ok: false }))
    await runsLevenshtein()
    client.abort()
    expect((await answer).ok).toBe(false)
    await isBack(before)
  })

  it("ends with its engine while it waits for a pipe of the engine's process", async () => {
    if (process.platform !== "linux") return
    const before = await running()
    const isReadable = (descriptor: string) =>
      (Number.parseInt(
        /^flags:\s+(\d+)/m.exec(readFileSync(`/proc/${before}/fdinfo/${descriptor}`, "utf8"))?.[1] ?? "1",
        8,
      ) &
        1) ===
      0
    const pipe = readdirSync(`/proc/${before}/fd`).find(
      (descriptor) => readlinkSync(`/proc/${before}/fd/${descriptor}`).startsWith("pipe:") && isReadable(descriptor),
    )
    expect(pipe).toBeDefined()
    const answer = await ask(engine.analyst, `SELECT length(file('/proc/self/fd/${pipe}'))`).catch(() => ({
      ok: false,
    }))
    expect(answer.ok).toBe(false)
    await isBack(before)
  })

  it("does not end the engine for the writer's query, whatever its time", async () => {
    const before = await running()
    const { ok } = await ask(
      engine.writer,
      "SELECT sleepEachRow(1) FROM numbers(6) SETTINGS max_block_size = 1 FORMAT Null",
    )
    expect(ok).toBe(true)
    expect(engine.pid()).toBe(before)
  })

  it("runs at a lower priority than the service", async () => {
    if (process.platform !== "linux") return
    const pid = await running()
    const { text } = await ask(engine.writer, "SELECT arrayJoin(thread_ids) FROM system.processes")
    const threads = text.trim().split("\n")
    expect(threads.length).toBeGreaterThan(0)
    for (const thread of threads) {
      const [, ...fields] = readFileSync(`/proc/${pid}/task/${thread}/stat`, "utf8").split(") ")
      // The state is the third member of the line, niceness the nineteenth.
      expect(Number(fields.join(") ").split(" ")[16])).toBeGreaterThan(0)
    }
  })
})
