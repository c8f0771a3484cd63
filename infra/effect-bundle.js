import { createHash } from "node:crypto"
import { existsSync, readFileSync, renameSync, rmSync } from "node:fs"
import { registerHooks } from "node:module"
import { join } from "node:path"
import { pathToFileURL } from "node:url"

// The 160 modules of Effect that the service loads are 5 MB of text, mostly comments and functions that it never calls, and
// each thread loads all of them. Bundled into one file without these, they save a quarter of the processor time of a start,
// and 25 MB of memory in a process with two threads. Only the service and its commands load the bundle; tests of modules load the
// package.

/** The modules of Effect that the code outside of tests imports; `effect-bundle.test.ts` compares them. */
export const effectModules = [
  "effect/Cause",
  "effect/Clock",
  "effect/Deferred",
  "effect/Duration",
  "effect/Effect",
  "effect/Exit",
  "effect/Fiber",
  "effect/Layer",
  "effect/Logger",
  "effect/Option",
  "effect/References",
  "effect/Result",
  "effect/Schedule",
  "effect/Schema",
  "effect/SchemaAST",
  "effect/SchemaGetter",
  "effect/SchemaIssue",
  "effect/SchemaTransformation",
  "effect/Scope",
  "effect/Semaphore",
  "effect/Stream",
  "effect/schema/SchemaJITCompiler",
]

const PACKAGE = "effect/"
const root = join(import.meta.dirname, "..")
const cache = join(root, "node_modules", ".cache")

/** The folder of the bundle of these modules of the installed version, which never changes once it is there. */
const bundleDirectory = () => {
  const { version } = JSON.parse(readFileSync(join(root, "node_modules", "effect", "package.json"), "utf8"))
  const modules = createHash("sha256").update(effectModules.join()).digest("hex").slice(0, 8)
  return join(cache, `tidewire-effect-${version}-${modules}`)
}

const fileIn = (directory, specifier) => join(directory, `${specifier.slice(PACKAGE.length)}.mjs`)

/** The path of the file with the exports of a module, once there is a bundle. */
export const bundledFile = (specifier) => fileIn(bundleDirectory(), specifier)

/** Whether this installation has its bundle. */
export const isEffectBundled = () => existsSync(bundleDirectory())

const escaped = (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`

/** Escapes characters beyond ASCII: a single one makes V8 store all text of a file in two bytes a character. */
const ascii = {
  name: "ascii",
  generateBundle: (_options, files) => {
    for (const file of Object.values(files))
      if (file.type === "chunk") file.code = file.code.replace(/[^\0-\x7f]/g, escaped)
  },
}

/**
 * Writes the bundle, all or nothing: a file for each module with its exports, and one with the code of all. Rejects if the
 * folder cannot be written.
 */
export const bundleEffect = async () => {
  const { build } = await import("rolldown")
  const written = `${bundleDirectory()}.${process.pid}`
  try {
    await build({
      cwd: root,
      input: Object.fromEntries(effectModules.map((name) => [name.slice(PACKAGE.length), name])),
      logLevel: "warn",
      platform: "node",
      plugins: [ascii],
      output: {
        dir: written,
        entryFileNames: "[name].mjs",
        chunkFileNames: "[name].mjs",
        codeSplitting: { groups: [{ name: "all" }] },
        comments: false,
      },
    })
    renameSync(written, bundleDirectory())
  } catch (cause) {
    // Another process may have been first.
    if (!isEffectBundled()) throw cause
  } finally {
    rmSync(written, { recursive: true, force: true })
  }
}

/**
 * Resolves imports of Effect to the bundle in this thread from now on, where there is one. Other packages do not import
 * Effect. A module that is not in the bundle is refused: the package's own would come with a second copy of what both share.
 */
export const loadEffectFromBundle = () => {
  if (!isEffectBundled()) return
  const directory = bundleDirectory()
  const urls = new Map(effectModules.map((name) => [name, pathToFileURL(fileIn(directory, name)).href]))
  registerHooks({
    resolve: (specifier, context, next) => {
      if (!specifier.startsWith(PACKAGE)) return next(specifier, context)
      const url = urls.get(specifier)
      if (url === undefined) throw new Error(`${specifier} is not among the effectModules of infra/effect-bundle.js`)
      return { url, format: "module", shortCircuit: true }
    },
  })
}
