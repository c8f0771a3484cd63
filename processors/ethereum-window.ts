import type { EthereumBlock } from "../schemas/feeds/ethereum-transfers.ts"
import type { RecentChange } from "./view/recent.ts"
import { onceByItem } from "./view/rows-by.ts"

/** When a block was made, in milliseconds since the epoch; found once for each block. */
const madeAtMs = onceByItem(({ at }: EthereumBlock) => Date.parse(at))

/** The blocks of a stretch of time that stand, the newest first. */
export interface EthereumWindow {
  readonly blocks: ReadonlyArray<EthereumBlock>
  /** Blocks between the oldest and the newest that were never read. */
  readonly missing: number
}

/**
 * The blocks that stand, of the changes that brought them (oldest first) and of the newest payload: of each number the last
 * one that was seen, none above the newest block, and none that was made `windowMs` before it. The payload is one chain, so
 * that it decides for its own numbers.
 */
export const ethereumWindow = (
  changes: ReadonlyArray<Pick<RecentChange<EthereumBlock>, "kind" | "item">>,
  payload: ReadonlyArray<EthereumBlock>,
  windowMs: number,
): EthereumWindow => {
  const [newest] = payload
  if (newest === undefined) return { blocks: [], missing: 0 }
  const byNumber = new Map<number, EthereumBlock>()
  for (const { kind, item } of changes) if (kind !== "gone") byNumber.set(item.number, item)
  for (const block of payload) byNumber.set(block.number, block)
  const sinceMs = madeAtMs(newest) - windowMs
  const blocks = [...byNumber.values()]
    .filter((block) => block.number <= newest.number && madeAtMs(block) > sinceMs)
    .sort((one, other) => other.number - one.number)
  const oldest = blocks.at(-1) ?? newest
  return { blocks, missing: newest.number - oldest.number + 1 - blocks.length }
}
