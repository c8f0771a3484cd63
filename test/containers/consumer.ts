import { cpSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import packageJson from "../../package.json" with { type: "json" }
import { packages } from "../clients/make-packages.ts"
import { npmInstall, pipInstall, removeSideFolder, runProgram, sideFolder } from "../support/side-folder.ts"

// A project outside of the repository whose tests are the recipes of the README, over the packages as they are packed.

const here = fileURLToPath(new URL(".", import.meta.url))

/** A recipe of the README: its heading and its code. */
export interface Recipe {
  readonly name: string
  readonly code: string
}

/** What the README has in a language, in its order. */
export const recipesIn = (language: string): ReadonlyArray<Recipe> => {
  const text = readFileSync(join(here, "README.md"), "utf8")
  let name = ""
  return [...text.matchAll(/^#{2,3} (.+)$|^```(\w+)\n([\s\S]*?)^```$/gm)].flatMap(([, heading, info, code = ""]) => {
    if (heading !== undefined) name = heading
    return info === language ? [{ name, code }] : []
  })
}

const { "@types/node": nodeTypes, testcontainers } = packageJson.devDependencies
const compilerOptions = {
  target: "es2024",
  lib: ["es2024"],
  module: "nodenext",
  types: ["node"],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  verbatimModuleSyntax: true,
  noEmit: true,
}

const pack = async (source: string, folder: string): Promise<string> => {
  // The lines before the last are those of a compiler that runs before the packing.
  const { stdout } = await runProgram("npm", ["pack", "--silent", "--pack-destination", folder], { cwd: source })
  return join(folder, stdout.trim().split("\n").at(-1) ?? "")
}

/** Installs both packages of TypeScript as a user does. Rejects without a package registry. */
export const installConsumer = async (folder: string): Promise<void> => {
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "consumer", private: true, type: "module" }))
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts"] }))
  const packed = await Promise.all([pack(join(packages, "typescript"), folder), pack(join(here, "typescript"), folder)])
  await npmInstall(folder, ...packed, `testcontainers@${testcontainers}`, `@types/node@${nodeTypes}`)
}

/** Writes the recipes as a file of tests of Node: the first block opens the containers `tidewire` and `fresh`. */
export const writeRecipes = (folder: string): ReadonlyArray<string> => {
  const [opening, ...recipes] = recipesIn("ts")
  const tests = recipes.map(({ name, code }) => `test(${JSON.stringify(name)}, async () => {\n${code}})\n`)
  writeFileSync(
    join(folder, "recipes.test.ts"),
    `import { after, before, test } from "node:test"
${opening?.code}
let tidewire: StartedTidewireContainer
let fresh: StartedTidewireContainer
before(async () => {
  ;[tidewire, fresh] = await startAll()
})
after(() => Promise.all([tidewire, fresh].map((one) => one?.stop({ timeout: 0 }))))
${tests.join("\n")}`,
  )
  return recipes.map(({ name }) => name)
}

/** Installs both packages of Python as a user does. Rejects without a package registry. */
export const installPythonConsumer = async (folder: string): Promise<void> => {
  const sources = sideFolder()
  try {
    // A build writes beside its sources.
    cpSync(join(packages, "python"), join(sources, "client"), { recursive: true })
    cpSync(join(here, "python"), join(sources, "containers"), { recursive: true })
    await pipInstall(folder, join(sources, "client"), join(sources, "containers"))
  } finally {
    removeSideFolder(sources)
  }
}
