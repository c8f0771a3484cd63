import { createHash } from "node:crypto"
import type { Envelope } from "../../schemas/event.ts"
import { instanceKey } from "../../schemas/feed.ts"
import { canonicalJson } from "../../schemas/json.ts"
import { type HashedPayload, payloadOf, pollDataOf } from "../feed-state.ts"

/**
 * Makes a check that each payload of the log, patches included, has the hash that its event names: folds compare hashes as
 * texts only. The check takes events in order and gives the problem of an event, or null. A patch whose base lies before
 * the first event is skipped.
 */
export const makePayloadProof = (): ((event: Envelope<string, unknown>) => string | null) => {
  const held = new Map<string, HashedPayload>()
  return (event) => {
    const data = pollDataOf(event)
    if (data === null) return null
    const key = instanceKey(data.feed, data.parameters)
    const before = held.get(key) ?? null
    const after = payloadOf(event, before)
    if (after._tag === "Lost")
      return before === null
        ? null
        : `event ${event.id}: it builds on a payload of ${key} that is not the one before it`
    if (after._tag === "Same") return null
    const { payload, hash } = after
    held.set(key, { payload, hash })
    return createHash("sha256").update(canonicalJson(payload)).digest("hex") === hash
      ? null
      : `event ${event.id}: its payload of ${key} does not have the hash that it names`
  }
}
