import { closeSync, existsSync, openSync } from "node:fs"
import { DataType, load, open } from "ffi-rs"

/**
 * The embedded engine is ClickHouse's local application, where the SQL function `file('/any/path')` reads every file that
 * its process can read, for every user. No grant and no setting prevents that. Therefore the process confines itself with
 * Linux's Landlock: afterwards its threads can open only the data directory and single files, and no outgoing connection.
 * Landlock allows every pipe of the process by `/proc/self/fd`; a query that waits for one ends with the engine
 * (`engine-process.ts`).
 */

const C_LIBRARY = "c"

// Numbers of the kernel's interface, the same on x86-64 and arm64 (linux/landlock.h, asm-generic/unistd.h).
const SYSCALL_CREATE_RULESET = 444
const SYSCALL_ADD_RULE = 445
const SYSCALL_RESTRICT_SELF = 446
const CREATE_RULESET_VERSION = 1
const RULE_PATH_BENEATH = 1
const RULE_NET_PORT = 2
const PR_SET_NO_NEW_PRIVS = 38
const ACCESS_WRITE_FILE = 1n << 1n
const ACCESS_READ_FILE = 1n << 2n
const ACCESS_TRUNCATE = 1n << 14n
const ACCESS_BIND_TCP = 1n
const ACCESS_CONNECT_TCP = 2n
/** The number of file rights in each version of Landlock. */
const FILE_RIGHTS = [0, 13, 14, 15, 15, 16] as const
/** The first version with TCP rights. */
const VERSION_WITH_TCP = 4

let libraryIsOpen = false

const openLibrary = () => {
  if (libraryIsOpen) return
  // An empty path is the program itself, which contains the C library.
  open({ library: C_LIBRARY, path: "" })
  libraryIsOpen = true
}

/** Makes a system call with up to four parameters; a negative result is an error. */
const systemCall = (number: number, ...parameters: ReadonlyArray<number | Buffer>): number => {
  openLibrary()
  return load({
    library: C_LIBRARY,
    funcName: "syscall",
    retType: DataType.I64,
    paramsType: [
      DataType.I64,
      ...parameters.map((value) => (Buffer.isBuffer(value) ? DataType.U8Array : DataType.I64)),
    ],
    paramsValue: [number, ...parameters],
  })
}

/** The version of the kernel's Landlock; 0 if it has none. */
export const confinementVersion = (): number => {
  if (process.platform !== "linux") return 0
  return Math.max(0, systemCall(SYSCALL_CREATE_RULESET, 0, 0, CREATE_RULESET_VERSION))
}

const check = (step: string, result: number) => {
  if (result < 0) throw new Error(`the process could not be confined: ${step} was refused`)
  return result
}

/**
 * Confines the calling thread and every thread that it starts afterwards: they can use `directory` and read the files
 * `readable` and `kernelFiles`, bind no TCP ports but `ports`, and open no connection. Throws if the kernel refuses; the
 * caller must not continue then.
 */
export const confine = (options: {
  readonly directory: string
  readonly readable: ReadonlyArray<string>
  /** Files of the kernel, as `/proc/self/statm`. Never folders: `/proc/self` shows the connections of the whole machine. */
  readonly kernelFiles: ReadonlyArray<string>
  readonly writable: ReadonlyArray<string>
  readonly ports: ReadonlyArray<number>
}): void => {
  const version = confinementVersion()
  if (version === 0) throw new Error("the process could not be confined: this kernel has no Landlock")
  const everything = (1n << BigInt(FILE_RIGHTS[Math.min(version, FILE_RIGHTS.length - 1)] ?? 0)) - 1n
  const withTcp = version >= VERSION_WITH_TCP
  const attributes = Buffer.alloc(withTcp ? 16 : 8)
  attributes.writeBigUInt64LE(everything, 0)
  if (withTcp) attributes.writeBigUInt64LE(ACCESS_BIND_TCP | ACCESS_CONNECT_TCP, 8)
  const ruleset = check("the rule set", systemCall(SYSCALL_CREATE_RULESET, attributes, attributes.length, 0))

  const allow = (path: string, rights: bigint): number => {
    const descriptor = openSync(path, "r")
    const rule = Buffer.alloc(12)
    rule.writeBigUInt64LE(rights, 0)
    rule.writeInt32LE(descriptor, 8)
    check(`a rule for ${path}`, systemCall(SYSCALL_ADD_RULE, ruleset, RULE_PATH_BENEATH, rule, 0))
    return descriptor
  }
  const present = (paths: ReadonlyArray<string>) => paths.filter((path) => existsSync(path))
  closeSync(allow(options.directory, everything))
  // Closed, as `/proc/self/fd` would otherwise show a file that is replaced later.
  for (const path of present(options.readable)) closeSync(allow(path, ACCESS_READ_FILE))
  // Open for ever: a rule holds for an inode, and the kernel makes a new one for a file of /proc that has no user.
  for (const path of present(options.kernelFiles)) allow(path, ACCESS_READ_FILE)
  for (const path of present(options.writable))
    closeSync(allow(path, (ACCESS_READ_FILE | ACCESS_WRITE_FILE | ACCESS_TRUNCATE) & everything))
  if (withTcp)
    for (const port of options.ports) {
      const rule = Buffer.alloc(16)
      rule.writeBigUInt64LE(ACCESS_BIND_TCP, 0)
      rule.writeBigUInt64LE(BigInt(port), 8)
      check(`a rule for port ${port}`, systemCall(SYSCALL_ADD_RULE, ruleset, RULE_NET_PORT, rule, 0))
    }
  openLibrary()
  const privileges = load({
    library: C_LIBRARY,
    funcName: "prctl",
    retType: DataType.I32,
    paramsType: [DataType.I32, DataType.I64, DataType.I64, DataType.I64, DataType.I64],
    paramsValue: [PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0],
  })
  check("giving up privileges", privileges)
  check("the restriction", systemCall(SYSCALL_RESTRICT_SELF, ruleset, 0))
}
