import { performance } from "node:perf_hooks"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Announcement } from "../schemas/events/observations.ts"
import type { Admission } from "./admission.ts"
import type { InstanceCheckpoint } from "./checkpoint.ts"
import {
  beginCollection,
  type CollectDependencies,
  type Collection,
  DocumentNotModified,
  type UndecodedDocument,
} from "./collect.ts"
import type { CollectFailed } from "./document.ts"
import { HttpFailed } from "./http-client.port.ts"
import type { Candidate, Instance } from "./plan.ts"
import { type Failure, failureOf, type NotModified, pollFailure, type Success, sourceDefect } from "./poll-outcome.ts"
import { readSteps } from "./read-collected.ts"
import type { UnreadableRow } from "./reading.ts"
import { makeRedaction } from "./redaction.ts"

/** A collection may take this share of the interval, within the two bounds. */
const INTERVAL_SHARE = 0.8
const COLLECTION_MIN_MS = 10_000
const COLLECTION_MAX_MS = 60_000

/** The outcome of a poll after its fallbacks, and the documents and rows that could not be read on the way. */
export interface PollReport {
  readonly outcome: Success | NotModified | Failure
  readonly latencyMs: number
  readonly undecoded: ReadonlyArray<UndecodedDocument & { readonly provider: string }>
  /** Unreadable rows that were left out, of all sources that were polled. */
  readonly unreadableRows: number
  /** All that the sources of the instance announce after the poll. */
  readonly announced: ReadonlyArray<Announcement>
}

/** Unreadable rows of one poll that are quarantined; all of them are counted. */
const ROWS_QUARANTINED_MAX = 4
/** The longest excerpt of a quarantined row. */
const ROW_MAX_CHARACTERS = 4 * 1024

const undecodedRow = ({ problem, row }: UnreadableRow): UndecodedDocument => {
  const text = JSON.stringify(row) ?? ""
  return {
    document: "row",
    problem,
    body: text.slice(0, ROW_MAX_CHARACTERS).toWellFormed(),
    bodyBytes: Buffer.byteLength(text),
  }
}

const timedOut = (budgetMs: number): HttpFailed =>
  new HttpFailed({
    reason: "timeout",
    host: "",
    status: null,
    retryAfterMs: null,
    message: `no complete answer within ${budgetMs} ms`,
  })

