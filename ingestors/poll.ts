import { createHash } from "node:crypto"
import { performance } from "node:perf_hooks"
import { Cause, Clock, Effect, Result } from "effect"
import { HttpFailed } from "../infra/http/http-client.port.ts"
import type { FailureReason } from "../schemas/events/observations.ts"
import { canonicalJson, type Json } from "../schemas/json.ts"
import type { InstanceCheckpoint, Validators } from "./checkpoint.ts"
import { beginCollection, type CollectContext, type Undecoded, Unmodified } from "./collect.ts"
import { decodeWith } from "./decode.ts"
import type { Candidate, Instance } from "./plan.ts"
import { type CollectFailed, UpstreamError } from "./source.ts"
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
}

const failure = (
  candidate: Candidate,
  reason: FailureReason,
  message: string,
  retryAfterMs: number | null = null,
): Failure => ({ _tag: "Failure", candidate, reason, message, retryAfterMs, bug: null })

const asFailure = (candidate: Candidate, error: CollectFailed): Failure => {
  switch (error._tag) {
    case "HttpFailed":
      return failure(candidate, error.reason, error.message, error.retryAfterMs)
    case "Undecodable":
      return failure(candidate, "undecodable", `the document "${error.document}" does not have the form it should have`)
    case "UpstreamError":
      // The words may be the upstream's; they are logged and go no further.
      return failure(candidate, "upstream_error", "the upstream answered that it has nothing to give")
  }
}

/** What came was decoded, and yet the source could make nothing of it that keeps its feed's promises. */
const broken = (candidate: Candidate, bug: string): Failure => ({
  ...failure(candidate, "undecodable", "what came could not be brought into the feed's form"),
  bug,
})

const payloadDecoders = new WeakMap<object, (value: unknown) => Result.Result<unknown, string>>()

const payloadDecoder = (feed: Instance["feed"]) => {
  const decoder = payloadDecoders.get(feed) ?? decodeWith(feed.payload)
  payloadDecoders.set(feed, decoder)
  return decoder
}

/** `normaliseCollected` in steps. */
export function* normaliseSteps(
  instance: Instance,
  candidate: Candidate,
  collected: unknown,
  observedAtMs: number,
): Steps<Omit<Success, "validators"> | Failure> {
  try {
    const normalised = candidate.source.normalise(collected, { parameters: instance.parameters, observedAtMs })
    if (normalised instanceof UpstreamError) return asFailure(candidate, normalised)
    yield
    const decoded = payloadDecoder(instance.feed)(normalised.payload)
    if (Result.isFailure(decoded)) return broken(candidate, decoded.failure)
    yield
    const text = canonicalJson(decoded.success)
    const payloadBytes = Buffer.byteLength(text)
    if (payloadBytes > PAYLOAD_BYTES_MAX)
      return failure(candidate, "too_large", `the payload has ${payloadBytes} bytes of ${PAYLOAD_BYTES_MAX}`)
    return {
      _tag: "Success",
      candidate,
      // Canonical JSON is JSON; what it was made of may hold members that are undefined.
      payload: decoded.success as Json,
      hash: createHash("sha256").update(text).digest("hex"),
      payloadBytes,
      contentAtMs: normalised.contentAtMs,
    }
  } catch (cause) {
    return broken(candidate, cause instanceof Error ? cause.message : "it threw something")
  }
}

/** Normalises what was collected and holds the result to the feed's schema and bound. Never throws. */
export const normaliseCollected = (
  instance: Instance,
  candidate: Candidate,
  collected: unknown,
  observedAtMs: number,
): Omit<Success, "validators"> | Failure => atOnce(normaliseSteps(instance, candidate, collected, observedAtMs))

const timedOut = (budgetMs: number): HttpFailed =>
  new HttpFailed({
    reason: "timeout",
    host: "",
    status: null,
    retryAfterMs: null,
    message: `nothing whole within ${budgetMs} ms`,
  })

const pollCandidate = (
  context: CollectContext,
  instance: Instance,
  candidate: Candidate,
  checkpoint: InstanceCheckpoint | null,
): Effect.Effect<{ readonly outcome: Polled["outcome"]; readonly undecoded: ReadonlyArray<Undecoded> }> =>
  Effect.gen(function* () {
    const beganMs = yield* Clock.currentTimeMillis
    const budgetMs = Math.min(COLLECTION_MAX_MS, Math.max(COLLECTION_MIN_MS, instance.everyMs * INTERVAL_SHARE))
    const last = checkpoint?.last ?? null
    const collection = beginCollection(
      context,
      candidate.source,
      // Whoever asks on request wants the payload itself, so that "unchanged" would be no answer.
      last !== null && last.provider === candidate.provider && !instance.onDemand ? last.validators : null,
      beganMs + budgetMs,
    )
    const outcome = yield* Effect.suspend(() =>
      candidate.source.collect(collection.upstream, instance.parameters, candidate.key),
    ).pipe(
      Effect.timeoutOrElse({ duration: budgetMs, orElse: () => Effect.fail(timedOut(budgetMs)) }),
      Effect.flatMap((collected) =>
        context.turns.run(collection.bytes(), normaliseSteps(instance, candidate, collected, beganMs)),
      ),
      Effect.map((normalised): Polled["outcome"] =>
        normalised._tag === "Success" ? { ...normalised, validators: collection.finish() } : normalised,
      ),
      Effect.catch((error: CollectFailed) =>
        Effect.logDebug(`source ${candidate.source.name}: ${error.message}`).pipe(
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
      yield* Effect.logError(`source ${candidate.source.name} breaks its promise: ${outcome.bug}`)
    return { outcome, undecoded: collection.undecoded() }
  })

/**
 * Asks for an instance once: its first choice, and where that fails the next rank, and so on. `permitted` is asked before
 * each source; a failure it returns stands for an answer. Never fails: a poll that comes to nothing is an outcome, and
 * the first choice's failure is the one that is told.
 */
export const poll = (
  context: CollectContext,
  instance: Instance,
  checkpoint: InstanceCheckpoint | null,
  permitted: (candidate: Candidate) => Failure | null = () => null,
): Effect.Effect<Polled> =>
  Effect.gen(function* () {
    const startedMs = performance.now()
    const undecoded: Array<Polled["undecoded"][number]> = []
    const settled = (outcome: Polled["outcome"]): Polled => ({
      outcome,
      latencyMs: Math.round(performance.now() - startedMs),
      undecoded,
    })
    const failures: Array<Failure> = []
    for (const candidate of instance.candidates) {
      const refused = permitted(candidate)
      if (refused !== null) {
        failures.push(refused)
        continue
      }
      const polled = yield* pollCandidate(context, instance, candidate, checkpoint)
      undecoded.push(...polled.undecoded.map((one) => ({ ...one, provider: candidate.provider })))
      if (polled.outcome._tag !== "Failure") return settled(polled.outcome)
      failures.push(polled.outcome)
    }
    const [first, ...others] = failures
    return settled(
      first === undefined
        ? failure(instance.candidates[0], "upstream_error", "nobody could be asked")
        : others.length === 0
          ? first
          : { ...first, message: `${first.message}; ${others.length} that stand in for it failed too` },
    )
  })
