import { spawn } from "node:child_process"
import { open, readFile, stat } from "node:fs/promises"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { expect } from "vitest"
import { encodeEvent, makeEvent } from "../../schemas/event.ts"
import { clockTicked } from "../../schemas/events/observations.ts"
import type { EventLog, LogUnavailable } from "../../schemas/ports/event-log.ts"
import { COMMANDS, runCommand, runScript } from "./command.ts"
import { eventually } from "./eventually.ts"
import { grantNew } from "./ledger-command.ts"
import { freePort } from "./service.ts"

/** Enough ticks for several groups of an import, before the ledger's part of the file. */
const TICKS = 12_000
const COMMITTED_AT_LEAST = 2_000
const KEYS = { TOKEN_KEYS: "ab".repeat(32), RECEIPT_KEYS: "A".repeat(43), CLIENT_HASH_KEY: "cd".repeat(32) }

type OpenLog = Effect.Effect<EventLog, LogUnavailable, Scope.Scope>

/** Fills a log with observations and a ledger, and exports it. */
export const exportFilledLog = async (
  environment: Readonly<Record<string, string>>,
  openLog: OpenLog,
  file: string,
): Promise<void> => {
  await Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const log = yield* openLog
        const writer = yield* log.claim("ingest", ["observations"])
        for (let from = 0; from < TICKS; from += 1_000)
          yield* writer.commit(
            Array.from({ length: 1_000 }, (_, n) => {
              const id = `tick-${from + n}`
              const time = new Date(Date.UTC(2026, 7, 1) + (from + n) * 10_000).toISOString()
              const tick = makeEvent(clockTicked, { id, source: "tidewire/ingest", subject: "clock", time, data: {} })
              return { topic: "observations" as const, key: "clock", value: encodeEvent(tick) }
            }),
          )
      }),
    ),
  )
  await grantNew({ ...KEYS, ...environment }, 50)
  expect(await runCommand(environment, "log", "export", file)).toMatchObject({ code: 0 })
}

/** Imports half of a file, and kills the import (SIGKILL) after some records are in the log. */
export const killHalfImport = async (
  environment: Readonly<Record<string, string>>,
  openLog: OpenLog,
  file: string,
): Promise<void> => {
  const { size } = await stat(file)
  const half = Buffer.alloc(Math.floor(size / 2))
  const opened = await open(file, "r")
  await opened.read(half)
  await opened.close()
  const child = spawn(process.execPath, [COMMANDS, "log", "import", "-"], {
    cwd: new URL("../..", import.meta.url),
    env: { PATH: process.env.PATH, ...environment },
    stdio: ["pipe", "ignore", "inherit"],
  })
  const ended = new Promise((resolve) => child.once("exit", resolve))
  try {
    // The pipe stays open, so the import waits for the rest.
    child.stdin.on("error", () => {})
    child.stdin.write(half)
    await Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const log = yield* Effect.promise(() =>
            eventually("the log can be opened", () =>
              Effect.runPromiseExit(Effect.scoped(openLog)).then((exit) => exit._tag === "Success"),
            ),
          ).pipe(Effect.andThen(openLog))
          yield* Effect.promise(() =>
            eventually(
              "some of the import is committed",
              async () => (await Effect.runPromise(log.end("observations"))) > COMMITTED_AT_LEAST,
            ),
          )
        }),
      ),
    )
  } finally {
    child.kill("SIGKILL")
    await ended
  }
}

/** Proves that every command refuses this log by name, changes nothing of it, and ends with code 1. */
export const expectRefused = async (
  environment: Readonly<Record<string, string>>,
  file: string,
  records: "0" | "[1-9]\\d*" = "[1-9]\\d*",
): Promise<void> => {
  const ports: Record<string, string> = {}
  for (const name of ["PORT", "ADMIN_PORT", "CLICKHOUSE_HTTP_PORT", "CLICKHOUSE_TCP_PORT"])
    ports[name] = String(await freePort())
  for (const [script, ...words] of [
    [COMMANDS, "rebuild"],
    [COMMANDS, "rebuild", "--verify"],
    [COMMANDS, "ledger", "verify"],
    [COMMANDS, "log", "export", `${file}.again`],
    [COMMANDS, "backup", `${file}.again`],
    ["infra/main.js"],
  ] as const) {
    const { code, stdout, stderr } = await runScript({ ...ports, ...environment }, script, ...words)
    expect(`${code} ${stdout}${stderr}`, `${script} ${words.join(" ")}`).toMatch(
      new RegExp(`^1 [\\s\\S]*half of an import that was not finished \\(${records} records\\)`),
    )
  }
}

/** Completes the import, and proves that the log equals the exported one. */
export const expectResumed = async (environment: Readonly<Record<string, string>>, file: string): Promise<void> => {
  const resumed = await runCommand(environment, "log", "import", file)
  expect(resumed).toMatchObject({ code: 0 })
  expect(resumed.stderr).toMatch(/continued after [1-9]\d* records/)
  expect(resumed.stderr).toContain(`${TICKS + 2} records imported`)
  const verified = await runCommand(environment, "ledger", "verify")
  expect(verified).toMatchObject({ code: 0, stdout: expect.stringContaining("the ledger holds: 2 entries") })
  expect(await runCommand(environment, "log", "export", `${file}.again`)).toMatchObject({ code: 0 })
  expect((await readFile(`${file}.again`)).equals(await readFile(file))).toBe(true)
}
