import { spawnSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { openLmdbLog } from "../../infra/log/lmdb/event-log.ts"
import { headerLine, makeTally, recordLine, sectionLine } from "../../infra/log/transfer/export-file.ts"
import { type ImportMark, readMark, setMark } from "../../infra/log/transfer/import-mark.ts"
import { encodeEvent, makeEvent } from "../../schemas/event.ts"
import { clockTicked } from "../../schemas/events/observations.ts"
import type { EventLog } from "../../schemas/ports/event-log.ts"
import type { Topic } from "../../schemas/topics.ts"
import { COMMANDS, runCommand } from "../support/command.ts"
import { eventually } from "../support/eventually.ts"
import { expectRefused, expectResumed, exportFilledLog, killHalfImport } from "../support/half-import.ts"
import { removeDirectory, type Service, startService, temporaryDirectory } from "../support/service.ts"
import { someFeed } from "../support/some-feed.ts"
import { startWorld, type WorldServer } from "../world/server.ts"

const origin = temporaryDirectory()
const directory = temporaryDirectory()
let world: WorldServer | undefined
let service: Service | undefined

afterAll(async () => {
  await service?.end("SIGKILL")
  await world?.close()
  removeDirectory(origin)
  removeDirectory(directory)
})

const tick = makeEvent(clockTicked, {
  id: "tick",
  source: "tidewire/ingest",
  subject: "clock",
  time: "2026-08-17T20:35:00.000Z",
  data: {},
})

it("a service does not fold from an imported log before a rebuild, and reports that", async () => {
  await Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const log = yield* openLmdbLog({ path: join(origin, "log") })
        const writer = yield* log.claim("ingest", ["observations"])
        yield* writer.commit([{ topic: "observations", key: "clock", value: encodeEvent(tick) }])
      }),
    ),
  )
  const file = join(origin, "log.ndjson")
  for (const [folder, word] of [
    [origin, "export"],
    [directory, "import"],
  ] as const)
    expect(await runCommand({ DATA_DIR: folder }, "log", word, file)).toMatchObject({ code: 0 })

  world = await startWorld({ seed: "imported" })
  service = await startService({
    dataDirectory: directory,
    offered: [someFeed.path],
    environment: { UPSTREAMS: world.url, POLL_SECONDS_MAX: "5", LOG_LEVEL: "warn" },
  })
  const { adminUrl } = service
  await eventually("it gives the reason why it is not ready", async () => {
    const text = await (await fetch(`${adminUrl}/readyz`)).text()
    for (const part of ["latest", "reliability", "history"])
      expect(text).toContain(`process ${part}: stopped: the log was imported from another one: run npm run rebuild`)
    return true
  })
  // It polls meanwhile; its observations wait in the log.
  expect(await service.json(someFeed.path)).toMatchObject({ data: null })
})

describe("an import that was not finished", () => {
  const home = temporaryDirectory()
  const file = join(home, "whole.ndjson")
  const lines = () => readFileSync(file, "utf8").split("\n")
  const logOf = (folder: string) => openLmdbLog({ path: join(home, folder, "log") })
  const settings = (folder: string) => ({ DATA_DIR: join(home, folder) })

  beforeAll(() => exportFilledLog(settings("origin"), logOf("origin"), file))
  afterAll(() => removeDirectory(home))

  it("is refused by everything else, whatever has ended it, until the same file is imported to its end", async () => {
    const environment = settings("killed")
    await killHalfImport(environment, logOf("killed"), file)
    await expectRefused(environment, file)
    const other = join(home, "other.ndjson")
    writeFileSync(
      other,
      lines()
        .with(500, lines()[501] ?? "")
        .join("\n"),
    )
    const refused = await runCommand(environment, "log", "import", other)
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("not the file that the import began with"),
    })
    await expectResumed(environment, file)
  })

  it("comes of no file that was cut short: that is known before anything is imported", async () => {
    const half = join(home, "half.ndjson")
    writeFileSync(half, `${lines().slice(0, 5_000).join("\n")}\n`)
    const refused = await runCommand(settings("cut"), "log", "import", half)
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("cut short") })
    expect(await runCommand(settings("cut"), "log", "import", file)).toMatchObject({ code: 0 })
  })

  it("can be discarded", async () => {
    const environment = settings("discarded")
    const piped = spawnSync(process.execPath, [COMMANDS, "log", "import", "-"], {
      cwd: new URL("../..", import.meta.url),
      env: { PATH: process.env.PATH, ...environment },
      input: `${lines().slice(0, 5_000).join("\n")}\n`,
      encoding: "utf8",
    })
    expect(piped).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("it was cut short; 4000 records are in the log"),
    })
    const discarded = await runCommand(environment, "log", "import", "--discard")
    expect(discarded).toMatchObject({ code: 0, stderr: expect.stringContaining("4000 records") })
    expect(await runCommand(environment, "log", "import", "--discard")).toMatchObject({ code: 1 })
    expect(await runCommand(environment, "log", "import", file)).toMatchObject({ code: 0 })
  })
})

