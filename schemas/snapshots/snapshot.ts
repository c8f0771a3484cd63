import { readFileSync, readdirSync } from "node:fs"
import * as Schema from "effect/Schema"
import { breakingChanges, type SchemaDocument } from "./compatibility.ts"
import type { EventType } from "../event.ts"
import type { Feed } from "../feed.ts"
import { spawnSync } from "node:child_process"

/** The folder of the committed snapshots; the samples are in the next one. */
export const snapshotsDirectory = new URL("./", import.meta.url)
export const samplesDirectory = new URL("../samples/", import.meta.url)

/** A committed snapshot: the JSON Schema of the data of one event version, or of one feed's payload. */
export interface Snapshot extends SchemaDocument {
  readonly title: string
  readonly description: string
}

const decodeSnapshot = Schema.decodeUnknownSync(
  Schema.fromJsonString(
    Schema.Struct({
      title: Schema.String,
      description: Schema.String,
      schema: Schema.Json,
      definitions: Schema.Record(Schema.String, Schema.Json),
    }),
  ),
)

const snapshotOf = (title: string, description: string, schema: Schema.Constraint): Snapshot => {
  const document = Schema.toJsonSchemaDocument(schema)
  return { title, description, schema: document.schema, definitions: document.definitions }
}

/** The snapshots of the current code, by file name, earlier versions of events included. */
export const currentSnapshots = (
  eventTypes: ReadonlyArray<EventType>,
  feeds: Iterable<Feed>,
): ReadonlyMap<string, Snapshot> => {
  const snapshots = new Map<string, Snapshot>()
  for (const { type, description, version, data, earlier } of eventTypes)
    for (const one of [...earlier, { version, data }])
      snapshots.set(`${type}.v${one.version}.json`, snapshotOf(`${type} v${one.version}`, description, one.data))
  for (const { name, description, payload } of feeds)
    snapshots.set(`feeds/${name}.json`, snapshotOf(`payload of ${name}`, description, payload))
  return snapshots
}

/** The text of a snapshot file. */
export const snapshotText = (snapshot: Snapshot): string => `${JSON.stringify(snapshot, null, 2)}\n`

/** Decodes a snapshot file. Throws if the text is not a snapshot. */
const readSnapshot = (text: string): Snapshot => decodeSnapshot(text)

/** The committed snapshots, by file name. Throws where a file is not a snapshot. */
export const committedSnapshots = (directory: URL = snapshotsDirectory): ReadonlyMap<string, Snapshot> =>
  new Map(
    readdirSync(directory, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".json"))
      .sort()
      .map((name): [string, Snapshot] => [
        name.replaceAll("\\", "/"),
        readSnapshot(readFileSync(new URL(name, directory), "utf8")),
      ]),
  )

/** A difference between one snapshot file and the code. */
export type Drift =
  | { readonly _tag: "Missing"; readonly file: string }
  | { readonly _tag: "Withdrawn"; readonly file: string }
  | { readonly _tag: "Breaking"; readonly file: string; readonly problems: ReadonlyArray<string> }
  | { readonly _tag: "Compatible"; readonly file: string }

/**
 * Every file where code and committed snapshots differ. `Missing`: no snapshot yet. `Withdrawn`: a snapshot without
 * code: a released event or feed is never removed. `Breaking`: a part of the snapshot is taken away. `Compatible`: any other change.
 */
export const drift = (
  committed: ReadonlyMap<string, Snapshot>,
  current: ReadonlyMap<string, Snapshot>,
): ReadonlyArray<Drift> => {
  const drifts: Array<Drift> = []
  for (const [file, snapshot] of current) {
    const before = committed.get(file)
    if (before === undefined) drifts.push({ _tag: "Missing", file })
    else if (snapshotText(before) !== snapshotText(snapshot)) {
      const problems = breakingChanges(before, snapshot)
      drifts.push(problems.length > 0 ? { _tag: "Breaking", file, problems } : { _tag: "Compatible", file })
    }
  }
  for (const file of committed.keys()) if (!current.has(file)) drifts.push({ _tag: "Withdrawn", file })
  return drifts
}

/** The breaking changes since a committed snapshot; empty if there was none. */
export const brokenPromises = (before: Snapshot | null, now: Snapshot | undefined): ReadonlyArray<string> => {
  if (before === null) return []
  return now === undefined ? ["the code has no such event version or feed any more"] : breakingChanges(before, now)
}

/** Reads a snapshot file at some time; null if it did not exist. */
type Promised = (file: string) => Snapshot | null

/** The earlier snapshots in the history of git. */
interface SnapshotHistory {
  /** At the last commit; null where git has no such files. */
  readonly committed: Promised | null
  /** The last release, a tag v<version>; null if there is none. */
  readonly release: { readonly name: string; readonly promised: Promised } | null
}

/** Reads the history of the snapshots in `directory`. Empty without git, and outside of a repository. */
export const snapshotHistory = (directory: URL = snapshotsDirectory): SnapshotHistory => {
  const git = (...words: ReadonlyArray<string>): string | null => {
    const { status, stdout } = spawnSync("git", words, { cwd: directory, encoding: "utf8" })
    return status === 0 ? stdout : null
  }
  const at =
    (commit: string): Promised =>
    (file) => {
      const text = git("show", `${commit}:./${file}`)
      return text === null ? null : readSnapshot(text)
    }
  // A copy without history may lie within another project's repository.
  if ((git("ls-tree", "--name-only", "HEAD", "./") ?? "") === "") return { committed: null, release: null }
  const name = git("describe", "--tags", "--abbrev=0", "--match", "v[0-9]*")?.trim()
  return { committed: at("HEAD"), release: name === undefined ? null : { name, promised: at(name) } }
}
