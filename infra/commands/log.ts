import * as Effect from "effect/Effect"
import { holdLog, openLog, openWholeLog, refuseMissing } from "../log/open.ts"
import { exportLog, exportSize, trimmedTopics } from "../log/transfer/export.ts"
import type { Header } from "../log/transfer/export-file.ts"
import { readLines, writeLines } from "../log/transfer/export-file.ts"
import { discardImport, importLog, openForImport } from "../log/transfer/import.ts"
import { openProgress } from "../telemetry/progress.ts"
import { DONE, WrongUsage } from "./arguments.ts"
import { type Command, runWithSettings } from "./command.ts"

const print = (text: string) =>
  Effect.sync(() => {
    process.stderr.write(`${text}\n`)
    return 0
  })

const without = (trimmed: ReadonlyArray<string>) =>
  `older events of ${trimmed.join(", ")} were trimmed from the log and are in the archive only`

const exportTo =
  (file: string): Command =>
  (settings) =>
    Effect.gen(function* () {
      yield* refuseMissing(settings)
      yield* holdLog(settings)
      const log = yield* openWholeLog(settings)
      const stage = (yield* openProgress()).begin("export", yield* exportSize(log, false), "offsets")
      let records = 0
      yield* writeLines(
        file,
        exportLog(log, {
          advance: stage.advance,
          finished: (count) => {
            records = count
          },
        }),
      )
      const trimmed = yield* trimmedTopics(log)
      if (trimmed.length > 0) yield* print(`without what npm run backup would add: ${without(trimmed)}`)
      return yield* print(`${records} records exported`)
    })

const importFrom =
  (file: string): Command =>
  (settings) =>
    Effect.gen(function* () {
      const lines = yield* readLines(file, yield* openProgress(), "import")
      yield* holdLog(settings)
      const log = yield* openForImport(settings)
      let header: Header | undefined
      const { records, resumedFrom } = yield* importLog(log, lines, (read) => {
        header = read
        return undefined
      })
      if (resumedFrom > 0) yield* print(`continued after ${resumedFrom} records of an earlier attempt`)
      const trimmed = header?.trimmed ?? []
      if (trimmed.length > 0) yield* print(`this file is no backup: ${without(trimmed)} of its origin`)
      return yield* print(`${records} records imported; npm run rebuild builds views and history from them`)
    })

const discard: Command = (settings) =>
  Effect.gen(function* () {
    yield* refuseMissing(settings)
    yield* holdLog(settings)
    return yield* print(`${yield* discardImport(yield* openLog(settings))} records of an unfinished import deleted`)
  })

const acls: Command = ({ kafkaTopicPrefix }) =>
  Effect.promise(async () => {
    // Loaded on use, as it loads every writer's code.
    const { aclCommands } = await import("../log/kafka/acls.ts")
    process.stdout.write(await aclCommands(kafkaTopicPrefix ?? ""))
    return DONE
  })

const chooseCommand = (word: string | undefined, file: string | undefined, isDiscard: boolean): Command => {
  if (word === "acls" && file === undefined && !isDiscard) return acls
  if (word === "import" && isDiscard && file === undefined) return discard
  if (isDiscard) throw new WrongUsage("--discard takes no file: import --discard")
  if (word === "acls") throw new WrongUsage("acls takes no file")
  if (file === undefined) throw new WrongUsage("FILE is missing")
  if (word === "export") return exportTo(file)
  if (word === "import") return importFrom(file)
  throw new WrongUsage(`there is no ${word}`)
}

export const run = (given: {
  readonly positionals: ReadonlyArray<string>
  readonly values: { readonly discard: boolean }
}): Promise<number> => {
  const [word, file] = given.positionals
  const interrupted =
    word === "import"
      ? "the import is not finished; the same command continues it, npm run log -- import --discard deletes it"
      : "no file was written"
  return runWithSettings(chooseCommand(word, file, given.values.discard), { interrupted })
}