describe("an import that was finished and not rebuilt", () => {
  const home = temporaryDirectory()
  const settings = (folder: string) => ({ DATA_DIR: join(home, folder), HISTORY: "off" })
  const withLog = <A, E>(folder: string, use: (log: EventLog) => Effect.Effect<A, E, Scope.Scope>): Promise<A> =>
    Effect.runPromise(Effect.scoped(Effect.flatMap(openLmdbLog({ path: join(home, folder, "log") }), use)))
  const markOf = (folder: string) => withLog(folder, readMark)

  /** Writes an export of one record, of a topic that no view is folded from. */
  const exportOf = (name: string, trimmed: ReadonlyArray<Topic> = []): string => {
    const tally = makeTally()
    const header = headerLine({ archive: false, trimmed })
    const section = sectionLine("replies", "log")
    const record = recordLine({ key: name, value: encodeEvent(tick) })
    tally.line(header)
    tally.line(section)
    tally.record("replies", record)
    const path = join(home, `${name}.ndjson`)
    writeFileSync(path, `${[header, section, record, JSON.stringify(tally.trailer())].join("\n")}\n`)
    return path
  }
  const file = exportOf("one")
  const other = exportOf("other")

  /** The log as a file. */
  const contentOf = async (folder: string): Promise<string> => {
    const path = join(home, `${folder}.now`)
    expect(await runCommand(settings(folder), "log", "export", path)).toMatchObject({ code: 0 })
    return readFileSync(path, "utf8")
  }
  const imported = async (folder: string, path: string, mark?: ImportMark) => {
    expect(await runCommand(settings(folder), "log", "import", path)).toMatchObject({ code: 0 })
    if (mark !== undefined) await withLog(folder, (log) => setMark(log, mark))
  }
  /** Proves that a restore is refused with these words, and changes nothing. */
  const expectUnrestored = async (folder: string, path: string, words: string) => {
    const before = [await contentOf(folder), await markOf(folder)]
    const refused = await runCommand(settings(folder), "restore", path)
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining(words) })
    expect(refused.stderr).toContain("npm run rebuild")
    expect(refused.stderr).not.toContain("restored")
    expect([await contentOf(folder), await markOf(folder)]).toEqual(before)
  }

  afterAll(() => removeDirectory(home))

  it.each([
    ["imported", undefined],
    ["rebuilding", { state: "rebuilding" }],
  ] as const)("is restored on from its own file alone (%s)", async (folder, mark) => {
    await imported(folder, file, mark)
    expect(await markOf(folder)).toMatchObject({ state: folder })
    await expectUnrestored(folder, other, "is not the file that was imported into this log")
    const restored = await runCommand(settings(folder), "restore", file)
    expect(restored).toMatchObject({ code: 0, stderr: expect.stringContaining("restored") })
    expect(await markOf(folder)).toBeNull()
  })

  it("of an earlier version, which names no file, is continued by a rebuild", async () => {
    await imported("earlier", file, { state: "imported" })
    await expectUnrestored("earlier", file, "cannot be told")
    expect(await runCommand(settings("earlier"), "rebuild")).toMatchObject({ code: 0 })
    expect(await markOf("earlier")).toBeNull()
  })

  it("is not restored on from standard input, which shows its last line last", async () => {
    await imported("piped", file)
    await expectUnrestored("piped", "-", "cannot be told")
  })

  it("is no restore of a file without what was trimmed", async () => {
    const trimmed = exportOf("trimmed", ["observations"])
    await imported("trimmed", trimmed)
    await expectUnrestored("trimmed", trimmed, "an export, not a backup")
  })
})
