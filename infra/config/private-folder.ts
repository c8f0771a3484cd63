import { lstatSync } from "node:fs"
import { chmod, lstat, opendir } from "node:fs/promises"
import { join } from "node:path"
import { isMainThread } from "node:worker_threads"

const FOLDER_MODE = 0o700
const FILE_MODE = 0o600
const OTHERS = 0o077
/** Secrets that other users could read are refused at the start: they may have been read. */
const SECRETS = "secrets"

/** Files that this process and its children create afterwards are accessible by this user only. */
export const makeFilesPrivate = (): void => {
  // Threads share the mask of their process, and cannot set it.
  if (isMainThread) process.umask(OTHERS)
}

/** Tests whether other users have rights to a file or folder. Windows has no such bits. */
export const isOpenToOthers = (path: string): boolean =>
  process.platform !== "win32" && (lstatSync(path).mode & OTHERS) !== 0

const codeOf = (cause: unknown): string => (cause instanceof Error && "code" in cause ? String(cause.code) : "")

const closeOne = async (path: string, isFolder: boolean): Promise<number> => {
  try {
    const { mode } = await lstat(path)
    if ((mode & OTHERS) === 0) return 0
    await chmod(path, isFolder ? FOLDER_MODE : FILE_MODE)
    return 1
  } catch (cause) {
    // Files of the history may disappear meanwhile.
    if (codeOf(cause) === "ENOENT") return 0
    throw cause
  }
}

/**
 * Removes other users' rights to the contents of a folder: files 0600, folders 0700. Links are not followed, and secrets are
 * left out, as they are refused elsewhere. Gives the number of changes.
 */
export const closeToOthers = async (folder: string, isRoot = true): Promise<number> => {
  let changed = await closeOne(folder, true)
  let entries: Awaited<ReturnType<typeof opendir>>
  try {
    entries = await opendir(folder)
  } catch (cause) {
    if (codeOf(cause) === "ENOENT") return changed
    throw cause
  }
  for await (const entry of entries) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) changed += isRoot && entry.name === SECRETS ? 0 : await closeToOthers(path, false)
    else if (entry.isFile()) changed += await closeOne(path, false)
  }
  return changed
}
