import { createHash } from "node:crypto"
import { canonicalJson, type Json } from "../schemas/json.ts"
import { Undecodable, UpstreamError } from "./document.ts"
import type { Candidate, Instance } from "./plan.ts"
import { type Failure, failureOf, pollFailure, type Success, sourceDefect } from "./poll-outcome.ts"
import type { UnreadableRow } from "./reading.ts"
import { runSteps, type Steps } from "./steps.ts"

/** The largest payload, as canonical JSON. */
export const PAYLOAD_BYTES_MAX = 8 * 1024 * 1024

/** The outcome of reading collected documents, and the rows that were left out. */
export interface ReadOutcome {
  readonly outcome: Omit<Success, "validators"> | Failure
  readonly unreadable: ReadonlyArray<UnreadableRow>
}

/** `readCollected` as cooperative work. */
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
      return { outcome: failureOf(candidate, outcome), unreadable }
    yield
    const text = canonicalJson(outcome.payload)
    const payloadBytes = Buffer.byteLength(text)
    if (payloadBytes > PAYLOAD_BYTES_MAX) {
      const problem = `the payload has ${payloadBytes} bytes of ${PAYLOAD_BYTES_MAX}`
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

/** Reads collected documents, and checks the payload against the feed's schema and bounds. Never throws. */
export const readCollected = (
  instance: Instance,
  candidate: Candidate,
  collected: unknown,
  observedAtMs: number,
): ReadOutcome => runSteps(readSteps(instance, candidate, collected, observedAtMs))
