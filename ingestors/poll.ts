import { createHash } from "node:crypto"
import { performance } from "node:perf_hooks"
import { Cause, Clock, Effect } from "effect"
import type { FailureReason } from "../schemas/events/observations.ts"
import { canonicalJson, type Json } from "../schemas/json.ts"
import { type Admission, KEY_REFUSED_PAUSE_MS } from "./admission.ts"
import type { InstanceCheckpoint, Validators } from "./checkpoint.ts"
import { beginCollection, type CollectContext, type Undecoded, Unmodified } from "./collect.ts"
import { type CollectFailed, Undecodable, UpstreamError } from "./document.ts"
import { HttpFailed } from "./http-client.port.ts"
import type { Candidate, Instance } from "./plan.ts"
import type { UnreadableRow } from "./reading.ts"
import { makeRedaction } from "./redaction.ts"
import { atOnce, type Steps } from "./turns.ts"

/** The largest payload, as canonical JSON. */
export const PAYLOAD_BYTES_MAX = 8 * 1024 * 1024
/** What one source may take of a poll: most of the interval, within these bounds. */
const INTERVAL_SHARE = 0.8
const COLLECTION_MIN_MS = 10_000
const COLLECTION_MAX_MS = 60_000

/** What a source came to. `payload` has passed the feed's schema and is within its bound. */
export interface Success {
  readonly _tag: "Success"
  readonly candidate: Candidate
  readonly payload: Json
  readonly hash: string
  readonly payloadBytes: number
  readonly contentAtMs: number | null
  readonly validators: Validators | null
}
/** The upstream says that its one document is the one that the last success was made of. */
export interface NothingNew {
  readonly _tag: "NothingNew"
  readonly candidate: Candidate
}
export interface Failure {
  readonly _tag: "Failure"
  readonly candidate: Candidate
  readonly reason: FailureReason
  /** Ours, never an upstream's text. */
  readonly message: string
  readonly retryAfterMs: number | null
  /** Where the fault is ours: what happened, for the log alone, as it may quote the upstream. */
  readonly bug: string | null
}

/** What a poll came to, after its fallbacks, and the documents that did not decode on the way. */
export interface Polled {
  readonly outcome: Success | NothingNew | Failure
  readonly latencyMs: number
  readonly undecoded: ReadonlyArray<Undecoded & { readonly provider: string }>
  /** Rows that were left out because they cannot be read, of all sources that were asked. */
  readonly unreadableRows: number
}

const failure = (
  candidate: Candidate,
  reason: FailureReason,
  message: string,
  retryAfterMs: number | null = null,
): Failure => ({ _tag: "Failure", candidate, reason, message, retryAfterMs, bug: null })

/** Statuses by which an upstream refuses a key. */
const KEY_REFUSED_STATUSES: ReadonlyArray<number | null> = [401, 403]

const keyRefused = (candidate: Candidate): Failure =>
  failure(
    candidate,
    "key_refused",
    `the upstream refuses the key in ${candidate.source.key?.setting}`,
    KEY_REFUSED_PAUSE_MS,
  )

const asFailure = (candidate: Candidate, error: CollectFailed): Failure => {
  switch (error._tag) {
    case "HttpFailed":
      return candidate.key !== null && KEY_REFUSED_STATUSES.includes(error.status)
        ? keyRefused(candidate)
        : failure(candidate, error.reason, error.message, error.retryAfterMs)
    case "Undecodable":
      return failure(candidate, "undecodable", `the document "${error.document}" does not have the form it should have`)
    case "UpstreamError":
      if (error.reason === "key_refused" && candidate.key !== null) return keyRefused(candidate)
      // The words may be the upstream's; they are logged and go no further.
      return failure(candidate, "upstream_error", "the upstream answered that it has nothing to give")
  }
}

/** What came was decoded, and yet the source could make nothing of it that keeps its feed's promises. */
const broken = (candidate: Candidate, bug: string): Failure => ({
  ...failure(candidate, "undecodable", "what came could not be brought into the feed's form"),
  bug,
})

/** What reading what was collected came to, and the rows that were left out. */
export interface ReadOutcome {
  readonly outcome: Omit<Success, "validators"> | Failure
  readonly unreadable: ReadonlyArray<UnreadableRow>
}

/** `readCollected` in steps. */
export function* readSteps(
  instance: Instance,
  candidate: Candidate,
  collected: unknown,
  observedAtMs: number,
): Steps<ReadOutcome> {
  try {
    const { parameters } = instance
    const { outcome, unreadable } = yield* candidate.source.read(collected, { parameters, observedAtMs })
    if (outcome instanceof UpstreamError || outcome instanceof Undecodable)
      return { outcome: asFailure(candidate, outcome), unreadable }
    yield
    const text = canonicalJson(outcome.payload)
    const payloadBytes = Buffer.byteLength(text)
    if (payloadBytes > PAYLOAD_BYTES_MAX) {
      const problem = `the payload has ${payloadBytes} bytes of ${PAYLOAD_BYTES_MAX}`
      return { outcome: failure(candidate, "too_large", problem), unreadable }
    }
    const success: Omit<Success, "validators"> = {
      _tag: "Success",
      candidate,
      // Canonical JSON is JSON; what it was made of may hold members that are undefined.
      payload: outcome.payload as Json,
      hash: createHash("sha256").update(text).digest("hex"),
      payloadBytes,
      contentAtMs: outcome.contentAtMs,
    }
    return { outcome: success, unreadable }
  } catch (cause) {
    const bug = cause instanceof Error ? cause.message : "it threw something"
    return { outcome: broken(candidate, bug), unreadable: [] }
  }
}

