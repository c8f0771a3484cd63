import { randomBytes } from "node:crypto"
import {
  closeSync,
  fstatSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs"
import { dirname } from "node:path"
import { codeOf } from "../system/error.ts"

/** A file or folder of secrets cannot be used. The message never contains its content. */
export class SecretFileProblem extends Error {
  readonly path: string
  /** Whether the file does not exist. */
  readonly isMissing: boolean

  constructor(path: string, problem: string, isMissing = false) {
    super(problem)
    this.path = path
    this.isMissing = isMissing
  }
}

const OTHERS = 0o077
/** Longer than any secret. */
const SECRET_MAX_BYTES = 16 * 1024
const TEMPORARY = ".new"

const attempt = <A>(path: string, doing: string, act: () => A): A => {
  try {
    return act()
  } catch (cause) {
    throw cause instanceof SecretFileProblem
      ? cause
      : new SecretFileProblem(
          path,
          `${doing} failed: ${codeOf(cause) ?? "an unknown error"}`,
          codeOf(cause) === "ENOENT",
        )
  }
}

/** Refuses a file or folder that other users can access. Windows has no such mode bits. */
const refuseOthers = (path: string, mode: number, wanted: string): void => {
  if (process.platform === "win32" || (mode & OTHERS) === 0) return
  const found = (mode & 0o777).toString(8).padStart(4, "0")
  throw new SecretFileProblem(path, `others can use it (mode ${found}); run: chmod ${wanted} ${path}`)
}

const syncFolder = (path: string): void => {
  // Windows cannot open folders, and makes their entries durable itself.
  if (process.platform === "win32") return
  const descriptor = openSync(path, "r")
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Creates the folder of the secrets if it is missing; throws a `SecretFileProblem` if other users can access it. */
export const openSecretFolder = (path: string): void =>
  attempt(path, "making the folder", () => {
    const made = mkdirSync(path, { recursive: true, mode: 0o700 })
    if (made !== undefined) syncFolder(dirname(path))
    refuseOthers(path, statSync(path).mode, "0700")
  })

/** The names in the folder, without unfinished files. */
export const secretNames = (folder: string): ReadonlyArray<string> =>
  attempt(folder, "reading the folder", () => readdirSync(folder).filter((name) => !name.endsWith(TEMPORARY)))

/** The text of a secret's file, trimmed. Throws a `SecretFileProblem` if it is empty or other users can read it. */
export const readSecret = (path: string): string =>
  attempt(path, "reading it", () => {
    const descriptor = openSync(path, "r")
    try {
      const stat = fstatSync(descriptor)
      if (!stat.isFile()) throw new SecretFileProblem(path, "it is no file")
      refuseOthers(path, stat.mode, "0600")
      if (stat.size > SECRET_MAX_BYTES) throw new SecretFileProblem(path, `it has more than ${SECRET_MAX_BYTES} bytes`)
      const text = readFileSync(descriptor, "utf8").trim()
      if (text === "") throw new SecretFileProblem(path, "it is empty")
      return text
    } finally {
      closeSync(descriptor)
    }
  })

/**
 * Creates a secret's file, atomically and durably. An existing file is left as it is, also when two processes create it at
 * the same time. Throws a `SecretFileProblem` if it cannot.
 */
export const makeSecret = (path: string, text: string): void =>
  attempt(path, "making it", () => {
    const temporary = `${path}.${randomBytes(6).toString("hex")}${TEMPORARY}`
    try {
      const descriptor = openSync(temporary, "wx", 0o600)
      try {
        writeSync(descriptor, `${text.trim()}\n`)
        fsyncSync(descriptor)
      } finally {
        closeSync(descriptor)
      }
      // A rename would replace an existing file; a link does not.
      linkSync(temporary, path)
    } catch (cause) {
      if (codeOf(cause) !== "EEXIST") throw cause
    } finally {
      rmSync(temporary, { force: true })
    }
    syncFolder(dirname(path))
  })
