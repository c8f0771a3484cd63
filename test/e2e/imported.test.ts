import { spawnSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { openLmdbLog } from "../../infra/log/lmdb/event-log.ts"
import { encodeEvent, makeEvent } from "../../schemas/event.ts"
import { clockTicked } from "../../schemas/events/observations.ts"
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