const pollCandidate = Effect.fnUntraced(function* (
  { context, admission }: PollOptions,
  instance: Instance,
  candidate: Candidate,
  checkpoint: InstanceCheckpoint | null,
  isOnRequest: boolean,
): Effect.fn.Return<{
  readonly outcome: PollReport["outcome"]
  readonly undecoded: ReadonlyArray<UndecodedDocument>
  readonly unreadableRows: number
  readonly announced: Collection["announced"]
}> {
  const beganMs = yield* Clock.currentTimeMillis
  const budgetMs = Math.min(COLLECTION_MAX_MS, Math.max(COLLECTION_MIN_MS, instance.everyMs * INTERVAL_SHARE))
  const last = checkpoint?.last ?? null
  const redaction = makeRedaction(candidate.key)
  // Messages can repeat what was asked or answered.
  const loggable = (message: string): string => (instance.unlogged ? "a fetch failed" : redaction.text(message))
  const collection = beginCollection(context, {
    candidate,
    // A fetch on request needs the payload itself, so it is never conditional.
    validators: last !== null && last.provider === candidate.provider && !instance.onDemand ? last.validators : null,
    everyMs: instance.everyMs,
    deadlineMs: beganMs + budgetMs,
    admit: (nowMs) => admission.request(candidate, isOnRequest, nowMs),
  })
  let unreadable: ReadonlyArray<UnreadableRow> = []
  let usedUpForMs: number | null = null
  const outcome = yield* Effect.suspend(() =>
    candidate.source.collect(collection.upstream, {
      parameters: instance.parameters,
      observedAtMs: beganMs,
      key: candidate.key,
      addresses: candidate.addresses,
    }),
  ).pipe(
    Effect.timeoutOrElse({ duration: budgetMs, orElse: () => Effect.fail(timedOut(budgetMs)) }),
    Effect.flatMap((collected) =>
      context.scheduler.run(collection.bytes(), readSteps(instance, candidate, collected, beganMs)),
    ),
    Effect.map((read): PollReport["outcome"] => {
      unreadable = read.unreadable
      return read.outcome._tag === "Success" ? { ...read.outcome, validators: collection.finish() } : read.outcome
    }),
    Effect.catch((error: CollectFailed) => {
      if (error._tag === "UpstreamError") usedUpForMs = error.retryAfterMs ?? null
      return Effect.logDebug(`source ${candidate.source.name}: ${loggable(error.message)}`).pipe(
        Effect.as<PollReport["outcome"]>(failureOf(candidate, error)),
      )
    }),
    Effect.catchDefect((defect) =>
      Effect.succeed<PollReport["outcome"]>(
        defect instanceof DocumentNotModified
          ? { _tag: "NotModified", candidate }
          : sourceDefect(candidate, Cause.pretty(Cause.die(defect))),
      ),
    ),
  )
  if (outcome._tag === "Failure") collection.abandon()
  if (outcome._tag === "Failure" && outcome.bug !== null)
    yield* Effect.logError(`source ${candidate.source.name} breaks its contract: ${loggable(outcome.bug)}`)
  if (outcome._tag === "Failure" && outcome.reason === "key_refused")
    admission.keyRefused(candidate, yield* Clock.currentTimeMillis)
  if (usedUpForMs !== null) admission.quotaUsedUp(candidate, (yield* Clock.currentTimeMillis) + usedUpForMs)
  return {
    outcome,
    undecoded: [...collection.undecoded(), ...unreadable.slice(0, ROWS_QUARANTINED_MAX).map(undecodedRow)],
    unreadableRows: unreadable.length,
    announced: collection.announced,
  }
})

/** Dependencies of a poll. */
export interface PollOptions {
  readonly context: CollectDependencies
  readonly admission: Admission
  /** Whether a simulated world stands in for the upstreams; false by default. */
  readonly simulated?: boolean
}

/**
 * Polls an instance once: the source of rank 1 and, while one fails, that of the next rank. `begin` is called before each
 * source; if it returns a failure, the source is not polled and that is its outcome. The effect itself never fails: if all
 * sources fail, the outcome is the failure of the first one.
 */
export const poll = Effect.fnUntraced(function* (
  options: PollOptions,
  instance: Instance,
  checkpoint: InstanceCheckpoint | null,
  isOnRequest: boolean,
  begin: (candidate: Candidate) => Failure | null,
): Effect.fn.Return<PollReport> {
  const startedMs = performance.now()
  const undecoded: Array<PollReport["undecoded"][number]> = []
  let unreadableRows = 0
  const providers = instance.candidates.map(({ provider }) => provider)
  let announced: PollReport["announced"] = (checkpoint?.announced ?? []).filter(({ provider }) =>
    providers.includes(provider),
  )
  const report = (outcome: PollReport["outcome"]): PollReport => ({
    outcome,
    latencyMs: Math.round(performance.now() - startedMs),
    undecoded,
    unreadableRows,
    announced,
  })
  const failures: Array<Failure> = []
  for (const candidate of instance.candidates) {
    const refused = begin(candidate)
    if (refused !== null) {
      failures.push(refused)
      continue
    }
    const polled = yield* pollCandidate(options, instance, candidate, checkpoint, isOnRequest)
    unreadableRows += polled.unreadableRows
    announced = polled.announced(announced)
    undecoded.push(...polled.undecoded.map((one) => ({ ...one, provider: candidate.provider })))
    if (polled.outcome._tag !== "Failure") return report(polled.outcome)
    failures.push(polled.outcome)
  }
  const [first, ...others] = failures
  return report(
    first === undefined
      ? pollFailure(instance.candidates[0], "upstream_error", "no source could be polled")
      : others.length === 0
        ? first
        : { ...first, message: `${first.message}; ${others.length} fallbacks failed too` },
  )
})
