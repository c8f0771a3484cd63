import { Gauge } from "prom-client"

/** The limit of all bodies of upstreams that are read or wait to be decoded. */
const BYTES_MAX = 32 * 1024 * 1024
/** A smaller body is never aborted for others. The number of connections bounds how far small ones exceed the budget. */
const SMALL_BYTES = 1024 * 1024
/** A share is released after this time at the latest, in case its body was dropped before it was decoded. */
const HELD_MS_MAX = 60_000

const held = new Gauge({
  name: "tidewire_http_bodies_bytes",
  help: "Bytes of upstream bodies that are being read, or wait to be decoded",
})

/** The share of one body. */
interface BodyShare {
  /** Adds received bytes; false if the budget is exceeded and this body must be aborted. */
  readonly take: (bytes: number) => boolean
  /** Marks the body as complete: it is no longer aborted for others. */
  readonly finish: () => void
  /** Releases the share. Idempotent. */
  readonly release: () => void
}

/** One budget over all bodies that are held at the same time. */
export interface ByteBudget {
  /** Opens the share of a body. `abort` ends its reading if it is the largest while the budget is exceeded. */
  readonly open: (abort: () => void) => BodyShare
}

interface Holder {
  bytes: number
  isWhole: boolean
  readonly abort: () => void
}

/** Makes a budget. When it is exceeded, the largest body is aborted, as hostile bodies are the largest. */
export const makeByteBudget = (bytesMax: number = BYTES_MAX, smallBytes: number = SMALL_BYTES): ByteBudget => {
  const holders = new Set<Holder>()
  let used = 0
  const drop = (holder: Holder) => {
    if (!holders.delete(holder)) return
    used -= holder.bytes
    held.set(used)
  }
  const largest = (): Holder | undefined => {
    let most: Holder | undefined
    for (const holder of holders)
      if (!holder.isWhole && holder.bytes > smallBytes && holder.bytes > (most?.bytes ?? 0)) most = holder
    return most
  }
  return {
    open: (abort) => {
      const holder: Holder = { bytes: 0, isWhole: false, abort }
      holders.add(holder)
      let backstop: NodeJS.Timeout | undefined
      const release = () => {
        clearTimeout(backstop)
        drop(holder)
      }
      return {
        take: (bytes) => {
          if (!holders.has(holder)) return false
          holder.bytes += bytes
          used += bytes
          while (used > bytesMax && holder.bytes > smallBytes) {
            const most = largest() ?? holder
            drop(most)
            if (most === holder) return false
            most.abort()
          }
          held.set(used)
          return true
        },
        finish: () => {
          holder.isWhole = true
          backstop = setTimeout(release, HELD_MS_MAX).unref()
        },
        release,
      }
    },
  }
}
