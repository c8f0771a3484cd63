import { Gauge } from "prom-client"

/** What bodies of all upstreams together may hold until they are decoded, in bytes. */
const BYTES_MAX = 32 * 1024 * 1024
/** A body below this is never refused for the others: so many fit beside the budget as there are connections. */
const SMALL_BYTES = 1024 * 1024
/** A share that was not given back by then is: its body was dropped on the way to its decoder. */
const HELD_MS_MAX = 60_000

const held = new Gauge({
  name: "tidewire_http_bodies_bytes",
  help: "Bytes of upstream bodies that are being read, or wait to be decoded",
})

/** The share of one body. */
export interface BodyShare {
  /** Adds bytes that have come; false where there is no room: the body is to be given up. */
  readonly take: (bytes: number) => boolean
  /** The body is whole: it is no longer given up for others. */
  readonly finish: () => void
  /** Gives all of it back; once, however often it is called. */
  readonly release: () => void
}

/** One budget over all bodies that are held at the same time. */
export interface ByteBudget {
  /** Opens the share of a body. `giveUp` ends its reading: the largest body makes room for the others. */
  readonly open: (giveUp: () => void) => BodyShare
}

interface Holder {
  bytes: number
  isWhole: boolean
  readonly giveUp: () => void
}

/** Makes a budget. Where it is exhausted, the body that holds most is given up: hostile ones are the largest. */
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
    open: (giveUp) => {
      const holder: Holder = { bytes: 0, isWhole: false, giveUp }
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
            most.giveUp()
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
