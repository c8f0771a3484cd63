import { spawn } from "node:child_process"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest"
import { openClickHouse } from "../../../infra/history/clickhouse.ts"
import { ANALYST_LIMITS } from "../../../infra/history/users.ts"
import { describeUnless } from "../../support/describe-unless.ts"
import { eventually } from "../../support/eventually.ts"
import { temporaryDirectory } from "../../support/service.ts"
import { analystOf, dropDatabase, type Engine, migrations, openStage, type Stage } from "./harness.ts"
import { events } from "./workload.ts"

const ROUNDS = Number(process.env.ROUNDS ?? 4)
const ROUND_MAX_MS = 20_000

/** Pauses of the rounds in milliseconds, spread over the duration of a batch, the same in every run. */
const pauseOf = (round: number) => 150 + ((round * 7_919) % 600)
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** The guarantees on every ClickHouse while processes are killed. `missing`: the reason to skip the suite. */
export const historyCrashSuite = (name: string, start: () => Promise<Engine>, missing?: string): void => {
  describeUnless(missing, name, () => {
    let engine: Engine
    let stage: Stage
    beforeAll(async () => {
      engine = await start()
    })
    afterAll(() => engine.stop())
    beforeEach(async () => {
      await dropDatabase(engine.options)
      stage = await openStage(engine.options)
    })
    afterEach(() => stage.close())

    const consumer = async (path: string, total: number) => {
      const { url, user, password } = engine.options
      const file = fileURLToPath(new URL("consumer-process.ts", import.meta.url))
      const child = spawn(process.execPath, [file, path, url, user, password, migrations.href, String(total)], {
        stdio: ["ignore", "pipe", "inherit"],
      })
      let done = false
      child.stdout.on("data", () => {
        done = true
      })
      const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()))
      return {
        done: () => done,
        kill: async () => {
          child.kill("SIGKILL")
          await ended
        },
      }
    }

    it(
      `loses and doubles nothing when the consumer's process is killed ${ROUNDS} times`,
      async () => {
        await stage.close()
        const directory = temporaryDirectory()
        const path = join(directory, "log")
        const total = 400 + ROUNDS * 150
        for (let round = 0; round < ROUNDS; round += 1) {
          const process = await consumer(path, total)
          await pause(pauseOf(round) + 500)
          await process.kill()
        }
        const last = await consumer(path, total)
        await eventually("all events are in the log", () => last.done())
        await pause(100)
        await last.kill()
        stage = await openStage(engine.options, directory)
        const { crash } = stage.consume()
        await stage.caughtUp(total, total / 10)
        await stage.verify()
        expect(await stage.count("SELECT count() AS count FROM events")).toBe(total + total / 10)
        await crash()
      },
      300_000 + ROUNDS * ROUND_MAX_MS,
    )

    it("shows analysts nothing of a killed rebuild, and drops its tables at the next start", async () => {
      const analyst = { user: "analyst", password: "of the crash suite", limits: ANALYST_LIMITS }
      const visible = async () => {
        const { url } = engine.options
        // The tables of the analysts' database, if the server allows no users.
        const asking = await analystOf(engine, analyst)
        const user = asking ?? engine.options
        const query = `SELECT database, name FROM system.tables ${asking === null ? "WHERE database = 'tidewire'" : ""}`
        const asked = await fetch(`${url}/?query=${encodeURIComponent(query)}`, {
          headers: { "X-ClickHouse-User": user.user, "X-ClickHouse-Key": user.password },
        })
        const text = await asked.text()
        if (!asked.ok) throw new Error(text)
        return text.split("\n").filter((line) => line.startsWith("tidewire"))
      }
      const made = await stage.run(openClickHouse({ ...engine.options, migrations, analyst }))
      await stage.run(made.prepare)
      const before = await visible()
      expect(before.length).toBeGreaterThan(2)
      // Just before a month ends: the rows belong to two partitions, and therefore to two inserts.
      await stage.append(events(0, 1_000))
      const first = stage.consume()
      await stage.caughtUp(1_000, 100)
      await first.crash()
      await stage.close()

      const { url, user, password } = engine.options
      const file = fileURLToPath(new URL("rebuild-process.ts", import.meta.url))
      const child = spawn(
        process.execPath,
        [file, join(stage.directory, "log"), url, user, password, migrations.href],
        { stdio: ["ignore", "pipe", "inherit"] },
      )
      const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()))
      let half = false
      child.stdout.on("data", () => {
        half = true
      })
      await eventually("half a table stands", () => half)
      expect(await visible()).toEqual(before)
      child.kill("SIGKILL")
      await ended
      expect(await visible()).toEqual(before)

      stage = await openStage(engine.options, stage.directory)
      const left = () => stage.count("SELECT count() AS count FROM system.tables WHERE name LIKE '%\\_\\_%'")
      expect(await left()).toBe(1)
      const second = stage.consume()
      await eventually("the next start has cleaned up", async () => (await left()) === 0)
      await stage.verify()
      await second.crash()
    })

    it(
      `loses and doubles nothing when ClickHouse is killed ${ROUNDS} times`,
      async () => {
        const { crash } = stage.consume()
        const per = 150
        for (let round = 0; round < ROUNDS; round += 1) {
          const killed = pause(pauseOf(round) / 3).then(() => engine.kill())
          for (let part = 0; part < per; part += 10) {
            await stage.append(events(round * per + part, round * per + part + 10))
            await pause(10)
          }
          await killed
        }
        await stage.caughtUp(ROUNDS * per, (ROUNDS * per) / 10)
        await stage.verify()
        expect(await stage.count("SELECT count() AS count FROM events")).toBe(ROUNDS * per * 1.1)
        await crash()
      },
      300_000 + ROUNDS * ROUND_MAX_MS,
    )
  })
}
