import { cpSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import type * as client from "../../.clients/typescript/index.js"
import { npmInstall, pipInstall, removeSideFolder, runProgram, sideFolder } from "../support/side-folder.ts"
import { pythonMissing } from "./drivers.ts"
import { packages } from "./make-packages.ts"

// The clients as their users get them: packed, and installed from the pack into a folder outside the repository.

const sourceOf = (language: string): string => join(packages, language)

/** Packs the client in TypeScript and installs the pack. Needs no registry, as it depends on nothing. */
export const installTypescript = async (): Promise<{ readonly folder: string; readonly exported: typeof client }> => {
  const folder = sideFolder()
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "user", private: true, type: "module" }))
  const { stdout } = await runProgram("npm", ["pack", "--silent", "--pack-destination", folder], {
    cwd: sourceOf("typescript"),
  })
  await npmInstall(folder, "--offline", join(folder, stdout.trim()))
  // By its name, as a program imports it.
  const entry = join(folder, "entry.js")
  writeFileSync(entry, 'export * from "tidewire-client"\n')
  return { folder, exported: await import(pathToFileURL(entry).href) }
}

/** Builds and installs the client in Python; null without Python. Where it cannot be built, it is copied, and that is printed. */
export const installPython = async (): Promise<string | null> => {
  const missing = pythonMissing()
  if (missing !== undefined) {
    process.stdout.write(`skipped: the client in Python: ${missing}\n`)
    return null
  }
  const [folder, source] = [sideFolder(), sideFolder()]
  // A build writes beside its sources.
  cpSync(sourceOf("python"), source, { recursive: true, filter: (path) => !path.endsWith("__pycache__") })
  try {
    await pipInstall(folder, "--no-deps", source)
  } catch (cause) {
    process.stdout.write(
      `skipped: building the client in Python, whose build tool cannot be installed: ${String(cause)}\n`,
    )
    cpSync(join(source, "tidewire_client"), join(folder, "tidewire_client"), { recursive: true })
  } finally {
    removeSideFolder(source)
  }
  return folder
}
