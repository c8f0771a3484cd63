import { spawnSync } from "node:child_process"
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import {
  brokenPromises,
  committedSnapshots,
  snapshotHistory,
  snapshotsDirectory,
} from "../../schemas/snapshots/snapshot.ts"

// A copy of the contract in a repository of its own. The code stays as it is; what was promised before is written.

const hasGit = spawnSync("git", ["--version"]).status === 0
const home = mkdtempSync(join(tmpdir(), "tidewire-snapshots-"))
const snapshots = join(home, "schemas", "snapshots")
const root = fileURLToPath(new URL("../..", import.meta.url))

const git = (...words: ReadonlyArray<string>): void => {
  const identity = ["-c", "user.name=test", "-c", "user.email=test@example.invalid", "-c", "commit.gpgsign=false"]
  const { status, stderr } = spawnSync("git", [...identity, ...words], { cwd: home, encoding: "utf8" })
  if (status !== 0) throw new Error(stderr)
}
const run = (...words: ReadonlyArray<string>) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ["infra/commands/main.js", "snapshots", ...words], {
    cwd: home,
    encoding: "utf8",
  })
  return { status, stdout, stderr }
}
const pathOf = (feed: string) => join(snapshots, "feeds", `${feed}.json`)
const textOf = (feed: string) => readFileSync(pathOf(feed), "utf8")

/** A promise that the code does not keep. */
const promise = (feed: string): string => {
  const schema = { type: "object", properties: { gone: { type: "string" } } }
  const text = JSON.stringify({ title: "before", description: "", schema, definitions: {} })
  writeFileSync(pathOf(feed), text)
  return text
}
const refusal = (feed: string, than: string) =>
  `refused feeds/${feed}.json (compared with ${than})\n  data.gone: removed\n`

beforeAll(() => {
  for (const room of ["schemas", "processors"]) cpSync(join(root, room), join(home, room), { recursive: true })
  // Nothing else of infra: a command loads its own code only.
  for (const file of [
    "compile-cache.js",
    "effect-bundle.js",
    "commands/main.js",
    "commands/table.ts",
    "commands/snapshots.ts",
    "commands/arguments.ts",
    "config/installation.ts",
    "history/derived-views.ts",
    "history/promised-tables.ts",
    "history/promised-tables.json",
  ])
    cpSync(join(root, "infra", file), join(home, "infra", file))
  symlinkSync(join(root, "node_modules"), join(home, "node_modules"))
  writeFileSync(join(home, "package.json"), JSON.stringify({ type: "module" }))
})
afterAll(() => rmSync(home, { recursive: true, force: true }))

describe("npm run snapshots", () => {
  it("without git refuses what breaks the file, and takes a word for what is in no release", () => {
    const before = promise("forex")
    const refused = run()
    expect(refused).toMatchObject({ status: 1, stdout: "" })
    expect(refused.stderr).toContain(refusal("forex", "the file"))
    expect(textOf("forex")).toBe(before)
    expect(run("--unreleased", "forex")).toEqual({
      status: 0,
      stdout: "wrote feeds/forex.json (no release is known)\n",
      stderr: "",
    })
    expect(run()).toEqual({ status: 0, stdout: "", stderr: "" })
  })

  it("knows what it can be asked for", () => {
    expect(run("--unreleased", "nobody")).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("--unreleased nobody: there is no such feed or version of an event\n"),
    })
    expect(run("--accept-breaking")).toMatchObject({ status: 2, stderr: expect.stringContaining("usage: ") })
  })
})

describe.skipIf(!hasGit)("npm run snapshots, in a repository (needs git)", () => {
  beforeAll(() => {
    git("init", "-q")
    git("add", "schemas/snapshots", ":!schemas/snapshots/feeds/tsunami.json")
    git("commit", "-qm", "all but one")
  })

  it("lets everything change that is not committed yet", () => {
    // A feed that is new, and one of which only the latest change is.
    promise("tsunami")
    promise("forex")
    expect(run()).toEqual({
      status: 0,
      stdout: "wrote feeds/forex.json (compared with the last commit)\nwrote feeds/tsunami.json (not committed yet)\n",
      stderr: "",
    })
  })

  it("keeps what is committed, unless it is named as what is in no release", () => {
    promise("forex")
    const tsunami = promise("tsunami")
    git("add", "schemas/snapshots")
    git("commit", "-qm", "promises")
    // What is deleted was promised all the same.
    rmSync(pathOf("forex"))
    const refused = run("--unreleased", "forex")
    expect(refused.status).toBe(1)
    expect(refused.stdout).toBe("wrote feeds/forex.json\n")
    expect(refused.stderr).toContain(refusal("tsunami", "the last commit"))
    expect(refused.stderr).toContain("npm run snapshots -- --unreleased tsunami\n")
    expect(textOf("tsunami")).toBe(tsunami)
    rmSync(pathOf("forex"))
    expect(run().stderr).toContain(refusal("forex", "the last commit"))
  })

  it("keeps what is released, whatever it is named as", () => {
    git("tag", "v0.1.0")
    const refused = run("--unreleased", "forex", "--unreleased", "tsunami")
    expect(refused).toMatchObject({ status: 1, stdout: "" })
    for (const feed of ["forex", "tsunami"]) expect(refused.stderr).toContain(refusal(feed, "v0.1.0"))
    expect(refused.stderr).not.toContain("npm run snapshots")
  })
})

const { release } = snapshotHistory()
const filesOf = (tag: string): ReadonlyArray<string> =>
  spawnSync("git", ["ls-tree", "-r", "--name-only", tag, "./"], { cwd: snapshotsDirectory, encoding: "utf8" })
    .stdout.split("\n")
    .filter((file) => file.endsWith(".json"))

describe.skipIf(release === null)("the committed snapshots (needs a release, a tag v*, that git knows)", () => {
  it("keep what the last release promised", () => {
    const committed = committedSnapshots()
    const released = filesOf(release?.name ?? "")
    expect(released.flatMap((file) => brokenPromises(release?.promised(file) ?? null, committed.get(file)))).toEqual([])
  })
})
