import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { v7 as uuidv7 } from "uuid"
import { makeDocumentCache } from "./document-cache.ts"
import type { Candidate, Instance } from "./plan.ts"
import { type PollOptions, type PollReport, poll } from "./poll.ts"
import type { Failure } from "./poll-outcome.ts"
import { type PollRecords, recordPoll } from "./record-poll.ts"

/** The report of a fetch that leaves no trace, and its observation if it succeeded. */
export interface UnloggedFetch {
  readonly polled: PollReport
  readonly observation: PollRecords["observation"]
  readonly outcome: string
}

/**
 * Fetches an instance of an unlogged feed on request. Nothing is committed, quarantined or remembered, not even in memory:
 * the observation exists in the result alone.
 */
export const fetchUnlogged = Effect.fnUntraced(function* (
  options: PollOptions,
  instance: Instance,
  begin: (candidate: Candidate) => Failure | null,
): Effect.fn.Return<UnloggedFetch> {
  const beganMs = yield* Clock.currentTimeMillis
  const context = { ...options.context, cache: makeDocumentCache() }
  const polled = { ...(yield* poll({ ...options, context }, instance, null, true, begin)), undecoded: [] }
  // Of the records that a logged poll would commit, only the observation is used.
  const { observation, outcome } = recordPoll(instance, null, polled, {
    timeMs: yield* Clock.currentTimeMillis,
    beganMs,
    random: 0,
    newId: uuidv7,
    scheduled: false,
    simulated: options.simulated === true,
    quarantine: () => false,
  })
  return { polled, observation, outcome }
})
