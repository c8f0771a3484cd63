import { createHash } from "node:crypto"
import { performance } from "node:perf_hooks"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Announcement, FailureReason } from "../../schemas/events/observations.ts"
import { canonicalJson, type Json } from "../../schemas/json.ts"
import { type CollectFailed, KEY_REFUSED_STATUSES, Undecodable, UpstreamError } from "../document.ts"
import { HttpFailed } from "../http-client.port.ts"
import { type Admission, KEY_REFUSED_PAUSE_MS } from "./admission.ts"
import {
  beginCollection,
  type CollectDependencies,
  type Collection,
  DocumentNotModified,
  type UndecodedDocument,
} from "./collect.ts"
import type { InstanceCheckpoint, Validators } from "./ingest-log.ts"
import type { Candidate, Instance } from "./plan.ts"
import type { UnreadableRow } from "./read.ts"
import { makeRedaction } from "./redaction.ts"
import { runSteps, type Steps } from "./steps.ts"

/** The largest payload, as canonical JSON. */
export const PAYLOAD_MAX_BYTES = 8 * 1024 * 1024
/** A collection may take this share of the interval, within the two bounds. */
const INTERVAL_SHARE = 0.8
const COLLECTION_MIN_MS = 10_000
const COLLECTION_MAX_MS = 60_000
/** Unreadable rows of one poll that are quarantined; all of them are counted. */
const ROWS_QUARANTINED_MAX = 4
/** The longest excerpt of a quarantined row. */
const ROW_MAX_CHARACTERS = 4 * 1024

/** The payload of a successful poll: valid by the feed's schema and within `PAYLOAD_MAX_BYTES`. */
export interface Success {
  readonly _tag: "Success"
  readonly candidate: Candidate
  readonly payload: Json
  readonly hash: string
  readonly payloadBytes: number
  readonly contentAtMs: number | null
  readonly validators: Validators | null
}

/** The upstream answered 304 for its one document: the payload of the last success still holds. */
export interface NotModified {
  readonly _tag: "NotModified"
  readonly candidate: Candidate
}

/** A poll without a usable answer. */
export interface Failure {
  readonly _tag: "Failure"
  readonly candidate: Candidate
  readonly reason: FailureReason
  /** Written by Tidewire, never text of an upstream. */
  readonly message: string
  readonly retryAfterMs: number | null
  /** Details of a defect of the source, for the log only, since it may quote the upstream; null for any other failure. */
  readonly bug: string | null
}

/** The outcome of a poll after its fallbacks, and the documents and rows that could not be read on the way. */
export interface PollReport {
  readonly outcome: Success | NotModified | Failure
  /** Whether any source was asked: none is while its quota is used up or its key is paused. */
  readonly isAsked: boolean
  readonly latencyMs: number
  readonly undecoded: ReadonlyArray<UndecodedDocument & { readonly provider: string }>
  /** Unreadable rows that were left out, of all sources that were polled. */
  readonly unreadableRows: number
  /** All that the sources of the instance announce after the poll. */
  readonly announced: ReadonlyArray<Announcement>
}

/** Dependencies of a poll. */
export interface PollDependencies extends CollectDependencies {
  readonly admission: Admission
}

/**
 * Polls an instance once: the source of rank 1 and, while one fails, that of the next rank. A source that is not admitted is
 * not asked, and fails with the reason. The effect itself never fails: if all sources fail, the outcome is the failure of the
 * first one.
 */
