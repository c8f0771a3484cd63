import { execFile, spawn } from "node:child_process"
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { eventually } from "../support/eventually.ts"

const run = promisify(execFile)

/** The directories of the programs, in Debian's packages and elsewhere. */
const PACKAGES = "/usr/lib/postgresql"
const CONNECTIONS_MAX = 100
const STOP_MS = 10_000
/** PostgreSQL refuses to run as root: as root, the server is started as the system user `nobody`. */
const NOBODY = 65_534

/** A PostgreSQL server on its own socket, for comparisons. */
export interface Postgres {
  /** Runs a pgbench script with so many clients; gives its transactions a second. */
  readonly transactionsPerSecond: (script: string, clients: number, seconds: number) => Promise<number>
  readonly stop: () => Promise<void>
}

const binaries = (): string | undefined => {
  const versions = existsSync(PACKAGES) ? readdirSync(PACKAGES).sort((a, b) => Number(b) - Number(a)) : []
  return versions
    .map((version) => join(PACKAGES, version, "bin"))
    .find((bin) => ["initdb", "postgres", "psql", "pgbench"].every((program) => existsSync(join(bin, program))))
}

/** Tests whether PostgreSQL is installed. */
export const postgresIsInstalled = (): boolean => binaries() !== undefined

/**
 * Starts a server on an empty database with a schema; every commit is on disk before it is acknowledged. Undefined if
 * PostgreSQL is not installed.
 */
export const startPostgres = async (schema: string): Promise<Postgres | undefined> => {
  const bin = binaries()
  if (bin === undefined) return undefined
  const directory = mkdtempSync(join(tmpdir(), "tidewire-postgres-"))
  const owner = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}
  if (owner.uid !== undefined) chownSync(directory, NOBODY, NOBODY)
  const options = { cwd: directory, ...owner }
  const data = join(directory, "data")
  const connection = ["-h", directory, "-U", "bench"]
  await run(join(bin, "initdb"), ["-D", data, "-U", "bench", "-A", "trust", "-E", "UTF8", "--locale=C"], options)
  const settings = ["fsync=on", "synchronous_commit=on", "listen_addresses=", `max_connections=${CONNECTIONS_MAX}`]
  const server = spawn(
    join(bin, "postgres"),
    ["-D", data, "-k", directory, ...settings.flatMap((setting) => ["-c", setting])],
    { ...options, stdio: "ignore" },
  )
  const ended = new Promise<void>((resolve) => server.once("exit", () => resolve()))
  const stop = async () => {
    server.kill("SIGINT")
    const timer = setTimeout(() => server.kill("SIGKILL"), STOP_MS)
    await ended
    clearTimeout(timer)
    rmSync(directory, { recursive: true, force: true })
  }
  try {
    await eventually("PostgreSQL answers", async () => {
      await run(join(bin, "psql"), [...connection, "-c", "SELECT 1", "postgres"], options)
      return true
    })
    await run(join(bin, "psql"), [...connection, "-v", "ON_ERROR_STOP=1", "-c", schema, "postgres"], options)
  } catch (cause) {
    await stop()
    throw cause
  }
  return {
    transactionsPerSecond: async (script, clients, seconds) => {
      const file = join(directory, "script.sql")
      writeFileSync(file, script)
      const { stdout } = await run(
        join(bin, "pgbench"),
        [
          ...connection,
          "-n",
          "-M",
          "prepared",
          "-c",
          `${clients}`,
          "-j",
          "2",
          "-T",
          `${seconds}`,
          "-f",
          file,
          "postgres",
        ],
        options,
      )
      const rate = Number(/tps = ([\d.]+)/.exec(stdout)?.[1])
      if (!(rate > 0)) throw new Error(`pgbench gave no rate: ${stdout}`)
      return rate
    },
    stop,
  }
}
