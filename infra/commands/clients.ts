import { execFile } from "node:child_process"
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { clientFiles, PYTHON_PACKAGE } from "../../api/clients/print/client-files.ts"
import { endpoints } from "../../schemas/registry.ts"
import { type Arguments, DONE, FAILED, type Options } from "./arguments.ts"

export const run = async ({ positionals: [directory = ""] }: Arguments<Options>): Promise<number> => {
  try {
    for (const path of await writePackages(directory)) process.stdout.write(`wrote ${path}\n`)
    return DONE
  } catch (cause) {
    if (!(cause instanceof NotCompiled)) throw cause
    process.stderr.write(cause.message)
    return FAILED
  }
}

const execute = promisify(execFile)
const COMPILE_MS = 120_000

/** The folder of what is written by hand of both clients, and of their printers. */
const clientsDirectory = fileURLToPath(new URL("../../api/clients/", import.meta.url))

/** The folder of what the compiler prints, below that of both clients: it holds nothing else. */
const COMPILED = "typescript/lib"
/** The modules of the client in Python that are written by hand. */
const PYTHON_MODULES = join("python", PYTHON_PACKAGE)

/** Compiler options of the client in TypeScript. The types of the web platform alone, as it must run on any platform. */
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
class NotCompiled extends Error {}

/** Compiles the hand-written part of the client in `folder`, and gives the texts by their names. Rejects where it has errors. */
const compiled = async (folder: string): Promise<ReadonlyArray<readonly [string, string]>> => {
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["src"] }))
  const compiler = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin/tsc")
  await execute(process.execPath, [compiler, "-p", folder], { timeout: COMPILE_MS }).catch(({ stdout }) => {
    throw new NotCompiled(`the client in TypeScript does not compile:\n${stdout}`)
  })
  const lib = join(folder, "lib")
  return readdirSync(lib).map((name) => [`${COMPILED}/${name}`, readFileSync(join(lib, name), "utf8")])
}

const byHand = (): ReadonlyArray<readonly [string, string]> =>
  globSync("{_*.py,py.typed}", { cwd: join(clientsDirectory, PYTHON_MODULES) }).map((name) => {
    const path = join(PYTHON_MODULES, name)
    return [path, readFileSync(join(clientsDirectory, path), "utf8")]
  })

/** Every file of both packages, by its path below their folder. Rejects with `NotCompiled`. */
export const packageFiles = async (): Promise<ReadonlyMap<string, string>> => {
  const licence = readFileSync(join(clientsDirectory, "../../LICENSE"), "utf8")
  const printed = new Map([...clientFiles(endpoints), ["typescript/LICENSE", licence], ["python/LICENSE", licence]])
  const folder = mkdtempSync(join(tmpdir(), "tidewire-clients-"))
  try {
    for (const [path, text] of printed) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), text)
    }
    cpSync(join(clientsDirectory, "typescript/src"), join(folder, "typescript/src"), { recursive: true })
    return new Map([...printed, ...byHand(), ...(await compiled(join(folder, "typescript")))].toSorted())
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Makes both packages in `directory`, and gives the paths of the files that changed. What they no longer have goes. */
export const writePackages = async (directory: string): Promise<ReadonlyArray<string>> => {
  const files = await packageFiles()
  for (const language of ["typescript", "python"])
    for (const path of globSync(`${language}/{*,lib/*,${PYTHON_PACKAGE}/*}.{js,ts,py}`, { cwd: directory }))
      if (!files.has(path)) rmSync(join(directory, path))
  return [...files].flatMap(([path, text]) => {
    const file = join(directory, path)
    if (existsSync(file) && readFileSync(file, "utf8") === text) return []
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
    return [path]
  })
}
