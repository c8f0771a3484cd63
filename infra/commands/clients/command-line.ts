import { type Arguments, DONE, FAILED, type Options } from "../../config/arguments.ts"
import { NotCompiled, writePackages } from "./packages.ts"

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
