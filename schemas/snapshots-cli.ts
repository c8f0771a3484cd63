import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { eventTypes, feeds } from "./registry.ts"
import { committedSnapshots, currentSnapshots, drift, snapshotsDirectory, snapshotText } from "./snapshot.ts"

// Writes what is new and what is compatible. A breaking change of a released version is refused: an event gets a new
// version and an upcaster instead. `--accept-breaking` is for versions that nobody has released.
const accepting = process.argv.includes("--accept-breaking")
const current = currentSnapshots(eventTypes, feeds.values())
mkdirSync(new URL("feeds/", snapshotsDirectory), { recursive: true })

let refused = 0
for (const one of drift(committedSnapshots(), current)) {
  const problems =
    one._tag === "Breaking"
      ? one.problems
      : one._tag === "Withdrawn"
        ? ["the code has no such event version or feed any more"]
        : []
  if (problems.length > 0 && !accepting) {
    refused += 1
    process.stderr.write(`refused ${one.file}\n${problems.map((problem) => `  ${problem}\n`).join("")}`)
    continue
  }
  const snapshot = current.get(one.file)
  if (snapshot === undefined) rmSync(new URL(one.file, snapshotsDirectory))
  else writeFileSync(new URL(one.file, snapshotsDirectory), snapshotText(snapshot))
  process.stdout.write(`${snapshot === undefined ? "removed" : "wrote"} ${one.file}\n`)
}
if (refused > 0) {
  process.stderr.write("Give the event a new version with an upcaster, or pass --accept-breaking before its release.\n")
  process.exitCode = 1
}
