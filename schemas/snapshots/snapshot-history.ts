import { spawnSync } from "node:child_process"
import { readSnapshot, type Snapshot, snapshotsDirectory } from "./snapshot.ts"

/** Reads a snapshot file at some time; null if it did not exist. */
type Promised = (file: string) => Snapshot | null

/** The earlier snapshots in the history of git. */
export interface SnapshotHistory {
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
