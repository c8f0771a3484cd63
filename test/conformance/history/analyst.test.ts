import { mkdirSync, readdirSync, readlinkSync, realpathSync, symlinkSync, writeFileSync } from "node:fs"
import { request } from "node:http"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { openClickHouse } from "../../../infra/history/clickhouse.ts"
import { type EmbeddedClickHouse, startEmbeddedClickHouse } from "../../../infra/history/engine.ts"
import type { EngineUser } from "../../../infra/history/engine-process.ts"
import { temporaryDirectory } from "../../support/service.ts"
import { allowed, refused } from "./analyst-escapes.ts"

describe("an analyst of the embedded ClickHouse", () => {
  const scope = Scope.makeUnsafe()
  const directory = join(temporaryDirectory(), "clickhouse")
  let engine: EmbeddedClickHouse
  const ask = async (user: EngineUser, sql: string, signal?: AbortSignal) => {
    const response = await fetch(`${engine.url}/?database=tidewire`, {
      method: "POST",
      body: sql,
      headers: { "X-ClickHouse-User": user.user, "X-ClickHouse-Key": user.password },
      ...(signal === undefined ? {} : { signal }),
    })
    return { ok: response.ok, text: await response.text() }
  }
  beforeAll(async () => {
    engine = await Effect.runPromise(
      Scope.provide(startEmbeddedClickHouse({ directory, httpPort: 0, tcpPort: 0 }), scope),
    )
    await Effect.runPromise(
      Effect.scoped(Effect.flatMap(openClickHouse({ url: engine.url, ...engine.writer }), ({ prepare }) => prepare)),
    )
    for (const sql of [
      "CREATE DATABASE elsewhere",
      "CREATE TABLE elsewhere.secret (word String) ENGINE = MergeTree ORDER BY word",
      "INSERT INTO elsewhere.secret VALUES ('the secret word')",
    ])
      expect(await ask(engine.writer, sql)).toEqual({ ok: true, text: "" })
  })
  afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

  it("can read the project's database, with the settings that drivers send", async () => {
    for (const sql of allowed) {
      const { ok, text } = await ask(engine.analyst, sql)
      expect(ok, `${sql}: ${text}`).toBe(true)
    }
  })

  it.for(refused)("is refused: %s", async (sql) => {
    if (!engine.confined && sql.startsWith("SELECT file("))
      return expect(engine.analyst.password, "unconfined: only who has the password comes in").not.toBe("")
    const filled = sql
      .replace("{url}", engine.url)
      .replace("{directory}", directory)
      .replace("{native}", `127.0.0.1:${engine.tcpPort}`)
      .replace("{parent}", String(process.pid))
    const { ok, text } = await ask(engine.analyst, filled)
    expect(ok, text.slice(0, 200)).toBe(false)
    expect(text).toMatch(/Exception/)
    expect(text).not.toMatch(/root:x:0|the secret word/)
  })

  it("reads none of the kernel's files but four, wherever its process shows one", async () => {
    const pid = engine.pid()
    if (!engine.confined || pid === null) return expect(engine.analyst.password).not.toBe("")
    const filesIn = (folder: string) =>
      readdirSync(`/proc/${pid}/${folder}`, { withFileTypes: true }).flatMap((entry) =>
        entry.isDirectory() ? [] : [join(folder, entry.name)],
      )
    const ofProcess = ["", "attr", "fd", "fdinfo", "map_files", "net", "ns", `task/${pid}`, `task/${pid}/net`].flatMap(
      filesIn,
    )
    const target = (file: string) => {
      try {
        return realpathSync.native(`/proc/${pid}/${file}`)
      } catch {
        return null
      }
    }
    // Landlock allows the pipes of the process: a query that waits for one is overdue, and ends with the engine.
    const isPipe = (file: string) => {
      if (!file.startsWith("fd/")) return false
      try {
        return readlinkSync(`/proc/${pid}/${file}`).startsWith("pipe:")
      } catch {
        return true
      }
    }
    const files = [
      ...ofProcess
        .filter((file) => !isPipe(file))
        .map((file) => ({ file: `/proc/self/${file}`, target: target(file) })),
      ...["net/tcp", "environ", "maps"].map((file) => ({ file: `/proc/thread-self/${file}`, target: null })),
      ...[
        "/etc/passwd",
        "/proc/1/environ",
        `/proc/${process.pid}/maps`,
        "/proc/net/tcp",
        "/proc/stat",
        "/proc/mounts",
        "/sys/fs/cgroup/memory.stat",
        "/sys/fs/cgroup/memory/memory.stat",
        "/sys/devices/system/cpu/possible",
        "/dev/stdin",
      ].map((file) => ({ file, target: file })),
    ]
    expect(files.map(({ file }) => file)).toContain("/proc/self/net/tcp")
    const own = [
      "/dev/null",
      `/proc/${pid}/maps`,
      `/proc/${pid}/statm`,
      "/proc/meminfo",
      "/sys/devices/system/cpu/online",
    ]
    const readable: Array<string> = []
    for (const { file, target } of files) {
      const { ok, text } = await ask(
        engine.analyst,
        `SELECT length(file('${file}'))`,
        AbortSignal.timeout(5_000),
      ).catch((cause) => {
        throw new Error(`no answer for ${file} (${target})`, { cause })
      })
      // Namespaces and folders can be opened, and hold no byte.
      if (ok && text !== "0\n" && !own.includes(target ?? "") && !target?.startsWith(`${directory}/data/`))
        readable.push(file)
    }
    expect(readable).toEqual([])
    // What the engine needs stays readable to it, so the loop above has read something.
    expect((await ask(engine.analyst, "SELECT file('/proc/self/statm')")).ok).toBe(true)
  })

  it("does not leave the data folder by links or by dots", async () => {
    if (!engine.confined) return expect(engine.analyst.password).not.toBe("")
    const folder = join(directory, "data", "user_files")
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, "plain"), "of the data folder")
    for (const [name, target] of [
      ["passwd", "/etc/passwd"],
      ["users", join(directory, "users.xml")],
      ["root", "/"],
    ] as const)
      symlinkSync(target, join(folder, name))
    expect((await ask(engine.analyst, `SELECT file('${folder}/plain')`)).text).toBe("of the data folder\n")
    for (const path of [
      "passwd",
      "users",
      "root/etc/passwd",
      "../../users.xml",
      "../../config.xml",
      "root/proc/1/environ",
    ])
      for (const sql of [
        `SELECT file('${folder}/${path}')`,
        `SELECT file('${path}')`,
        `SELECT * FROM file('${path}', 'LineAsString')`,
        `SELECT * FROM file('${folder}/${path}', 'LineAsString')`,
      ])
        expect(await ask(engine.analyst, sql), sql).toMatchObject({ ok: false })
  })

  it("sees no other database", async () => {
    expect((await ask(engine.analyst, "SHOW DATABASES")).text.trim().split("\n")).toEqual(["tidewire"])
    expect((await ask(engine.analyst, "SHOW TABLES FROM elsewhere")).text).toBe("")
    expect((await ask(engine.analyst, "SELECT count() FROM merge('.*', 'secret')")).ok).toBe(false)
    expect((await ask(engine.analyst, "SELECT count() FROM system.tables WHERE database != 'tidewire'")).text).toBe(
      "0\n",
    )
  })

  /** A request as a web page sends it: `fetch` does not allow these headers. */
  const asPage = (path: string, headers: Readonly<Record<string, string>>, method = "POST") =>
    new Promise<{ status: number; cors: string | undefined; text: string }>((resolve, reject) => {
      const { user, password } = engine.analyst
      const all = { "X-ClickHouse-User": user, "X-ClickHouse-Key": password, ...headers }
      const asked = request(`${engine.url}${path}`, { method, headers: all }, (response) => {
        let text = ""
        response.on("data", (chunk) => {
          text += chunk
        })
        const cors = response.headers["access-control-allow-origin"]
        response.on("end", () => resolve({ status: response.statusCode ?? 0, cors, text }))
      })
      asked.once("error", reject)
      asked.end(method === "POST" ? "SELECT 42" : undefined)
    })

  it.for([
    ["a page of another origin", "/", { Origin: "http://evil.example" }],
    ["a page that hides its origin", "/", { Origin: "null" }],
    ["a page that begins like ours", "/", { Origin: "http://localhost.evil.example" }],
    ["a name that was made to point here", "/", { Host: "rebound.example" }],
    ["such a name, with our port", "/", { Host: "rebound.example:8123" }],
    ["such a name that begins like ours", "/", { Host: "127.0.0.1.evil.example" }],
    ["a page that asks for permission", "/?add_http_cors_header=1", { Origin: "http://evil.example" }],
    ["a query that wants all pages to read it", "/?add_http_cors_header=1", {}],
  ] as const)("answers nothing to %s", async ([, path, headers]) => {
    const { status, cors, text } = await asPage(path, headers)
    expect(status).toBeGreaterThanOrEqual(400)
    expect(cors).toBeUndefined()
    expect(text).not.toMatch(/^42$/m)
  })

  it("is answered for each name of this machine, and for the page that ClickHouse serves itself", async () => {
    for (const headers of [{}, { Host: "localhost:8123" }, { Host: "[::1]:8123" }, { Origin: engine.url }]) {
      const { status, cors, text } = await asPage("/", headers)
      expect({ status, cors, text }).toEqual({ status: 200, cors: undefined, text: "42\n" })
    }
    expect((await asPage("/ping", {}, "GET")).text).toBe("Ok.\n")
    const preflight = { Origin: "http://evil.example", "Access-Control-Request-Method": "POST" }
    const { status, cors } = await asPage("/", preflight, "OPTIONS")
    expect({ allowed: status < 300, cors }).toEqual({ allowed: false, cors: undefined })
  })

  it("cannot connect without the password", async () => {
    expect(engine.analyst.password).toMatch(/^[0-9a-f]{64}$/)
    expect((await ask({ user: "analyst", password: "" }, "SELECT 1")).ok).toBe(false)
    expect((await fetch(`${engine.url}/?user=analyst&query=SELECT%2042`)).ok).toBe(false)
  })

  it("cannot run a query beyond the time limit", async () => {
    const { ok, text } = await ask(
      engine.analyst,
      "SELECT sum(sipHash64(number, number)) FROM numbers(100000) WHERE sleepEachRow(0.001) = 0 SETTINGS max_execution_time = 1, max_block_size = 100",
    )
    expect(ok).toBe(false)
    expect(text).toMatch(/TIMEOUT_EXCEEDED/)
  })

  it("cannot connect as the user that opened the listeners, nor as the writer without its password", async () => {
    for (const user of [
      { user: "default", password: "" },
      { user: "writer", password: "" },
      { user: "nobody", password: "" },
    ])
      expect((await ask(user, "SELECT 1")).ok, user.user).toBe(false)
  })

  it("can still query after all of these attempts", async () => {
    expect((await ask(engine.analyst, "SELECT 1")).text).toBe("1\n")
    expect((await ask(engine.writer, "SELECT word FROM elsewhere.secret")).text).toBe("the secret word\n")
  })
})
