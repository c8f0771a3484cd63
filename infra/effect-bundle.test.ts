import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { beforeAll, describe, expect, it } from "vitest"
import { bundledFile, bundleEffect, effectModules, isEffectBundled } from "./effect-bundle.js"

const root = join(import.meta.dirname, "..")
const code = ["schemas", "ingestors", "processors", "ledger", "api", "infra"].flatMap((room) =>
  readdirSync(join(root, room), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.[tj]s$/.test(name) && !/\.test\.ts$|(^|\/)(testing|clients)\//.test(name))
    .map((name) => readFileSync(join(root, room, name), "utf8")),
)

describe("the bundle of Effect", () => {
  beforeAll(async () => {
    if (!isEffectBundled()) await bundleEffect()
  })

  it("has every module that the service imports, and no other", () => {
    const imported = code.flatMap((text) =>
      [...text.matchAll(/^(?:import|export) (?!type )[^"]*from "(effect(?:\/[^"]+)?)"/gm)].map(([, name]) => name),
    )
    expect([...new Set(imported)].sort()).toEqual(effectModules)
  })

  it.each(effectModules)("%s has what the package exports", async (name) => {
    const [bundled, installed] = await Promise.all([import(bundledFile(name)), import(name)])
    expect(Object.keys(bundled)).toEqual(Object.keys(installed))
    expect(Object.keys(bundled).length).toBeGreaterThan(0)
  })
})
