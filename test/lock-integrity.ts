import { execFile } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { promisify } from "node:util"

// npm run lock:integrity: queries the registry for the hash of each locked package that has none, and writes the answers.
// npm itself leaves such entries as they are.

const LOCK = new URL("../package-lock.json", import.meta.url)
const ANSWER_MAX_MS = 30_000
const run = promisify(execFile)

interface LockedPackage {
  readonly version?: string
  readonly link?: boolean
  integrity?: string
}

/** The registry's hash of a package; null where the package or a valid hash is missing there. */
const askRegistry = async (name: string, version: string) => {
  try {
    const parameters = ["view", `${name}@${version}`, "dist", "--json"]
    const { stdout } = await run("npm", parameters, { timeout: ANSWER_MAX_MS })
    const { integrity } = JSON.parse(stdout)
    return typeof integrity === "string" && integrity.startsWith("sha512-") ? integrity : null
  } catch {
    return null
  }
}

const lock: { readonly packages: Record<string, LockedPackage> } = JSON.parse(readFileSync(LOCK, "utf8"))
const without = Object.entries(lock.packages).filter(
  ([path, { integrity, link }]) => path !== "" && link !== true && integrity === undefined,
)
let missing = 0
for (const [path, entry] of without) {
  const name = path.replace(/^.*node_modules\//u, "")
  const version = entry.version ?? ""
  const integrity = await askRegistry(name, version)
  if (integrity === null) missing += 1
  else entry.integrity = integrity
  process.stdout.write(`${name}@${version}: ${integrity ?? "the registry does not have it"}\n`)
}
if (missing < without.length) writeFileSync(LOCK, `${JSON.stringify(lock, null, 2)}\n`)
process.exitCode = missing === 0 ? 0 : 1
