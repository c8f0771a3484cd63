import { randomBytes } from "node:crypto"
import {
  chmodSync,
  closeSync,
  existsSync,
  ftruncateSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  statSync,
  writeSync,
} from "node:fs"
import { chmod, lstat, opendir } from "node:fs/promises"
import { dirname, join } from "node:path"
import { isMainThread } from "node:worker_threads"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { makeSecret, openSecretFolder, readSecret, SecretFileProblem } from "../secrets/files.ts"
import { codeOf, messageOf } from "./error.ts"
import { tryLock } from "./file-lock.ts"

const FOLDER_MODE = 0o700
const FILE_MODE = 0o600
const OTHERS = 0o077
/** Secrets that other users could read are refused at the start: they may have been read. */
const SECRETS = "secrets"

/** Files that this process and its children create afterwards are accessible by this user only. */
const makeFilesPrivate = (): void => {
  // Threads share the mask of their process, and cannot set it.
  if (isMainThread) process.umask(OTHERS)
}

/** Tests whether other users have rights to a file or folder. Windows has no such bits. */
const isOpenToOthers = (path: string): boolean => process.platform !== "win32" && (lstatSync(path).mode & OTHERS) !== 0

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
const closeToOthers = async (folder: string, isRoot = true): Promise<number> => {
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

/** Another process holds the lock of this folder. */
export class DirectoryHeld extends Schema.TaggedError<DirectoryHeld>()("DirectoryHeld", {
  directory: Schema.String,
  holder: Schema.String,
}) {
  override get message() {
    return `${this.directory} is in use by ${this.holder}; stop it first, or choose another DATA_DIR`
  }
}

/** The folder cannot be created or written. */
export class DirectoryUnusable extends Schema.TaggedError<DirectoryUnusable>()("DirectoryUnusable", {
  directory: Schema.String,
  problem: Schema.String,
}) {
  override get message() {
    return `DATA_DIR: ${this.directory} cannot be used: ${this.problem}`
  }
}

const WORDS: Readonly<Record<string, string>> = {
  EACCES: "this user may not write there",
  EPERM: "this user may not write there",
  EROFS: "it can only be read",
  EEXIST: "a file has its name",
  ENOTDIR: "a folder on its path is a file",
  ENOENT: "no folder can be made there",
  ENAMETOOLONG: "its name is too long",
  ENOSPC: "the disk is full",
}

const isNoSpace = (cause: unknown): boolean => codeOf(cause) === "ENOSPC" || codeOf(cause) === "EDQUOT"

const unusable = (directory: string, cause: unknown): DirectoryUnusable => {
  const problem = WORDS[String(codeOf(cause))] ?? messageOf(cause)
  return new DirectoryUnusable({ directory, problem })
}

/**
 * Creates a folder and its parents. Node's recursive `mkdir` never returns if a folder cannot be created although its parent
 * exists, as in /proc.
 */
const makeFolder = (directory: string): void => {
  const options = { mode: 0o700 }
  try {
    mkdirSync(directory, options)
  } catch (cause) {
    if (statSync(directory, { throwIfNoEntry: false })?.isDirectory() === true) return
    const above = dirname(directory)
    if (above === directory || existsSync(above)) throw cause
    makeFolder(above)
    makeFolder(directory)
  }
}

/** Writes the holder's process id for messages. The lock does not depend on it: on a full disk the holder stays unnamed. */
const nameHolder = (descriptor: number): void => {
  try {
    ftruncateSync(descriptor)
    writeSync(descriptor, `process ${process.pid}, started ${new Date().toISOString()}\n`)
  } catch (cause) {
    if (!isNoSpace(cause)) throw cause
  }
}

/**
 * Creates the folder if it is missing, and locks it for the scope. The kernel releases the lock however the process ends.
 * Fails if another process holds it, with that process in the message.
 */
export const holdDirectory = (directory: string): Effect.Effect<void, DirectoryHeld | DirectoryUnusable, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.try({
      try: () => {
        makeFilesPrivate()
        makeFolder(directory)
        if (isOpenToOthers(directory)) chmodSync(directory, 0o700)
        const path = join(directory, "lock")
        const descriptor = openSync(path, "a+", 0o600)
        if (!tryLock(descriptor, "alone")) {
          const holder = readFileSync(path, "utf8").trim()
          closeSync(descriptor)
          throw new DirectoryHeld({ directory, holder: holder === "" ? "another process" : holder })
        }
        nameHolder(descriptor)
        return descriptor
      },
      catch: (cause) => (cause instanceof DirectoryHeld ? cause : unusable(directory, cause)),
    }),
    (descriptor) => Effect.sync(() => closeSync(descriptor)),
  ).pipe(Effect.asVoid)

/** Removes other users' rights to existing files of the folder. Files that cannot be changed are logged, and no failure. */
export const closeDirectory = (directory: string): Effect.Effect<void> =>
  Effect.tryPromise(() => closeToOthers(directory)).pipe(
    Effect.flatMap((changed) =>
      changed === 0
        ? Effect.void
        : Effect.logInfo("removed the rights of other users to files of DATA_DIR").pipe(
            Effect.annotateLogs({ files: changed }),
          ),
    ),
    Effect.catch(({ cause }) =>
      Effect.logWarning("the rights of other users to some files of DATA_DIR cannot be removed").pipe(
        Effect.annotateLogs({ cause: String(cause) }),
      ),
    ),
  )

/**
 * Reads a secret of this installation from the file `secrets/<name>`, which is created at first use (32 random bytes as hex,
 * mode 0600). The folder must be locked.
 */
export const keptSecret = (directory: string, name: string): Effect.Effect<string, DirectoryUnusable> =>
  Effect.try({
    try: () => {
      const folder = join(directory, "secrets")
      openSecretFolder(folder)
      const path = join(folder, name)
      if (!existsSync(path)) makeSecret(path, randomBytes(32).toString("hex"))
      return readSecret(path)
    },
    catch: (cause) =>
      cause instanceof SecretFileProblem
        ? new DirectoryUnusable({ directory: cause.path, problem: cause.message })
        : unusable(directory, cause),
  })
