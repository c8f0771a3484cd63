import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, describe, expect, it } from "vitest"
import { installedIn, pipInstall, removeSideFolder } from "../support/side-folder.ts"
import { pythonMissing, runPython } from "./drivers.ts"
import { packages } from "./make-packages.ts"

// The types of the client in Python, as a checker of types sees them.

const MYPY = "mypy==1.18.2"
const CHECK_MS = 300_000
const source = join(packages, "python")
const folder = pythonMissing() === undefined ? await installedIn(MYPY, (into) => pipInstall(into, MYPY)) : null
afterAll(() => (folder === null ? undefined : removeSideFolder(folder)))

describe.skipIf(folder === null)("mypy --strict (needs Python and a package registry)", () => {
  const checked = (program: string): Promise<string> => {
    const words = ["-m", "mypy", "--strict", "--no-incremental", "--cache-dir", join(folder ?? "", "cache")]
    return runPython(`${folder}:${source}`, [...words, join(source, "tidewire_client"), program]).then(
      () => "",
      (cause: Error) => cause.message,
    )
  }

  it(
    "takes the client and a program over it, and refuses a member that may be missing",
    async () => {
      const program = fileURLToPath(new URL("./program.py", import.meta.url))
      const text = readFileSync(program, "utf8")
      expect(text).not.toMatch(/\bcast\b|\bAny\b|# type:/)
      // Beside the packages of the checker it could take one of them for its own.
      const own = join(folder ?? "", "own")
      mkdirSync(own)
      const within = join(own, "program.py")
      writeFileSync(within, text)
      expect(await checked(within)).toBe("")
      writeFileSync(within, text.replace('quake["magnitude"] or 0.0', 'quake["magnitude"]'))
      expect(await checked(within)).toMatch(/program\.py:\d+: error/)
      writeFileSync(within, text.replace('period="week"', 'period="decade"'))
      expect(await checked(within)).toMatch(/program\.py:\d+: error/)
    },
    CHECK_MS,
  )
})