/** Reads what was collected and holds the result to the feed's schema and bounds. Never throws. */
export const readCollected = (
  instance: Instance,
  candidate: Candidate,
  collected: unknown,
  observedAtMs: number,
): ReadOutcome => atOnce(readSteps(instance, candidate, collected, observedAtMs))

/** Unreadable rows of one poll that are quarantined; all of them are counted. */
const ROWS_PUT_ASIDE_MAX = 4
/** Of a row that is quarantined, this much is kept, in characters. */
const ROW_LENGTH_MAX = 4 * 1024

const putAside = ({ problem, row }: UnreadableRow): Undecoded => {
  const text = JSON.stringify(row) ?? ""
  return {
    document: "row",
    problem,
    body: text.slice(0, ROW_LENGTH_MAX).toWellFormed(),
    bodyBytes: Buffer.byteLength(text),
  }
}

const timedOut = (budgetMs: number): HttpFailed =>
  new HttpFailed({
    reason: "timeout",
    host: "",
    status: null,
    retryAfterMs: null,
    message: `nothing whole within ${budgetMs} ms`,
  })

const pollCandidate = (
  { context, admission }: PollOptions,
  instance: Instance,
  candidate: Candidate,
  checkpoint: InstanceCheckpoint | null,
  isOnRequest: boolean,
): Effect.Effect<{
  readonly outcome: Polled["outcome"]
  readonly undecoded: ReadonlyArray<Undecoded>
  readonly unreadableRows: number
}> =>
  Effect.gen(function* () {
    const beganMs = yield* Clock.currentTimeMillis
    const budgetMs = Math.min(COLLECTION_MAX_MS, Math.max(COLLECTION_MIN_MS, instance.everyMs * INTERVAL_SHARE))
    const last = checkpoint?.last ?? null
    const redaction = makeRedaction(candidate.key)
    const collection = beginCollection(context, {
      candidate,
      // A fetch on request needs the payload itself, so that "unchanged" would be no answer.
      validators: last !== null && last.provider === candidate.provider && !instance.onDemand ? last.validators : null,
      deadlineMs: beganMs + budgetMs,
      admit: (nowMs) => admission.request(candidate, isOnRequest, nowMs),
    })
    let unreadable: ReadonlyArray<UnreadableRow> = []
    const outcome = yield* Effect.suspend(() =>
      candidate.source.collect(collection.upstream, {
        parameters: instance.parameters,
        observedAtMs: beganMs,
        key: candidate.key,
      }),
    ).pipe(
      Effect.timeoutOrElse({ duration: budgetMs, orElse: () => Effect.fail(timedOut(budgetMs)) }),
      Effect.flatMap((collected) =>
        context.turns.run(collection.bytes(), readSteps(instance, candidate, collected, beganMs)),
      ),
      Effect.map((read): Polled["outcome"] => {
        unreadable = read.unreadable
        return read.outcome._tag === "Success" ? { ...read.outcome, validators: collection.finish() } : read.outcome
      }),
      Effect.catch((error: CollectFailed) =>
        Effect.logDebug(`source ${candidate.source.name}: ${redaction.text(error.message)}`).pipe(
          Effect.as<Polled["outcome"]>(asFailure(candidate, error)),
        ),
      ),
      Effect.catchDefect((defect) =>
        Effect.succeed<Polled["outcome"]>(
          defect instanceof Unmodified
            ? { _tag: "NothingNew", candidate }
            : broken(candidate, Cause.pretty(Cause.die(defect))),
        ),
      ),
    )
    if (outcome._tag === "Failure" && outcome.bug !== null)
      yield* Effect.logError(`source ${candidate.source.name} breaks its promise: ${redaction.text(outcome.bug)}`)
    if (outcome._tag === "Failure" && outcome.reason === "key_refused")
      admission.keyRefused(candidate, yield* Clock.currentTimeMillis)
    return {
      outcome,
      undecoded: [...collection.undecoded(), ...unreadable.slice(0, ROWS_PUT_ASIDE_MAX).map(putAside)],
      unreadableRows: unreadable.length,
    }
  })

/** What polls need. */
export interface PollOptions {
  readonly context: CollectContext
  readonly admission: Admission
}

/**
 * Polls an instance once: its first choice, and where that fails the next rank, and so on. `begin` is called before each
 * source; a failure that it returns stands for an answer. Never fails: a poll that comes to nothing is an outcome, and
 * its failure is the one of the first choice.
 */
export const poll = (
  options: PollOptions,
  instance: Instance,
  checkpoint: InstanceCheckpoint | null,
  isOnRequest: boolean,
  begin: (candidate: Candidate) => Failure | null,
): Effect.Effect<Polled> =>
  Effect.gen(function* () {
    const startedMs = performance.now()
    const undecoded: Array<Polled["undecoded"][number]> = []
    let unreadableRows = 0
    const settled = (outcome: Polled["outcome"]): Polled => ({
      outcome,
      latencyMs: Math.round(performance.now() - startedMs),
      undecoded,
      unreadableRows,
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
      undecoded.push(...polled.undecoded.map((one) => ({ ...one, provider: candidate.provider })))
      if (polled.outcome._tag !== "Failure") return settled(polled.outcome)
      failures.push(polled.outcome)
    }
    const [first, ...others] = failures
    return settled(
      first === undefined
        ? failure(instance.candidates[0], "upstream_error", "no source could be polled")
        : others.length === 0
          ? first
          : { ...first, message: `${first.message}; ${others.length} that stand in for it failed too` },
    )
  })
