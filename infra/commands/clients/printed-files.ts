import { execFile } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { clientFiles } from "../../../api/clients/print/client-files.ts"
import { endpoints } from "../../../schemas/registry.ts"

const run = promisify(execFile)
const COMPILE_MS = 120_000

/** The folder of both clients. */
export const clientsDirectory = fileURLToPath(new URL("../../../api/clients/", import.meta.url))

/** The folder, below it, of what the compiler prints: it holds nothing else. */
export const COMPILED = "typescript/lib"

/** What the client of TypeScript is compiled with. It knows the platform of the web alone, so that it needs no other. */
const compilerOptions = {
  target: "es2024",
  lib: ["es2024", "dom", "dom.iterable"],
  module: "nodenext",
  types: [],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  verbatimModuleSyntax: true,
  declaration: true,
  rewriteRelativeImportExtensions: true,
  rootDir: "src",
  outDir: "lib",
}

/** The hand-written part of a client is wrong. */
export class NotCompiled extends Error {}

/** Compiles the hand-written part of the client in `folder`, and gives the texts by their names. Rejects where it has errors. */
const compiled = async (folder: string): Promise<ReadonlyArray<readonly [string, string]>> => {
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["src"] }))
  const compiler = fileURLToPath(new URL("bin/tsc", import.meta.resolve("typescript/package.json")))
  await run(process.execPath, [compiler, "-p", folder], { timeout: COMPILE_MS }).catch(({ stdout }) => {
    throw new NotCompiled(`the client in TypeScript does not compile:\n${stdout}`)
  })
  const lib = join(folder, "lib")
  return readdirSync(lib).map((name) => [`${COMPILED}/${name}`, readFileSync(join(lib, name), "utf8")])
}

/** Prints both clients: every file that is not written by hand, by its path below the folder of the clients. */
export const printedFiles = async (): Promise<ReadonlyMap<string, string>> => {
  const licence = readFileSync(join(clientsDirectory, "../../LICENSE"), "utf8")
  const printed = new Map([...clientFiles(endpoints), ["typescript/LICENSE", licence], ["python/LICENSE", licence]])
  const folder = mkdtempSync(join(tmpdir(), "tidewire-clients-"))
  try {
    for (const [path, text] of printed) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), text)
    }
    cpSync(join(clientsDirectory, "typescript/src"), join(folder, "typescript/src"), { recursive: true })
    return new Map([...printed, ...(await compiled(join(folder, "typescript")))].toSorted())
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
