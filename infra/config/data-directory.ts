import { randomBytes } from "node:crypto"
import { closeSync, existsSync, ftruncateSync, mkdirSync, openSync, readFileSync, writeSync } from "node:fs"
import { join } from "node:path"
import { Effect, Schema, type Scope } from "effect"
import { DataType, load, open } from "ffi-rs"
import { makeSecret, openSecretFolder, readSecret, SecretFileProblem } from "../secrets/files.ts"

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
    return `${this.directory} cannot be used: ${this.problem}`
  }
}

// flock(2), <sys/file.h>; the same values on Linux and macOS.
const LOCK_EX = 2
const LOCK_NB = 4

// An empty name opens the running program, which has libc in it. Node itself has no binding for flock, and every lock
// made of files alone is either left behind by kill -9 or can be taken twice.
open({ library: "libc", path: "" })
const flock = (descriptor: number, operation: number): number =>
  load({
    library: "libc",
    funcName: "flock",
    retType: DataType.I32,
    paramsType: [DataType.I32, DataType.I32],
    paramsValue: [descriptor, operation],
  })

/**
 * Makes the folder where it is missing and holds it for the scope. The kernel lets go of the lock when the process ends,
 * however it ends; a second holder is refused and told who the first is.
 */
export const holdDirectory = (directory: string): Effect.Effect<void, DirectoryHeld | DirectoryUnusable, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.try({
      try: () => {
        mkdirSync(directory, { recursive: true, mode: 0o700 })
        const path = join(directory, "lock")
        const descriptor = openSync(path, "a+", 0o600)
        if (flock(descriptor, LOCK_EX | LOCK_NB) !== 0) {
          const holder = readFileSync(path, "utf8").trim()
          closeSync(descriptor)
          throw new DirectoryHeld({ directory, holder: holder === "" ? "another process" : holder })
        }
        ftruncateSync(descriptor)
        writeSync(descriptor, `process ${process.pid}, started ${new Date().toISOString()}\n`)
        return descriptor
      },
      catch: (cause) =>
        cause instanceof DirectoryHeld ? cause : new DirectoryUnusable({ directory, problem: String(cause) }),
    }),
    (descriptor) => Effect.sync(() => closeSync(descriptor)),
  ).pipe(Effect.asVoid)

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
        : new DirectoryUnusable({ directory, problem: String(cause) }),
  })
