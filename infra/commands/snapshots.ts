import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { eventTypes, feeds } from "../../schemas/registry.ts"
import {
  brokenPromises,
  committedSnapshots,
  currentSnapshots,
  drift,
  type Snapshot,
  snapshotsDirectory,
  snapshotText,
} from "../../schemas/snapshot.ts"
import { snapshotHistory } from "../../schemas/snapshot-history.ts"
import { EXIT_CODES, readArguments, refuseUsage } from "../config/arguments.ts"

const USAGE = `usage: npm run snapshots [-- --unreleased NAME ...]

Writes the snapshots of what the code says now. What was promised is refused: what the last commit says, or, for a NAME that
is in no release yet, what the last release says. NAME is a feed (forex) or a version of an event (feed.observed.v1).

${EXIT_CODES}`

const { unreleased } = readArguments(USAGE, {
  unreleased: { type: "string", multiple: true, default: [] },
}).values
const current = currentSnapshots(eventTypes, feeds.values())
const onDisk = committedSnapshots()
const { committed, release } = snapshotHistory()
const nameOf = (file: string): string => file.replace(/^feeds\//, "").replace(/\.json$/, "")
const names = new Set([...current.keys(), ...onDisk.keys()].map(nameOf))
const unknown = unreleased.filter((name) => !names.has(name))
if (unknown.length > 0)
  refuseUsage(`--unreleased ${unknown.join(", ")}: there is no such feed or version of an event`, USAGE)

/** What has to be kept, and why it was that. */
const promised = (file: string): { readonly before: Snapshot | null; readonly why: string } => {
  if (unreleased.includes(nameOf(file)))
    return release === null
      ? { before: null, why: "no release is known" }
      : { before: release.promised(file), why: `compared with ${release.name}` }
  if (committed === null) return { before: onDisk.get(file) ?? null, why: "compared with the file" }
  const before = committed(file)
  return { before, why: before === null ? "not committed yet" : "compared with the last commit" }
}

mkdirSync(new URL("feeds/", snapshotsDirectory), { recursive: true })
const refused: Array<string> = []
for (const { _tag, file } of drift(onDisk, current)) {
  const now = current.get(file)
  const { before, why } = promised(file)
  const problems = brokenPromises(before, now)
  const note = problems.length > 0 || _tag === "Breaking" || _tag === "Withdrawn" ? ` (${why})` : ""
  if (problems.length > 0) {
    refused.push(nameOf(file))
    process.stderr.write(`refused ${file}${note}\n${problems.map((problem) => `  ${problem}\n`).join("")}`)
  } else if (now === undefined) {
    rmSync(new URL(file, snapshotsDirectory))
    process.stdout.write(`removed ${file}${note}\n`)
  } else {
    writeFileSync(new URL(file, snapshotsDirectory), snapshotText(now))
    process.stdout.write(`wrote ${file}${note}\n`)
  }
}
if (refused.length > 0) {
  const flags = refused.filter((name) => !unreleased.includes(name)).map((name) => ` --unreleased ${name}`)
  process.stderr.write(
    `What was promised is kept: leave it and add beside it, or give the event a new version with an upcaster.\n${
      flags.length === 0 ? "" : `What is in no release yet may change: npm run snapshots --${flags.join("")}\n`
    }`,
  )
  process.exitCode = 1
}
