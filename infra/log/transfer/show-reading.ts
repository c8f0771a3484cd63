import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { EventLog } from "../../../schemas/ports/event-log.ts"
import type { Stage } from "../../../schemas/ports/progress.ts"

/** Wraps a log so that its reads advance a progress stage. */
export const showReading = (log: EventLog, { advance }: Stage): EventLog => ({
  ...log,
  read: (topic, from) =>
    log.read(topic, from).pipe(Stream.tap(({ records }) => Effect.sync(() => advance(records.length)))),
})
