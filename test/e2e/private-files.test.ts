import { chmodSync, lstatSync, mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { eventually } from "../support/eventually.ts"
import { removeDirectory, startService, temporaryDirectory } from "../support/service.ts"
import { someFeed } from "../support/some-feed.ts"
import { startWorld } from "../world/server.ts"

/** Everything in a folder that others than its owner can use. Throws if a folder goes meanwhile. */
const openToOthers = (folder: string): ReadonlyArray<string> =>
  ["", ...readdirSync(folder, { recursive: true, encoding: "utf8" })].flatMap((name) => {
    const stat = lstatSync(join(folder, name), { throwIfNoEntry: false })
    if (stat === undefined || stat.isSymbolicLink()) return []
    const mode = stat.mode & 0o777
    return mode === (stat.isDirectory() ? 0o700 : 0o600) ? [] : [`${mode.toString(8)} ${name}`]
  })

it("every file of the data folder is its user's alone, those that were there before too", async () => {
  const directory = temporaryDirectory()
  const world = await startWorld({ seed: "private" })
  onTestFinished(async () => {
    await world.close()
    removeDirectory(directory)
  })
  // What an earlier version, or a copy of a backup, may have left.
  const before = join(directory, "history", "left")
  mkdirSync(before, { recursive: true })
  writeFileSync(join(before, "part"), "x")
  for (const path of [directory, join(directory, "history"), before]) chmodSync(path, 0o755)
  chmodSync(join(before, "part"), 0o644)
  const service = await startService({
    dataDirectory: directory,
    offered: [someFeed.path, "/api/pro/briefing"],
    environment: { UPSTREAMS: world.url, POLL_SECONDS_MAX: "2", LOG_LEVEL: "warn" },
  })
  onTestFinished(async () => {
    await service.end("SIGKILL")
  })
  await service.filled()
  await eventually("the history has rows on disk", async () => {
    const reply = await fetch(service.analystUrl, { method: "POST", body: "SELECT count() FROM events" })
    return reply.ok && Number(await reply.text()) > 0
  })
  let open: ReadonlyArray<string> = ["the folder was never read whole"]
  await eventually("no file is open to others", () => {
    open = openToOthers(directory)
    return open.length === 0
  }).catch(() => undefined)
  expect(open).toEqual([])
  expect(readdirSync(directory).sort()).toEqual(expect.arrayContaining(["history", "log", "secrets"]))
})
