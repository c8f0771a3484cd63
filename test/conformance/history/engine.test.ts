import { spawn } from "node:child_process"
import { readFileSync, statSync, truncateSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { openClickHouse } from "../../../infra/history/clickhouse.ts"
import { type EmbeddedClickHouse, engineLibrary, startEmbeddedClickHouse } from "../../../infra/history/engine.ts"
import { eventually } from "../../support/eventually.ts"
import { temporaryDirectory } from "../../support/service.ts"

const ask = async (engine: EmbeddedClickHouse, sql: string) => {
  const response = await fetch(engine.url, {
    method: "POST",
    body: sql,
    headers: { "X-ClickHouse-User": engine.writer.user, "X-ClickHouse-Key": engine.writer.password },
  })
  const text = await response.text()
  if (!response.ok) throw new Error(text)
  return text.trim()
}
const using = <A>(directory: string, use: (engine: EmbeddedClickHouse) => Promise<A>) =>
  Effect.runPromise(
    Effect.scoped(
      Effect.flatMap(startEmbeddedClickHouse({ directory, httpPort: 0, tcpPort: 0 }), (engine) =>
        Effect.promise(() => use(engine)),
      ),
    ),
  )
const runs = (pid: number) => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

describe("the embedded engine", () => {
  it("keeps its data over restarts and kills, accessible by its owner only, and changes the writer's password each time", async () => {
    const directory = join(temporaryDirectory(), "clickhouse")
    const first = await using(directory, async (engine) => {
      await ask(engine, "CREATE DATABASE kept")
      await ask(engine, "CREATE TABLE kept.t (a UInt64) ENGINE = MergeTree ORDER BY a")
      await ask(engine, "INSERT INTO kept.t SELECT number FROM numbers(1000)")
      const before = engine.pid() ?? 0
      process.kill(before, "SIGKILL")
      await eventually("the engine is back", () => ![null, before].includes(engine.pid()))
      expect(await ask(engine, "SELECT sum(a) FROM kept.t")).toBe("499500")
      return engine
    })
    expect(first.pid()).toBeNull()
    await using(directory, async (engine) => {
      expect(await ask(engine, "SELECT sum(a) FROM kept.t")).toBe("499500")
      expect(engine.writer.password).not.toBe(first.writer.password)
      for (const file of ["config.xml", "users.xml"]) expect(statSync(join(directory, file)).mode & 0o077, file).toBe(0)
      expect(readFileSync(join(directory, "users.xml"), "utf8")).not.toContain(engine.writer.password)
    })
  })

  it.each([
    ["empty", 0],
    ["cut", 60],
  ])("starts without a table whose definition a full disk has left %s", async (_, bytes) => {
    const directory = join(temporaryDirectory(), "clickhouse")
    const path = await using(directory, async (engine) => {
      await ask(engine, "CREATE DATABASE kept")
      await ask(engine, "CREATE TABLE kept.whole ENGINE = MergeTree ORDER BY () AS SELECT 1 AS a")
      await ask(engine, "CREATE TABLE kept.torn ENGINE = MergeTree ORDER BY () AS SELECT 1 AS a")
      return ask(engine, "SELECT metadata_path FROM system.tables WHERE database = 'kept' AND name = 'torn'")
    })
    truncateSync(join(directory, "data", path), bytes)
    await using(directory, async (engine) => {
      expect(await ask(engine, "SHOW TABLES FROM kept")).toBe("whole")
      expect(await ask(engine, "SELECT a FROM kept.whole")).toBe("1")
    })
  })

  it("is prepared again where every table was defined and none was recorded, as a crash between them leaves it", async () => {
    const recorded = "SELECT `table`, number, hash FROM tidewire.migrations ORDER BY ALL"
    await using(join(temporaryDirectory(), "clickhouse"), async (engine) => {
      const prepare = () =>
        Effect.runPromise(
          Effect.scoped(
            Effect.flatMap(openClickHouse({ url: engine.url, ...engine.writer }), (history) => history.prepare),
          ),
        )
      await prepare()
      const before = await ask(engine, recorded)
      expect(before.split("\n").length).toBeGreaterThan(100)
      await ask(engine, "TRUNCATE TABLE tidewire.migrations")
      await prepare()
      expect(await ask(engine, recorded)).toBe(before)
    })
  })

  it("serves the native protocol on its second port", async () => {
    await using(join(temporaryDirectory(), "clickhouse"), async (engine) => {
      // ClickHouse answers an HTTP request on the native port with a hint.
      const response = await fetch(`http://127.0.0.1:${engine.tcpPort}/`)
      expect(await response.text()).toContain(`Port ${engine.tcpPort} is for clickhouse-client program`)
    })
  })

  it("ends when its parent is killed, so that the next start can use the directory", async () => {
    const directory = join(temporaryDirectory(), "clickhouse")
    const file = fileURLToPath(new URL("start-engine.ts", import.meta.url))
    const parent = spawn(process.execPath, [file, directory], { stdio: ["ignore", "pipe", "inherit"] })
    const pid = await new Promise<number>((resolve) => parent.stdout.once("data", (text) => resolve(Number(text))))
    expect(runs(pid)).toBe(true)
    parent.kill("SIGKILL")
    await using(directory, async (engine) => expect(await ask(engine, "SELECT 1")).toBe("1"))
    await eventually("the orphan is gone", () => !runs(pid))
  })

  it("refuses a second start on the same data, with the reason", async () => {
    const directory = join(temporaryDirectory(), "clickhouse")
    await using(directory, async () => {
      const failure = await Effect.runPromise(
        Effect.flip(Effect.scoped(startEmbeddedClickHouse({ directory, httpPort: 0, tcpPort: 0 }))),
      )
      expect(failure).toMatchObject({ _tag: "EngineFailed", reason: "start_failed" })
    })
  })

  it("names the port that is taken", async () => {
    const server = createServer((socket) => socket.destroy())
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const address = server.address()
    const httpPort = typeof address === "object" && address !== null ? address.port : 0
    const failure = await Effect.runPromise(
      Effect.flip(
        Effect.scoped(
          startEmbeddedClickHouse({ directory: join(temporaryDirectory(), "clickhouse"), httpPort, tcpPort: 0 }),
        ),
      ),
    )
    expect(failure._tag).toBe("EngineFailed")
    expect(failure.message).toContain(String(httpPort))
    await new Promise((resolve) => server.close(resolve))
  })

  it("names the alternative on a platform without a build", () => {
    expect(engineLibrary("sunos", "sparc")).toEqual({
      problem: "there is no build for sunos on sparc; set CLICKHOUSE_URL to use a ClickHouse server",
    })
    const other = process.platform === "darwin" ? "linux" : "darwin"
    expect(engineLibrary(other, "arm64")).toHaveProperty("problem", expect.stringContaining("is not installed"))
  })

  it("stays within its memory limit while it writes and reads half a million rows", async () => {
    if (process.platform !== "linux") return
    await using(join(temporaryDirectory(), "clickhouse"), async (engine) => {
      await ask(engine, "CREATE DATABASE big")
      await ask(engine, "CREATE TABLE big.t (a UInt64, s String) ENGINE = MergeTree ORDER BY a")
      for (let batch = 0; batch < 50; batch += 1)
        await ask(
          engine,
          `INSERT INTO big.t SELECT number + ${batch} * 10000, randomPrintableASCII(200) FROM numbers(10000)`,
        )
      await ask(engine, "OPTIMIZE TABLE big.t FINAL")
      await ask(engine, "SELECT count(), uniq(s) FROM big.t GROUP BY a % 100 FORMAT Null")
      const status = readFileSync(`/proc/${engine.pid()}/status`, "utf8")
      const kibibytes = Number(/VmRSS:\s+(\d+)/.exec(status)?.[1])
      expect(kibibytes / 1024).toBeLessThan(500)
    })
  })
})
