import { createHash } from "node:crypto"
import type { Envelope } from "../schemas/event.ts"
import { instanceKey } from "../schemas/feed.ts"
import { canonicalJson } from "../schemas/json.ts"
import { type HashedPayload, payloadOf, polled } from "./feed-state.ts"

/**
 * Proves that each payload of the log has the hash that its event names, patches included: folds compare hashes as texts
 * only. Takes events in order; gives what is wrong with one, or null. A patch whose base lies before the first event that
 * was seen proves nothing.
 */
export const makePayloadProof = (): ((event: Envelope<string, unknown>) => string | null) => {
  const held = new Map<string, HashedPayload>()
  return (event) => {
    const data = polled(event)
    if (data === null) return null
    const key = instanceKey(data.feed, data.parameters)
    const before = held.get(key) ?? null
    const said = payloadOf(event, before)
    if (said._tag === "Lost")
      return before === null
        ? null
        : `event ${event.id}: it builds on a payload of ${key} that is not the one before it`
    if (said._tag === "Same") return null
    const { payload, hash } = said
    held.set(key, { payload, hash })
    return createHash("sha256").update(canonicalJson(payload)).digest("hex") === hash
      ? null
      : `event ${event.id}: its payload of ${key} has not the hash that it names`
  }
}
