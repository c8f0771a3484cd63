import { spawnSync } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"

const root = join(import.meta.dirname, "..")
/** For two starts, the first of which compiles everything, however busy the machine is. */
const PATIENCE_MS = 240_000

let home: string
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), "tidewire-code-"))
  for (const room of ["schemas", "ingestors", "processors", "ledger", "api", "infra"])
    cpSync(join(root, room), join(home, room), { recursive: true })
  cpSync(join(root, "package.json"), join(home, "package.json"))
  // The packages of this checkout, with a cache of its own.
  mkdirSync(join(home, "node_modules"))
  for (const name of readdirSync(join(root, "node_modules")))
    if (name !== ".cache") symlinkSync(join(root, "node_modules", name), join(home, "node_modules", name))
  writeFileSync(
    join(home, "loaded.mjs"),
    `import { registerHooks } from "node:module"
let effect = "no Effect"
registerHooks({ load: (url, context, next) => {
  if (url.includes("/node_modules/effect/")) effect = "the package of Effect"
  if (url.includes("tidewire-effect-")) effect = "the bundle of Effect"
  return next(url, context)
} })
const isStripped = () => process.moduleLoadList.some((name) => name.includes("amaro"))
process.on("exit", () => process.stderr.write((isStripped() ? "stripped, " : "cached, ") + effect))`,
  )
})
afterAll(() => rmSync(home, { recursive: true, force: true }))

/** What a start reports: whether it had to strip code, which loads Node's stripper (amaro) for good, and which Effect it loaded. */
const start = (): string => {
  // The tests have a cache of their own, which the service would fill instead.
  const { NODE_COMPILE_CACHE: _, ...env } = process.env
  const options = { cwd: home, env }
  return spawnSync(process.execPath, ["--import=./loaded.mjs", "infra/main.js", "--help"], options).stderr.toString()
}

const READY = "cached, the bundle of Effect"

it("fills the cache of a new installation beside the service, which never loads the stripper or the package of Effect", {
  timeout: PATIENCE_MS,
}, () => {
  expect(start()).toContain(READY)
  const [cache = ""] = readdirSync(join(home, "node_modules/.cache/tidewire"))
  expect(readdirSync(join(home, "node_modules/.cache/tidewire", cache)).length).toBeGreaterThan(1_000)
  expect(start()).toContain(READY)
})
