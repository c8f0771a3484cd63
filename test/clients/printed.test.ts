import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { camelCase } from "../../api/clients/print/names.ts"
import { OPERATIONS, Tidewire } from "../../api/clients/typescript/index.js"
import { clientsDirectory, printedFiles } from "../../infra/commands/clients/printed-files.ts"
import { endpoints } from "../../schemas/registry.ts"

const printed = await printedFiles()
/** Files that are written by hand. */
const BY_HAND = [
  "print/**",
  "typescript/src/**",
  "python/tidewire_client/_[a-z]*.py",
  "python/tidewire_client/py.typed",
]

const filesOf = (patterns: ReadonlyArray<string>, exclude: ReadonlyArray<string> = []) =>
  globSync([...patterns], { cwd: clientsDirectory, exclude: ["**/__pycache__/**", ...exclude], withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(clientsDirectory.length))
    .toSorted()

describe("the committed clients", () => {
  it("are what the contract prints, byte for byte: else run `npm run clients`", () => {
    for (const [path, text] of printed)
      expect(readFileSync(join(clientsDirectory, path), "utf8") === text, path).toBe(true)
  })

  it("have no printed file beside these", () => {
    expect(filesOf(["**"], BY_HAND)).toEqual([...printed.keys()].toSorted())
  })

  it("have a method for each operation of the contract", () => {
    for (const { name, path, method } of endpoints) {
      expect(OPERATIONS, path).toHaveProperty(camelCase(name), expect.objectContaining({ name, path, method }))
      expect(Reflect.get(Tidewire.prototype, camelCase(name)), path).toBeTypeOf("function")
      expect(printed.get("python/tidewire_client/__init__.py"), path).toContain(`    def ${name}(self`)
    }
    expect(Object.keys(OPERATIONS)).toHaveLength(endpoints.length)
  })

  it("depend on nothing: the one in TypeScript knows the web platform alone, the one in Python its standard library", () => {
    const modules = [...printed].filter(([path]) => /^typescript\/.*\.(js|d\.ts)$/.test(path))
    for (const [path, text] of modules)
      for (const [, imported = ""] of text.matchAll(/(?:from|import) "([^"]+)"/g))
        expect(imported, path).toMatch(/^\.\.?\//)
    expect(printed.get("typescript/package.json")).not.toContain("ependencies")
    expect(printed.get("python/pyproject.toml")).not.toMatch(/^dependencies/m)
  })
})
