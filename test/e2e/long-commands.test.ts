import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { closeSync, constants, existsSync, openSync, readFileSync, readSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { openLmdbLog } from "../../infra/log/lmdb/event-log.ts"
import { readMark } from "../../infra/log/transfer/import-mark.ts"
import { holdDirectory } from "../../infra/system/data-directory.ts"
import { COMMANDS, runCommand } from "../support/command.ts"
import { eventually } from "../support/eventually.ts"
import { expectRefused, exportFilledLog } from "../support/half-import.ts"
import { removeDirectory, temporaryDirectory } from "../support/service.ts"

const home = temporaryDirectory()
const directory = join(home, "data")
const environment = { DATA_DIR: directory }
const whole = join(home, "whole.ndjson")
const RECORDS = 6_000

beforeAll(async () => {
  await Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const log = yield* openLmdbLog({ path: join(directory, "log") })
        const writer = yield* log.claim("test", ["deltas"])
        const value = new TextEncoder().encode("x".repeat(500))
        yield* writer.commit(Array.from({ length: RECORDS }, () => ({ topic: "deltas" as const, key: "a", value })))
      }),
    ),
  )
  expect(await runCommand(environment, "log", "export", whole)).toMatchObject({ code: 0 })
})
afterAll(() => removeDirectory(home))

/** Starts a command. `ended` resolves with its exit code and its standard error. */
const start = (settings: Readonly<Record<string, string>>, ...words: ReadonlyArray<string>) => {
  const child: ChildProcess = spawn(process.execPath, [COMMANDS, ...words], {
    cwd: new URL("../..", import.meta.url),
    env: { PATH: process.env.PATH, ...settings },
    stdio: ["pipe", "ignore", "pipe"],
  })
  let stderr = ""
  child.stderr?.on("data", (chunk) => {
    stderr += chunk
  })
  child.stdin?.on("error", () => {})
  const ended = new Promise<{ readonly code: number | null; readonly stderr: string }>((resolve) =>
    child.once("close", (code) => resolve({ code, stderr })),
  )
  return { child, ended }
}

/** Whether something was written to a pipe. */
const hasBytes = (reader: number): boolean => {
  try {
    return readSync(reader, Buffer.alloc(1)) > 0
  } catch {
    // It is open on the other side, and empty.
    return false
  }
}

describe("Ctrl-C", () => {
  it.each([["log", "export"], ["backup"]])("ends %s in one sentence and leaves no file", async (...words) => {
    const file = join(home, "interrupted.ndjson")
    // A pipe that is opened and never read: the command stands in the midst of writing.
    spawnSync("mkfifo", [`${file}.part`])
    const reader = openSync(`${file}.part`, constants.O_RDONLY | constants.O_NONBLOCK)
    const { child, ended } = start(environment, ...words, file)
    await eventually("it writes", () => hasBytes(reader))
    child.kill("SIGINT")
    await eventually("nothing is left of it", () => !existsSync(`${file}.part`))
    // No process ends while the system still writes for it.
    closeSync(reader)
    expect(await ended).toEqual({ code: 130, stderr: "interrupted: no file was written\n" })
    expect(existsSync(file)).toBe(false)
  })

  it("ends an import in one sentence, and the same command goes on", async () => {
    const there = { DATA_DIR: join(home, "interrupted") }
    const { child, ended } = start(there, "log", "import", "-")
    const text = readFileSync(whole, "utf8")
    child.stdin?.write(text.slice(0, text.length / 2))
    await Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const log = yield* openLmdbLog({ path: join(there.DATA_DIR, "log") })
          yield* Effect.promise(() =>
            eventually("some is committed", async () => (await Effect.runPromise(log.end("deltas"))) >= 2_000),
          )
        }),
      ),
    )
    child.kill("SIGINT")
    const { code, stderr } = await ended
    expect({ code, lines: stderr.split("\n").length }).toEqual({ code: 130, lines: 2 })
    expect(stderr).toMatch(/^interrupted: the import is not finished; the same command continues it/)
    const resumed = await runCommand(there, "log", "import", whole)
    expect(resumed).toMatchObject({ code: 0, stderr: expect.stringContaining(`${RECORDS} records imported`) })
  })
})

