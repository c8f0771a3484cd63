import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { DONE, FAILED } from "../../config/arguments.ts"
import { COMPILED, clientsDirectory, NotCompiled, printedFiles } from "./printed-files.ts"

export const run = async (): Promise<number> => {
  const files = await printedFiles().catch((cause: unknown) => {
    if (!(cause instanceof NotCompiled)) throw cause
    process.stderr.write(cause.message)
    return null
  })
  if (files === null) return FAILED
  const before = new Map(
    [...files.keys()].map((path) => {
      const file = join(clientsDirectory, path)
      return [path, existsSync(file) ? readFileSync(file, "utf8") : null]
    }),
  )
  // What the compiler no longer prints goes with it.
  rmSync(join(clientsDirectory, COMPILED), { recursive: true, force: true })
  for (const [path, text] of files) {
    const file = join(clientsDirectory, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
    if (before.get(path) !== text) process.stdout.write(`wrote api/clients/${path}\n`)
  }
  return DONE
}