export const poll = Effect.fnUntraced(function* (
  dependencies: PollDependencies,
  instance: Instance,
  checkpoint: InstanceCheckpoint | null,
  isOnRequest: boolean,
): Effect.fn.Return<PollReport> {
  const startedMs = performance.now()
  const beganMs = yield* Clock.currentTimeMillis
  const undecoded: Array<PollReport["undecoded"][number]> = []
  let unreadableRows = 0
  let isAsked = false
  const providers = instance.candidates.map(({ provider }) => provider)
  let announced: PollReport["announced"] = (checkpoint?.announced ?? []).filter(({ provider }) =>
    providers.includes(provider),
  )
  const report = (outcome: PollReport["outcome"]): PollReport => ({
    outcome,
    isAsked,
    latencyMs: Math.round(performance.now() - startedMs),
    undecoded,
    unreadableRows,
    announced,
  })
  const failures: Array<Failure> = []
  for (const candidate of instance.candidates) {
    const refusal = dependencies.admission.begin(candidate, isOnRequest, beganMs)
    if (refusal !== null) {
      failures.push(pollFailure(candidate, refusal.reason, refusal.message, refusal.retryAfterMs))
      continue
    }
    isAsked = true
    const polled = yield* pollCandidate(dependencies, instance, candidate, checkpoint, isOnRequest)
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

const pollCandidate = Effect.fnUntraced(function* (
  { admission, ...dependencies }: PollDependencies,
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
  const collection = beginCollection(dependencies, {
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
      dependencies.scheduler.run(collection.bytes(), readSteps(instance, candidate, collected, beganMs)),
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

/** The outcome of reading collected documents, and the rows that were left out. */
interface ReadOutcome {
  readonly outcome: Omit<Success, "validators"> | Failure
  readonly unreadable: ReadonlyArray<UnreadableRow>
}

/** Reads collected documents, and checks the payload against the feed's schema and bounds. Never throws. */
export const readCollected = (
  instance: Instance,
  candidate: Candidate,
  collected: unknown,
  observedAtMs: number,
): ReadOutcome => runSteps(readSteps(instance, candidate, collected, observedAtMs))

/** `readCollected` as cooperative work. */
function* readSteps(
  instance: Instance,
  candidate: Candidate,
  collected: unknown,
  observedAtMs: number,
): Steps<ReadOutcome> {
  try {
    const { parameters } = instance
    const { outcome, unreadable } = yield* candidate.source.read(collected, { parameters, observedAtMs })
    if (outcome instanceof UpstreamError || outcome instanceof Undecodable)
      return { outcome: failureOf(candidate, outcome), unreadable }
    yield
    const text = canonicalJson(outcome.payload)
    const payloadBytes = Buffer.byteLength(text)
    if (payloadBytes > PAYLOAD_MAX_BYTES) {
      const problem = `the payload has ${payloadBytes} bytes of ${PAYLOAD_MAX_BYTES}`
      return { outcome: pollFailure(candidate, "too_large", problem), unreadable }
    }
    const success: Omit<Success, "validators"> = {
      _tag: "Success",
      candidate,
      // The canonical text is JSON; the value may hold undefined members, which the text omits.
      payload: outcome.payload as Json,
      hash: createHash("sha256").update(text).digest("hex"),
      payloadBytes,
      contentAtMs: outcome.contentAtMs,
    }
    return { outcome: success, unreadable }
  } catch (cause) {
    const bug = cause instanceof Error ? cause.message : "a value that is no Error was thrown"
    return { outcome: sourceDefect(candidate, bug), unreadable: [] }
  }
}

/** Makes the failure of a poll. */
const pollFailure = (
  candidate: Candidate,
  reason: FailureReason,
  message: string,
  retryAfterMs: number | null = null,
): Failure => ({ _tag: "Failure", candidate, reason, message, retryAfterMs, bug: null })

const keyRefused = (candidate: Candidate): Failure =>
  pollFailure(
    candidate,
    "key_refused",
    `the upstream refuses the key in ${candidate.source.key?.setting}`,
    KEY_REFUSED_PAUSE_MS,
  )

/** The failure of a poll whose collection or reading failed with a typed error. */
const failureOf = (candidate: Candidate, error: CollectFailed): Failure => {
  switch (error._tag) {
    case "HttpFailed":
      return candidate.key !== null && KEY_REFUSED_STATUSES.includes(error.status)
        ? keyRefused(candidate)
        : pollFailure(candidate, error.reason, error.message, error.retryAfterMs)
    case "Undecodable":
      return pollFailure(candidate, "undecodable", `the document "${error.document}" does not match its schema`)
    case "UpstreamError":
      if (error.reason === "key_refused" && candidate.key !== null) return keyRefused(candidate)
      if (error.reason === "budget_exhausted")
        return pollFailure(candidate, error.reason, "the provider says that its quota is used up", error.retryAfterMs)
      // The error's own message may quote the upstream: it is logged, and not part of the event.
      return pollFailure(candidate, "upstream_error", "the upstream answered without usable data")
  }
}

/** The failure of a source that breaks its contract: its documents decoded, but no valid payload was made of them. */
const sourceDefect = (candidate: Candidate, bug: string): Failure => ({
  ...pollFailure(candidate, "undecodable", "the answer could not be converted to the feed's form"),
  bug,
})
