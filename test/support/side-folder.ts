import { execFile } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"

const INSTALL_MS = 180_000

/** Runs a program; rejects where it fails or takes too long. */
export const runProgram = promisify(execFile)

/** A folder outside the repository, for what tests install. */
export const sideFolder = (): string => mkdtempSync(join(tmpdir(), "tidewire-side-"))

/** Removes a side folder. */
export const removeSideFolder = (folder: string): void => rmSync(folder, { recursive: true, force: true })

const sentenceOf = (cause: unknown): string =>
  (cause instanceof Error ? cause.message : String(cause))
    .split("\n")
    .filter((line) => line.trim() !== "")
    .at(-1) ?? ""

/** What `install` did with a side folder; null where it failed, as without a package registry, with the reason printed. */
export const installedIn = async (
  what: string,
  install: (folder: string) => Promise<unknown>,
): Promise<string | null> => {
  const folder = sideFolder()
  try {
    await install(folder)
    return folder
  } catch (cause) {
    removeSideFolder(folder)
    process.stdout.write(`skipped: ${what}, which cannot be installed: ${sentenceOf(cause)}\n`)
    return null
  }
}

/** Installs packages of Python into a folder by pip. */
export const pipInstall = (folder: string, ...words: ReadonlyArray<string>) =>
  runProgram(
    process.env.PYTHON ?? "python3",
    ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input", "--target", folder, ...words],
    { timeout: INSTALL_MS },
  )

/** Installs packages of npm into a folder, without their scripts. */
export const npmInstall = (folder: string, ...words: ReadonlyArray<string>) =>
  runProgram("npm", ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefer-offline", ...words], {
    cwd: folder,
    timeout: INSTALL_MS,
  })
