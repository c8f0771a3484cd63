import { randomFillSync } from "node:crypto"
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
