import { randomFillSync } from "node:crypto"
import * as Effect from "effect/Effect"
import * as References from "effect/References"
import { v7 } from "uuid"

const ID_BYTES = 16
/** Random bytes are drawn for so many ids at once, as a draw costs more than the rest of an id. */
const IDS_PER_DRAW = 256

const drawn = new Uint8Array(ID_BYTES * IDS_PER_DRAW)
let used = drawn.length

/** Makes a UUIDv7. Ids of one millisecond are in no order. */
export const newId = (): string => {
  if (used === drawn.length) {
    randomFillSync(drawn)
    used = 0
  }
  used += ID_BYTES
  return v7({ random: drawn.subarray(used - ID_BYTES, used) })
}

/** The form of a request's id: from its alphabet no character needs to be escaped in a header, JSON or a line of the log. */
export const REQUEST_ID = /^[\w.-]{8,64}$/

/** Carries out an effect on behalf of a request of the public port: its log lines name the request. */
export const onBehalfOf =
  (request: string | null) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    request === null ? effect : Effect.annotateLogs(effect, { request })

/** Makes an effect of the id of the request on whose behalf it runs; null where there is none. */
export const withRequestId = <A, E, R>(
  make: (request: string | null) => Effect.Effect<A, E, R>,
): Effect.Effect<A, E, R> =>
  Effect.withFiber((fiber) => {
    const { request } = fiber.getRef(References.CurrentLogAnnotations)
    return make(typeof request === "string" ? request : null)
  })
