import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, expect, it } from "vitest"
import packageJson from "../../package.json" with { type: "json" }
import { PYTHON, pythonEnvironment, pythonMissing } from "../clients/drivers.ts"
import { buildTargets, imagesMissing, tagOf } from "../images/build.ts"
import { describeUnless } from "../support/describe-unless.ts"
import { installedIn, removeSideFolder, runProgram } from "../support/side-folder.ts"
import { faultKinds } from "../world/faults.ts"
import { installConsumer, installPythonConsumer, recipesIn, writeRecipes } from "./consumer.ts"

// The modules as integrators use them: installed from their packs, against the image that is built here.

const root = fileURLToPath(new URL("../..", import.meta.url))
const textOf = (path: string): string => readFileSync(join(root, "test/containers", path), "utf8")
const RECIPES_MS = 500_000

it("the modules are of this release, and take its image", () => {
  expect(JSON.parse(textOf("typescript/package.json")).version).toBe(packageJson.version)
  const image = `tidewire:${packageJson.version}-demo`
  expect(textOf("typescript/src/tidewire-container.ts")).toContain(`\nexport const IMAGE = "${image}"\n`)
  expect(textOf("python/pyproject.toml")).toContain(`\nversion = "${packageJson.version}"\n`)
  expect(textOf("python/tidewire_testcontainers/_container.py")).toContain(`\nIMAGE = "${image}"\n`)
})

it("the modules know every kind of fault of the world", () => {
  const kinds = (text: string, line: RegExp) => [...text.matchAll(line)].map(([, kind]) => kind)
  expect(kinds(textOf("typescript/src/started-tidewire-container.ts"), /^ +\| "([a-z-]+)"$/gm)).toEqual(faultKinds)
  const python = textOf("python/tidewire_testcontainers/_container.py")
  expect(kinds(python.slice(python.indexOf("FaultKind = ")), /^ {4}"([a-z-]+)",$/gm)).toEqual(faultKinds)
})

it("the guide for integrators shows recipes as they are run", () => {
  const code = recipesIn("ts").map((recipe) => recipe.code)
  const shown = [...textOf("../../api/pages/guides/92-testing.md").matchAll(/^```ts\n([\s\S]*?)^```$/gm)]
  expect(shown.length).toBeGreaterThan(2)
  for (const [, block = ""] of shown) expect(code).toContain(block)
})

describeUnless(await imagesMissing(), "a project that installs the module", () => {
  let folder: string | null = null
  let pythonFolder: string | null = null
  beforeAll(async () => {
    ;[folder, pythonFolder] = await Promise.all([
      installedIn("the module of npm", installConsumer),
      pythonMissing() === undefined ? installedIn("the module of PyPI", installPythonConsumer) : null,
      buildTargets(),
    ])
  })
  afterAll(() => {
    for (const one of [folder, pythonFolder]) if (one !== null) removeSideFolder(one)
  })

  it("runs every recipe of the README in TypeScript, which compile without a cast", async (context) => {
    if (folder === null) return context.skip("no package registry")
    const names = writeRecipes(folder)
    await runProgram(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", folder]).catch((cause) => {
      throw new Error(cause.stdout, { cause })
    })
    const { stdout } = await runProgram(process.execPath, ["--test", "--test-reporter=tap", "recipes.test.ts"], {
      cwd: folder,
      env: { ...process.env, TIDEWIRE_IMAGE: tagOf("demo"), NODE_OPTIONS: "" },
      timeout: RECIPES_MS,
    }).catch((cause) => {
      throw new Error(`${cause.stdout}${cause.stderr}`, { cause })
    })
    for (const name of names) expect(stdout).toMatch(new RegExp(`^ok \\d+ - ${name}`, "m"))
  })

  it("runs the recipe in Python", async (context) => {
    if (pythonFolder === null) return context.skip(pythonMissing() ?? "no package registry")
    const [recipe] = recipesIn("python")
    const program = join(pythonFolder, "recipe.py")
    writeFileSync(program, recipe?.code ?? "")
    await runProgram(PYTHON, [program], {
      env: { ...process.env, ...pythonEnvironment(pythonFolder), TIDEWIRE_IMAGE: tagOf("demo") },
      timeout: RECIPES_MS,
    })
  })
})
