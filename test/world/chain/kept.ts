import { readFileSync, renameSync, writeFileSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"
import { type Hex, isHex } from "viem"
import { type LocalChain, startChain } from "./chain.ts"

/** A local chain that goes on where the last one ended. */
export interface KeptChain {
  readonly chain: LocalChain
  /** Whether there was something to go on from. */
  readonly resumed: boolean
  /** Keeps what there is and ends the node. */
  readonly stop: () => Promise<void>
}

const LOOK_MS = 250

const readState = (file: string): Hex | null => {
  try {
    const text = readFileSync(file, "utf8")
    return isHex(text) ? text : null
  } catch {
    return null
  }
}

/**
 * Starts a local chain that makes a block every `everySeconds`, and keeps it in `file`. A ledger remembers payments, so
 * the chain has to remember them as well: on a fresh one its watcher would find them gone, and take their credits back.
 *
 * It is kept after every block with transactions, a moment after it was made. What a `kill -9` can lose are empty blocks
 * and transactions of that moment, which are not credited yet: that takes five blocks.
 */
export const startKeptChain = async (options: {
  readonly file: string
  readonly everySeconds: number
  readonly port: number
  /** Where its clock is not the machine's: the instant of the start, in milliseconds, and whether it stands. */
  readonly clock?: { readonly atMs: number; readonly stands: boolean } | null
}): Promise<KeptChain> => {
  const { file, everySeconds, clock = null } = options
  const atMs = clock?.atMs
  const start = async (port: number): Promise<{ readonly chain: LocalChain; readonly resumed: boolean }> => {
    const state = readState(file)
    if (state !== null)
      try {
        return { chain: await startChain({ port, state, atMs }), resumed: true }
      } catch (cause) {
        if (String(cause).includes("in use")) throw cause
        // A state that the node cannot read is discarded, so that it does not prevent every later start.
        renameSync(file, `${file}.unreadable`)
      }
    return { chain: await startChain({ port, atMs }), resumed: false }
  }
  const { chain, resumed } = await start(options.port).catch((cause) => {
    if (!String(cause).includes("in use")) throw cause
    return start(0)
  })

  const keep = async (): Promise<void> => {
    const state = await chain.dump()
    writeFileSync(`${file}.new`, state, { mode: 0o600 })
    // Either the old state or the new one, whenever this process is killed.
    renameSync(`${file}.new`, file)
  }
  const lastNumber = () => chain.client.getBlockNumber({ cacheTime: 0 })
  if (clock !== null) await chain.setClock(clock.atMs, clock.stands)
  await keep()
  let kept = await lastNumber()
  await chain.mining({ everySeconds })

  let stopping = false
  const look = async (): Promise<void> => {
    const last = await lastNumber()
    const counts = await Promise.all(
      Array.from({ length: Number(last - kept) }, (_, index) =>
        chain.client.getBlockTransactionCount({ blockNumber: kept + BigInt(index) + 1n }),
      ),
    )
    if (counts.some((count) => count > 0)) await keep()
    kept = last
  }
  const watching = (async () => {
    while (!stopping) {
      // The node may be gone by now; then there is nothing more to keep.
      await look().catch(() => {})
      await sleep(LOOK_MS)
    }
  })()
  return {
    chain,
    resumed,
    stop: async () => {
      stopping = true
      await watching
      await keep().catch(() => {})
      await chain.stop()
    },
  }
}