describe("a restore from a pipe that Ctrl-C ends", () => {
  const origin = { DATA_DIR: join(home, "origin") }
  const backup = join(home, "ticks.ndjson")
  const there = { DATA_DIR: join(home, "piped"), HISTORY: "off" }
  const openLog = openLmdbLog({ path: join(there.DATA_DIR, "log") })
  const importedSome = () =>
    Effect.runPromise(Effect.scoped(Effect.flatMap(openLog, (log) => log.end("observations")))).then((end) => end > 0)
  const discards = "npm run log -- import --discard"

  it("goes on with what is piped in again until its log is complete, and with npm run rebuild from then on", async () => {
    await exportFilledLog(origin, openLmdbLog({ path: join(origin.DATA_DIR, "log") }), backup)
    const bytes = readFileSync(backup)

    const first = start(there, "restore", "-")
    first.child.stdin?.write(bytes.subarray(0, bytes.length / 2))
    await eventually("some is committed", () => existsSync(join(there.DATA_DIR, "log")) && importedSome())
    first.child.kill("SIGINT")
    const half = await first.ended
    expect(half.code).toBe(130)
    expect(half.stderr).toContain("the same backup, piped in again from its beginning,")
    expect(half.stderr).toContain(discards)

    const second = start(there, "restore", "-")
    second.child.stdin?.end(bytes)
    second.child.stderr?.on("data", (chunk) => {
      if (String(chunk).includes("records are in the log")) second.child.kill("SIGINT")
    })
    const whole = await second.ended
    expect(whole.code).toBe(130)
    expect(whole.stderr).toContain("continued after")
    expect(whole.stderr).toMatch(/interrupted: the log is complete, .*npm run rebuild continues\n$/u)
    expect(whole.stderr).not.toContain("same command")
    expect(whole.stderr).not.toContain(discards)

    const third = start(there, "restore", "-")
    third.child.stdin?.end(bytes)
    const refused = await third.ended
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("npm run rebuild continues") })
    // No process has folded the log of origin: the rebuild says so, and ends with code 1.
    expect((await runCommand(there, "rebuild")).stdout).toContain("of 12000 events were folded")
    expect(await Effect.runPromise(Effect.scoped(Effect.flatMap(openLog, readMark)))).toBeNull()
  })

  it("is described so by its help", async () => {
    const { stdout } = await runCommand({}, "restore", "--help")
    expect(stdout).toMatch(
      /standard input: then the same backup\s+must be piped in again[\s\S]*npm run rebuild continues/u,
    )
  })
})

describe("a restore that ends before its first record", () => {
  it.each(["SIGINT", "SIGKILL"] as const)("is refused by name and can be continued, after %s", async (signal) => {
    // ClickHouse accepts connections and never answers, so that the restore comes no further.
    const silent = createServer()
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve))
    const address = silent.address()
    const there = {
      DATA_DIR: join(home, `restored-${signal}`),
      CLICKHOUSE_URL: `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`,
      CLICKHOUSE_ANALYST_PASSWORD: "a-password-for-analysts",
    }
    try {
      const { child, ended } = start(there, "restore", whole)
      await eventually("the folder of the log is there", () => existsSync(join(there.DATA_DIR, "log")))
      child.kill(signal)
      const { code, stderr } = await ended
      if (signal === "SIGINT")
        expect({ code, stderr }).toEqual({ code: 130, stderr: expect.stringContaining("the same command") })
      else expect(code).toBe(null)
    } finally {
      silent.close()
    }
    await expectRefused(there, whole, "0")
    const continued = await runCommand(there, "log", "import", whole)
    expect(continued).toMatchObject({ code: 0, stderr: expect.stringContaining(`${RECORDS} records imported`) })
  })

  it("leaves no folder where its file is missing, and nothing to discard where its file is no export", async () => {
    const missing = { DATA_DIR: join(home, "missing") }
    expect(await runCommand(missing, "restore", join(home, "absent.ndjson"))).toMatchObject({ code: 1 })
    expect(existsSync(join(missing.DATA_DIR, "log"))).toBe(false)
    const wrong = { DATA_DIR: join(home, "wrong") }
    const trailer = readFileSync(whole, "utf8").trimEnd().split("\n").at(-1)
    const file = join(home, "wrong.ndjson")
    writeFileSync(file, `{"log":"another"}\n${trailer}\n`)
    expect(await runCommand(wrong, "log", "import", file)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("nothing was imported: line 1: not the first line of an export"),
    })
    expect(await runCommand(wrong, "log", "import", "--discard")).toMatchObject({ code: 1 })
    expect(await runCommand(wrong, "log", "export", join(home, "none.ndjson"))).toMatchObject({ code: 0 })
  })
})

describe("beside a running service", () => {
  it.each([
    ["log", "export", join(home, "live.ndjson")],
    ["log", "import", whole],
    ["backup", join(home, "live.ndjson")],
    ["restore", whole],
    ["rebuild"],
    ["rebuild", "--verify"],
  ])("%s is refused at once, and does nothing", async (...words) => {
    const refused = await Effect.runPromise(
      Effect.scoped(
        Effect.andThen(
          holdDirectory(directory),
          Effect.promise(() => runCommand(environment, ...(words as [string]))),
        ),
      ),
    )
    expect(refused).toMatchObject({ code: 1, stdout: "" })
    expect(refused.stderr).toMatch(new RegExp(`^\\S+ is in use by process ${process.pid}.*; stop it first.*\n$`, "u"))
    expect(existsSync(join(home, "live.ndjson"))).toBe(false)
  })
})
