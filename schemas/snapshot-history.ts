import { spawnSync } from "node:child_process"
import { readSnapshot, type Snapshot, snapshotsDirectory } from "./snapshot.ts"

/** What a snapshot file promised at some time; null where it was not there. */
export type Promised = (file: string) => Snapshot | null

/** What has been promised until now, as far as git knows. */
export interface SnapshotHistory {
  /** At the last commit; null where git does not know these files. */
  readonly committed: Promised | null
  /** The last release, a tag v<version>; null where git knows of none. */
  readonly release: { readonly name: string; readonly promised: Promised } | null
}

/** Reads the history of the snapshots in `directory`. Without git, or outside of a repository, there is none. */
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
  // A copy without history may lie within a repository of something else.
  if ((git("ls-tree", "--name-only", "HEAD", "./") ?? "") === "") return { committed: null, release: null }
  const name = git("describe", "--tags", "--abbrev=0", "--match", "v[0-9]*")?.trim()
  return { committed: at("HEAD"), release: name === undefined ? null : { name, promised: at(name) } }
}
