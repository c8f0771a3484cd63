import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Stream from "effect/Stream"
import { makeAvailability } from "../../processors/history/availability.ts"
import { readArchive } from "../../processors/history/slices.ts"
import { readStates } from "../../processors/history/state.ts"
import { archiveTargets } from "../../processors/history/targets.ts"
import type { EventLog } from "../../schemas/ports/event-log.ts"
import type { History } from "../../schemas/ports/history.ts"
import { topicPolicy } from "../../schemas/topics.ts"
import type { ReadArchived, TopicRange } from "../log/transfer/export.ts"

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
