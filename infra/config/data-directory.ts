import { randomBytes } from "node:crypto"
import {
  chmodSync,
  closeSync,
  existsSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  statSync,
  writeSync,
} from "node:fs"
import { dirname, join } from "node:path"
import { Effect, Schema, type Scope } from "effect"
import { makeSecret, openSecretFolder, readSecret, SecretFileProblem } from "../secrets/files.ts"
import { tryLock } from "./file-lock.ts"
import { closeToOthers, isOpenToOthers, makeFilesPrivate } from "./private-folder.ts"

/** Another process works in this folder. */
export class DirectoryHeld extends Schema.TaggedError<DirectoryHeld>()("DirectoryHeld", {
  directory: Schema.String,
  holder: Schema.String,
}) {
  override get message() {
    return `${this.directory} is in use by ${this.holder}; stop it first, or choose another DATA_DIR`
  }
}

/** The folder cannot be made or written. */
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

const isNoSpace = (cause: unknown): boolean =>
  cause instanceof Error && "code" in cause && (cause.code === "ENOSPC" || cause.code === "EDQUOT")

const unusable = (directory: string, cause: unknown): DirectoryUnusable => {
  const code = typeof cause === "object" && cause !== null && "code" in cause ? String(cause.code) : ""
  const problem = WORDS[code] ?? (cause instanceof Error ? cause.message : String(cause))
  return new DirectoryUnusable({ directory, problem })
}

/**
 * Makes a folder and those above it. Node's own way goes round for ever where a folder cannot be made although the one
 * above it exists, as in /proc.
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

/** Writes down who holds the folder. The lock holds without it: on a full disk a second start names no holder. */
const nameHolder = (descriptor: number): void => {
  try {
    ftruncateSync(descriptor)
    writeSync(descriptor, `process ${process.pid}, started ${new Date().toISOString()}\n`)
  } catch (cause) {
    if (!isNoSpace(cause)) throw cause
  }
}

/**
 * Makes the folder where it is missing and holds it for the scope. The kernel lets go of the lock when the process ends,
 * however it ends; a second holder is refused and told who the first is.
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

/** Takes the rights of others away from what was in the folder before. What cannot be changed is said, and no reason to stop. */
export const closeDirectory = (directory: string): Effect.Effect<void> =>
  Effect.tryPromise(() => closeToOthers(directory)).pipe(
    Effect.flatMap((changed) =>
      changed === 0
        ? Effect.void
        : Effect.logInfo("files that others could read are closed to them").pipe(
            Effect.annotateLogs({ files: changed }),
          ),
    ),
    Effect.catch(({ cause }) =>
      Effect.logWarning("not every file of DATA_DIR can be closed to others").pipe(
        Effect.annotateLogs({ cause: String(cause) }),
      ),
    ),
  )

/**
 * A secret of this installation: what the file `secrets/<name>` holds, made at first use (32 random bytes as hex, mode
 * 0600). The folder must be held.
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
