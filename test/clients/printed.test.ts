import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { OPERATIONS, Tidewire } from "../../.clients/typescript/index.js"
import { clientContract } from "../../api/clients/print/contract.ts"
import { camelCase } from "../../api/clients/print/names.ts"
import { packageFiles, writePackages } from "../../infra/commands/clients.ts"
import { endpoints } from "../../schemas/registry.ts"
import { removeSideFolder, sideFolder } from "../support/side-folder.ts"

const files = await packageFiles()

describe("the packages of the clients", () => {
  it("are made in a folder, without what an earlier contract had, and not written again where nothing changed", async () => {
    const folder = sideFolder()
    onTestFinished(() => removeSideFolder(folder))
    mkdirSync(join(folder, "typescript/lib"), { recursive: true })
    writeFileSync(join(folder, "typescript/lib/gone.js"), "")
    expect(await writePackages(folder)).toEqual([...files.keys()])
    const made = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
    expect(made.toSorted()).toEqual([...files.keys()].toSorted())
    for (const [path, text] of files) expect(readFileSync(join(folder, path), "utf8") === text, path).toBe(true)
    expect(await writePackages(folder)).toEqual([])
  })

  it("have a method for each operation of the contract", () => {
    for (const { name, methodName, path, method } of clientContract(endpoints).operations) {
      const key = camelCase(methodName)
      expect(OPERATIONS, path).toHaveProperty(key, expect.objectContaining({ name, path, method }))
      expect(Reflect.get(Tidewire.prototype, key), path).toBeTypeOf("function")
      expect(files.get("python/tidewire_client/__init__.py"), path).toContain(`    def ${methodName}(self`)
    }
    expect(Object.keys(OPERATIONS)).toHaveLength(endpoints.length)
  })

  it("depend on nothing: the one in TypeScript knows the web platform alone, the one in Python its standard library", () => {
    const modules = [...files].filter(([path]) => /^typescript\/.*\.(js|d\.ts)$/.test(path))
    expect(modules.length).toBeGreaterThan(20)
    for (const [path, text] of modules)
      for (const [, imported = ""] of text.matchAll(/(?:from|import) "([^"]+)"/g))
        expect(imported, path).toMatch(/^\.\.?\//)
    expect(files.get("typescript/package.json")).not.toContain("ependencies")
    expect(files.get("python/pyproject.toml")).not.toMatch(/^dependencies/m)
  })
})
