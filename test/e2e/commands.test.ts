import { spawn } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { commandTable } from "../../infra/commands/table.ts"
import { openLmdbLog } from "../../infra/log/lmdb/event-log.ts"
import packageJson from "../../package.json" with { type: "json" }
import { removeDirectory, temporaryDirectory } from "../support/service.ts"

/** A line of a stack trace: function, file and position. */
const STACK_LINE = /^ +at .+:\d+:\d+/mu

const scripts: Readonly<Record<string, string>> = packageJson.scripts

/** Every npm script with arguments of its own: the table of commands, and those of `test/`. */
const commands: ReadonlyArray<string> = [
  ...commandTable.map(({ name }) => name),
  "bench",
  "soak",
  "pay",
  "world",
  "demo",
]

interface End {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

interface RunOptions {
  /** Whether the reader of its output has closed it before the start. */
  readonly closed?: boolean
  readonly environment?: Readonly<Record<string, string>>
}

/** Runs what `npm run NAME` runs. */
const run = (
  name: string,
  words: ReadonlyArray<string>,
  { closed = false, environment = {} }: RunOptions = {},
): Promise<End> =>
  new Promise((resolve) => {
    const script = (scripts[name] ?? "")
      .replace(/^exec /, "")
      .split(" ")
      .slice(1)
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

it("writes what it was asked for to standard output, and what is logged to standard error", async () => {
  const directory = temporaryDirectory()
  await Effect.runPromise(Effect.scoped(openLmdbLog({ path: join(directory, "log") })))
  // Logged when the command has begun, as a warning of a library would be.
  const noise = 'data:text/javascript,setImmediate(() => console.log("a warning"))'
  const environment = { DATA_DIR: directory, NODE_OPTIONS: `--import=${encodeURI(noise)}` }
  const { code, stdout, stderr } = await run("ledger", ["verify", "--json"], { environment })
  expect({ code, stderr }).toEqual({ code: 0, stderr: "a warning\n" })
  expect(JSON.parse(stdout)).toMatchObject({ entries: 0 })
  removeDirectory(directory)
})

it("logs to standard error what its own code warns of", async () => {
  const refusing = createServer((_, reply) => reply.writeHead(403).end("wrong secret"))
  await new Promise<void>((resolve) => refusing.listen(0, "127.0.0.1", resolve))
  const address = refusing.address()
  const port = typeof address === "object" ? address?.port : undefined
  const directory = temporaryDirectory()
  const environment = {
    DATA_DIR: directory,
    // Nothing listens there: the ledger is reached by HTTP alone.
    KAFKA_BROKERS: "127.0.0.1:9",
    LEDGER_URLS: `http://127.0.0.1:${port}`,
    LEDGER_OPERATOR_SECRET: "a-secret-of-at-least-thirty-two-characters",
  }
  const { code, stdout, stderr } = await run("ledger", ["list", "--json"], { environment })
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
  expect(stderr).toContain("a ledger process refuses requests")
  refusing.close()
  removeDirectory(directory)
})

describe("the table of commands", () => {
  it("has an npm script of the same name for each command, and the other way round", () => {
    const ofTable = Object.entries(scripts).filter(([, script]) => script.includes("infra/commands/main.js "))
    expect(ofTable.map(([name, script]) => [name, script.split(" ").at(-1)])).toEqual(
      expect.arrayContaining(commandTable.map(({ name }) => [name, name])),
    )
    expect(ofTable).toHaveLength(commandTable.length)
  })

  it("is the overview that the entry point prints without a name", async () => {
    const { code, stdout, stderr } = await run("commands", [])
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    for (const { name, summary } of commandTable)
      expect(stdout).toMatch(new RegExp(`npm run ${name} +${summary}\n`, "u"))
  })

  it("refuses a name that it does not contain, with the overview", async () => {
    const { code, stdout, stderr } = await run("commands", ["no-such-command"])
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" })
    expect(stderr).toMatch(/^there is no command no-such-command\nTidewire's commands/)
  })
})

describe.concurrent.each(commands)("npm run %s", (name) => {
  it("prints its usage and exit codes with --help", async () => {
    const { code, stdout, stderr } = await run(name, ["--help"])
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    expect(stdout).toMatch(new RegExp(`npm run (--silent )?${name}\\b`, "u"))
    expect(stdout).toContain("Exit code")
    expect(stdout.split("\n").every((line) => line.length <= 140)).toBe(true)
  })

  it("refuses an unknown option in one sentence, followed by its usage", async () => {
    const { code, stdout, stderr } = await run(name, ["--no-such-option"])
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" })
    expect(stderr.split("\n")[0]).toBe("Unknown option '--no-such-option'")
    expect(stderr).toMatch(new RegExp(`npm run (--silent )?${name}\\b`, "u"))
    expect(stderr).not.toMatch(STACK_LINE)
  })

  it("ends without a message when its output is closed", async () => {
    const { code, stderr } = await run(name, ["--help"], { closed: true })
    expect(stderr).toBe("")
    // A text that fits the pipe's buffer may be written completely before the closing is noticed.
    expect([0, 141]).toContain(code)
  })
})

it("writes everything for a reader that is slower than the command", async () => {
  const captures = temporaryDirectory()
  mkdirSync(join(captures, "usgs-earthquakes"))
  for (let number = 0; number < 2_000; number++)
    writeFileSync(join(captures, "usgs-earthquakes", `${number}.json`), "{}")
  const command = [process.execPath, ...(scripts.captures ?? "").split(" ").slice(1), captures].join(" ")
  // The pipe of a shell takes 64 KiB; nothing is read before the command has written all that it can.
  const child = spawn("sh", ["-c", `${command} | (sleep 3; cat)`], {
    cwd: new URL("../..", import.meta.url),
    env: { PATH: process.env.PATH },
    stdio: ["ignore", "pipe", "inherit"],
  })
  let text = ""
  for await (const chunk of child.stdout) text += String(chunk)
  expect(text.split("\n").filter((line) => line.includes("usgs-earthquakes/"))).toHaveLength(2_000)
  expect(text).toContain("lines, 2000 failed")
  removeDirectory(captures)
})

it("an export into a pipe that is closed half-way ends without a message", async () => {
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
