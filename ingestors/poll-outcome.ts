import type { FailureReason } from "../schemas/events/observations.ts"
import type { Json } from "../schemas/json.ts"
import { KEY_REFUSED_PAUSE_MS } from "./admission.ts"
import type { Validators } from "./checkpoint.ts"
import { type CollectFailed, KEY_REFUSED_STATUSES } from "./document.ts"
import type { Candidate } from "./plan.ts"

/** The payload of a successful poll: valid by the feed's schema and within `PAYLOAD_BYTES_MAX`. */
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

/** Makes the failure of a poll. */
export const pollFailure = (
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
export const failureOf = (candidate: Candidate, error: CollectFailed): Failure => {
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
export const sourceDefect = (candidate: Candidate, bug: string): Failure => ({
  ...pollFailure(candidate, "undecodable", "the answer could not be converted to the feed's form"),
  bug,
})
