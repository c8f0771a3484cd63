import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { makeAvailability } from "../../processors/history/availability.ts"
import { readArchive } from "../../processors/history/slices.ts"
import { readStates } from "../../processors/history/state.ts"
import { archiveTargets } from "../../processors/history/targets.ts"
import type { EventLog } from "../../schemas/ports/event-log.ts"
import type { History } from "../../schemas/ports/history.ts"
import { topicPolicy } from "../../schemas/topics.ts"
import type { Setting } from "../config/setting.ts"
import { settingTable } from "../config/setting-table.ts"
import { openClickHouse } from "../history/clickhouse.ts"
import { holdLog, openWholeLog, refuseMissing } from "../log/open.ts"
import {
  exportLog,
  exportSize,
  type ReadArchived,
  type TopicRange,
  topicRanges,
  trimmedTopics,
} from "../log/transfer/export.ts"
import { writeLines } from "../log/transfer/export-file.ts"
import { refuseImported } from "../log/transfer/import-mark.ts"
import { startHistory } from "../roles/start-history.ts"
import { openProgress } from "../telemetry/progress.ts"
import { type Command, runWithSettings } from "./command.ts"

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

export const run = ({ positionals: [file = ""] }: { readonly positionals: ReadonlyArray<string> }): Promise<number> =>
  runWithSettings(backup(file), { interrupted: "no file was written" })

/** The archive lacks records that were trimmed from the log: a backup would miss events. */
class ArchiveIncomplete extends Schema.TaggedError<ArchiveIncomplete>()("ArchiveIncomplete", {
  topic: Schema.String,
  problem: Schema.String,
}) {
  override get message() {
    return `the archive does not hold all that was trimmed from ${this.topic}: ${this.problem}; nothing was written`
  }
}

const Rows = Schema.Struct({ rows: Schema.Natural })

type ArchiveError = Stream.Error<ReturnType<typeof readArchive>>

/**
 * Makes the reader of records that only the archive holds, of these topics. Fails if the archive holds less than was written to
 * it, or less than was trimmed from the log: what is read with a gap would look complete.
 */
export const archivedRecords = (log: EventLog, history: History, ranges: ReadonlyArray<TopicRange>) =>
  Effect.gen(function* () {
    yield* history.ping
    const states = yield* readStates(log)
    const trimmed = ranges.filter(({ begin, start }) => begin < start)
    for (const { name, topic, condition } of archiveTargets) {
      const start = trimmed.find((range) => range.topic === topic)?.start
      if (start === undefined) continue
      const state = states.get(name)
      // Topics with a fixed retention may lose records before they are archived: those cannot be backed up.
      if (topicPolicy(topic).kept === "archived" && (state?.next ?? 0) < start)
        return yield* new ArchiveIncomplete({
          topic,
          problem: `it ends at ${state?.next ?? 0}, and the log begins at ${start}`,
        })
      const mark = state?.marks.at(-1)
      if (mark === undefined) continue
      const [held] = yield* history.query(
        `SELECT count() AS rows FROM events WHERE ${condition ?? "true"} AND log_offset < {to:UInt64}`,
        Rows,
        { to: mark.to },
      )
      if ((held?.rows ?? 0) < mark.rows)
        return yield* new ArchiveIncomplete({
          topic,
          problem: `${mark.rows} events were written to it, and ${held?.rows ?? 0} are there`,
        })
    }
    const availability = makeAvailability()
    const read: ReadArchived<ArchiveError> = (topic, from, before) =>
      readArchive(history, topic, from, before, availability)
    return read
  })

/** The settings that a backup does not include and that must be saved separately: keys and secrets, not passwords. */
export const SECRETS_APART: string = Object.values<Setting<unknown>>(settingTable)
  .filter(({ name, secret }) => secret && /_(?:KEYS?|SECRET)$/u.test(name))
  .map(({ name }) => name)
  .join(", ")
