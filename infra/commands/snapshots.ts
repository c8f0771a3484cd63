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
import {
  committedTables,
  currentTables,
  promisedTablesFile,
  tableFaults,
  tablesText,
} from "../history/promised-tables.ts"
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

/** A promise that is one file, before and now, and what of it is gone without an entry of the changelog. */
interface Promised {
  readonly what: string
  readonly file: URL
  readonly before: string
  readonly now: string
  readonly faults: ReadonlyArray<string>
}

const promises = (): ReadonlyArray<Promised> => {
  const fields = [committedFields(), servedFields(endpoints)] as const
  const tables = [committedTables(), currentTables()] as const
  return [
    {
      what: "the fields of the contract",
      file: servedFieldsFile,
      before: fieldsText(fields[0]),
      now: fieldsText(fields[1]),
      faults: removalFaults(...fields, changelog, FIRST_RELEASE_DAY),
    },
    {
      what: "the tables of analysts",
      file: promisedTablesFile,
      before: tablesText(tables[0]),
      now: tablesText(tables[1]),
      faults: tableFaults(...tables, changelog, FIRST_RELEASE_DAY),
    },
  ]
}

/** Writes a promise, unless some of it is gone without an entry of the changelog; gives whether it stands. */
const keep = ({ what, file, before, now, faults }: Promised): boolean => {
  if (faults.length > 0) {
    process.stderr.write(`refused ${what}\n${faults.map((fault) => `  ${fault}\n`).join("")}`)
    return false
  }
  if (before !== now) {
    writeFileSync(file, now)
    process.stdout.write(`wrote ${what}\n`)
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
  const areKept = promises().map(keep)

  const refused = changes.filter(({ problems }) => problems.length > 0).map(({ file }) => nameOf(file))
  if (refused.length === 0) return areKept.includes(false) ? FAILED : DONE
  const flags = refused.filter((name) => !unreleased.includes(name)).map((name) => ` --unreleased ${name}`)
  process.stderr.write(
    `A released schema stays: add members beside the old ones, or give the event a new version with an upcaster.\n${
      flags.length === 0 ? "" : `A schema that is in no release yet may change: npm run snapshots --${flags.join("")}\n`
    }`,
  )
  return FAILED
}
