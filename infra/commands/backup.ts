import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { closest } from "fastest-levenshtein"
import { instant } from "../../schemas/event.ts"
import { feeds as everyFeed } from "../../schemas/registry.ts"
import type { Setting } from "../config/setting.ts"
import { settingTable } from "../config/setting-table.ts"
import { openClickHouse } from "../history/clickhouse.ts"
import { holdLog, openWholeLog, refuseMissing } from "../log/open.ts"
import { exportLog, exportSize, topicRanges, trimmedTopics } from "../log/transfer/export.ts"
import { writeLines } from "../log/transfer/export-file.ts"
import { refuseImported } from "../log/transfer/import-mark.ts"
import { startHistory } from "../roles/start-history.ts"
import { openProgress } from "../telemetry/progress.ts"
import { archivedRecords } from "./archived-records.ts"
import { type Arguments, WrongUsage } from "./arguments.ts"
import { type Command, runWithSettings } from "./command.ts"
import type { Cut } from "./cut.ts"
import { instantOf } from "./instants.ts"

const print = (text: string) =>
  Effect.sync(() => {
    process.stderr.write(`${text}\n`)
    return 0
  })

const backup =
  (file: string): Command =>
  (settings) =>
    Effect.gen(function* () {
      yield* refuseMissing(settings)
      yield* holdLog(settings)
      const log = yield* openWholeLog(settings)
      yield* refuseImported(log)
      const trimmed = yield* trimmedTopics(log)
      const isKept = settings.history === "on"
      // A log that was never trimmed is complete: ClickHouse is not needed.
      const history = trimmed.length === 0 || !isKept ? null : yield* openClickHouse(yield* startHistory(settings))
      const archived =
        history === null ? () => Stream.empty : yield* archivedRecords(log, history, yield* topicRanges(log))
      const progress = yield* openProgress()
      const stage = progress.begin("backup", yield* exportSize(log, true), "offsets")
      let records = 0
      yield* writeLines(
        file,
        exportLog(log, {
          archived,
          advance: stage.advance,
          finished: (count) => {
            records = count
          },
        }),
      )
      const older = isKept
        ? "the oldest ones from the archive"
        : `the whole log: older events of ${trimmed.join(", ")} were trimmed from it by age, and HISTORY=off keeps none`
      yield* print(`${records} records saved${trimmed.length === 0 ? "" : `, ${older}`}`)
      return yield* print(
        `not included, save them separately: the secrets (the folder ${settings.dataDirectory}/secrets, or ${SECRETS_APART})`,
      )
    })

type Given = Arguments<{
  readonly from: { readonly type: "string" }
  readonly to: { readonly type: "string" }
  readonly feeds: { readonly type: "string" }
  readonly redact: { readonly type: "boolean"; readonly default: false }
}>

/** The feeds of an option, each once. Throws `WrongUsage` where one is none. */
const feedsOf = (text: string): Cut["feeds"] => {
  const names = [...new Set(text.split(",").map((name) => name.trim()))].filter((name) => name !== "")
  if (names.length === 0) throw new WrongUsage("--feeds takes the names of feeds, as earthquakes,forex")
  return names.map((name) => {
    const feed = everyFeed.get(name)
    if (feed === undefined)
      throw new WrongUsage(`--feeds: there is no feed ${name}; the nearest is ${closest(name, [...everyFeed.keys()])}`)
    return feed
  })
}

/** The cut that the options ask for; null where they ask for the whole. Throws `WrongUsage` where they cannot be meant. */
const cutOf = ({ values: { from, to, feeds, redact } }: Given): Cut | null => {
  if (from === undefined && to === undefined && feeds === undefined) {
    if (redact) throw new WrongUsage("--redact is of a cut: it wants --feeds, --from and --to")
    return null
  }
  const [fromMs, toMs] = [instantOf(from, "--from"), instantOf(to, "--to")]
  if (feeds === undefined || fromMs === null || toMs === null)
    throw new WrongUsage("a cut wants --feeds, --from and --to; without any of them the whole log is saved")
  if (fromMs >= toMs) throw new WrongUsage(`--from ${instant(fromMs)} is not before --to ${instant(toMs)}`)
  return { feeds: feedsOf(feeds), fromMs, toMs, isRedacted: redact }
}

export const run = (given: Given): Promise<number> => {
  const [file = ""] = given.positionals
  const cut = cutOf(given)
  const command: Command =
    cut === null
      ? backup(file)
      : (settings) =>
          Effect.flatMap(
            Effect.promise(() => import("./cut.ts")),
            ({ writeCut }) => writeCut(file, cut)(settings),
          )
  return runWithSettings(command, { interrupted: "no file was written" })
}

/** The settings that a backup does not include and that must be saved separately: keys and secrets, not passwords. */
export const SECRETS_APART: string = Object.values<Setting<unknown>>(settingTable)
  .filter(({ name, secret }) => secret && /_(?:KEYS?|SECRET)$/u.test(name))
  .map(({ name }) => name)
  .join(", ")
