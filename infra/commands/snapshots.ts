import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { changelog, FIRST_RELEASE_DAY } from "../../schemas/changelog.ts"
import { endpoints, eventTypes, feeds } from "../../schemas/registry.ts"
import {
  committedFields,
  fieldsText,
  removalFaults,
  servedFields,
  servedFieldsFile,
} from "../../schemas/served-fields.ts"
import {
  brokenPromises,
  committedSnapshots,
  currentSnapshots,
  drift,
  type Snapshot,
  snapshotHistory,
  snapshotsDirectory,
  snapshotText,
} from "../../schemas/snapshots/snapshot.ts"
import { DONE, FAILED, WrongUsage } from "./arguments.ts"

interface Change {
  readonly file: string
  readonly now: Snapshot | undefined
  /** Empty where the change may be written. */
  readonly problems: ReadonlyArray<string>
  /** What it was compared with, for the report; empty for an addition. */
  readonly note: string
}

const nameOf = (file: string): string => file.replace(/^feeds\//, "").replace(/\.json$/, "")

/** Finds the snapshot that a file must stay compatible with. */
const baselineOf = (unreleased: ReadonlyArray<string>, onDisk: ReadonlyMap<string, Snapshot>) => {
  const { committed, release } = snapshotHistory()
  return (file: string): { readonly before: Snapshot | null; readonly comparison: string } => {
    if (unreleased.includes(nameOf(file)))
      return release === null
        ? { before: null, comparison: "no release is known" }
        : { before: release.promised(file), comparison: `compared with ${release.name}` }
    if (committed === null) return { before: onDisk.get(file) ?? null, comparison: "compared with the file" }
    const before = committed(file)
    return { before, comparison: before === null ? "not committed yet" : "compared with the last commit" }
  }
}

/** Writes or removes the snapshot of a change, or reports why it is refused. */
const apply = ({ file, now, problems, note }: Change): void => {
  if (problems.length > 0) {
    process.stderr.write(`refused ${file}${note}\n${problems.map((problem) => `  ${problem}\n`).join("")}`)
  } else if (now === undefined) {
    rmSync(new URL(file, snapshotsDirectory))
    process.stdout.write(`removed ${file}${note}\n`)
  } else {
    writeFileSync(new URL(file, snapshotsDirectory), snapshotText(now))
    process.stdout.write(`wrote ${file}${note}\n`)
  }
}

/** Writes the fields that the contract serves, unless one is gone without an entry of the changelog. */
const writeFields = (): boolean => {
  const [before, now] = [committedFields(), servedFields(endpoints)]
  const faults = removalFaults(before, now, changelog, FIRST_RELEASE_DAY)
  if (faults.length > 0) {
    process.stderr.write(`refused the fields of the contract\n${faults.map((fault) => `  ${fault}\n`).join("")}`)
    return false
  }
  if (fieldsText(before) !== fieldsText(now)) {
    writeFileSync(servedFieldsFile, fieldsText(now))
    process.stdout.write("wrote the fields of the contract\n")
  }
  return true
}

export const run = ({
  values: { unreleased },
}: {
  readonly values: { readonly unreleased: ReadonlyArray<string> }
}): number => {
  const current = currentSnapshots(eventTypes, feeds.values())
  const onDisk = committedSnapshots()
  const names = new Set([...current.keys(), ...onDisk.keys()].map(nameOf))
  const unknown = unreleased.filter((name) => !names.has(name))
  if (unknown.length > 0)
    throw new WrongUsage(`--unreleased ${unknown.join(", ")}: there is no such feed or version of an event`)

  const findBaseline = baselineOf(unreleased, onDisk)
  mkdirSync(new URL("feeds/", snapshotsDirectory), { recursive: true })
  const changes = drift(onDisk, current).map(({ _tag, file }): Change => {
    const now = current.get(file)
    const { before, comparison } = findBaseline(file)
    const problems = brokenPromises(before, now)
    const isReduction = problems.length > 0 || _tag === "Breaking" || _tag === "Withdrawn"
    return { file, now, problems, note: isReduction ? ` (${comparison})` : "" }
  })
  changes.forEach(apply)
  const isServed = writeFields()

  const refused = changes.filter(({ problems }) => problems.length > 0).map(({ file }) => nameOf(file))
  if (refused.length === 0) return isServed ? DONE : FAILED
  const flags = refused.filter((name) => !unreleased.includes(name)).map((name) => ` --unreleased ${name}`)
  process.stderr.write(
    `A released schema stays: add members beside the old ones, or give the event a new version with an upcaster.\n${
      flags.length === 0 ? "" : `A schema that is in no release yet may change: npm run snapshots --${flags.join("")}\n`
    }`,
  )
  return FAILED
}
