import { spawn } from "node:child_process"
import { join } from "node:path"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { openLmdbLog } from "../../infra/log/lmdb/event-log.ts"
import packageJson from "../../package.json" with { type: "json" }
import { removeDirectory, temporaryDirectory } from "../support/service.ts"

/** A line of a stack trace: what it was in, and where in the code. */
const STACK_LINE = /^ +at .+:\d+:\d+/mu

/** Every command of the project that people run, but `npm start` and the tools of its development. */
const commands = [
  "log",
  "backup",
  "restore",
  "rebuild",
  "sql",
  "ledger",
  "receipt:verify",
  "captures",
  "snapshots",
  "bench",
  "soak",
  "pay",
  "world",
  "demo",
] as const

interface End {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

interface RunOptions {
  /** Whether its output is closed on the other side before it begins. */
  readonly closed?: boolean
  readonly environment?: Readonly<Record<string, string>>
}

/** Runs what `npm run NAME` runs. */
const run = (
  name: (typeof commands)[number],
  words: ReadonlyArray<string>,
  { closed = false, environment = {} }: RunOptions = {},
): Promise<End> =>
  new Promise((resolve) => {
    const script = packageJson.scripts[name].split(" ").slice(1)
    const child = spawn(process.execPath, [...script, ...words], {
      cwd: new URL("../..", import.meta.url),
      env: { PATH: process.env.PATH, ...environment },
      stdio: ["ignore", "pipe", "pipe"],
    })
    let stdout = ""
    let stderr = ""
    if (closed) child.stdout.destroy()
    child.stdout.on("data", (chunk) => {
      stdout += chunk
    })
    child.stderr.on("data", (chunk) => {
      stderr += chunk
    })
    child.once("close", (code) => resolve({ code, stdout, stderr }))
  })

describe.concurrent.each(commands)("npm run %s", (name) => {
  it("explains itself with --help, its exit codes included", async () => {
    const { code, stdout, stderr } = await run(name, ["--help"])
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    expect(stdout).toMatch(new RegExp(`npm run (--silent )?${name}\\b`, "u"))
    expect(stdout).toContain("Exit code")
    expect(stdout.split("\n").every((line) => line.length <= 140)).toBe(true)
  })

  it("refuses an option that it does not have in one sentence, and says what it has", async () => {
    const { code, stdout, stderr } = await run(name, ["--no-such-option"])
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" })
    expect(stderr.split("\n")[0]).toBe("Unknown option '--no-such-option'")
    expect(stderr).toMatch(new RegExp(`npm run (--silent )?${name}\\b`, "u"))
    expect(stderr).not.toMatch(STACK_LINE)
  })

  it("ends quietly when its output is closed", async () => {
    const { code, stderr } = await run(name, ["--help"], { closed: true })
    expect(stderr).toBe("")
    // A text that fits a pipe may be written to its end before the closing is noticed.
    expect([0, 141]).toContain(code)
  })
})

it("an export into a pipe that closes half-way ends quietly", async () => {
  const directory = temporaryDirectory()
  await Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const log = yield* openLmdbLog({ path: join(directory, "log") })
        const writer = yield* log.claim("test", ["deltas"])
        const value = new TextEncoder().encode("x".repeat(1_000))
        yield* writer.commit(Array.from({ length: 2_000 }, () => ({ topic: "deltas" as const, key: "a", value })))
      }),
    ),
  )
  const environment = { DATA_DIR: directory }
  expect(await run("log", ["export", "-"], { closed: true, environment })).toEqual({
    code: 141,
    stdout: "",
    stderr: "",
  })
  const whole = await run("log", ["export", "-"], { environment })
  expect(whole).toMatchObject({ code: 0, stderr: "2000 records exported\n" })
  expect(whole.stdout.length).toBeGreaterThan(2_000_000)
  removeDirectory(directory)
})
