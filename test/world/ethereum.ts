import { createHash } from "node:crypto"
import { exchangeWallets } from "../../schemas/labels/exchange-wallets.ts"
import type { World } from "./world.ts"

// The Ethereum of the world: a block each twelve seconds, transfers to and from labelled wallets among others, and blocks
// that are replaced. What a hash names is a function of the seed and the hash, so that no block has to be kept.

export const SLOT_MS = 12_000
/** So that the numbers are about those of the main network. */
const SLOTS_BEFORE = 125_000_000
/** Each block with this remainder is seen in another version first, until the next block shows which one stands. */
const REPLACED_EACH = 8
const REPLACED_REMAINDER = 5
const WEI = 10n ** 18n
const MICRO_ETH_WEI = 10n ** 12n

/** `stands`: the block of the chain. `replaced`: what nodes show in its place until the next block. */
export type Version = "stands" | "replaced"

export interface WorldBlock {
  readonly number: number
  readonly version: Version
}

export const numberAt = (atMs: number): number => Math.floor(atMs / SLOT_MS) - SLOTS_BEFORE
export const madeAtMs = (number: number): number => (number + SLOTS_BEFORE) * SLOT_MS
export const hasReplaced = (number: number): boolean => number % REPLACED_EACH === REPLACED_REMAINDER

const hex = (text: string): string => createHash("sha256").update(text).digest("hex")
const quantity = (value: number | bigint): string => `0x${value.toString(16)}`

/** The hash of a block: its number, then what the seed decides. */
export const hashOf = ({ seed }: World, { number, version }: WorldBlock): string =>
  `0x${number.toString(16).padStart(8, "0")}${hex(`${seed}/block/${number}/${version}`).slice(0, 56)}`

/** The block that a hash names, if it was made by now. */
export const blockOfHash = (world: World, hash: string): WorldBlock | null => {
  const number = Number.parseInt(hash.slice(2, 10), 16)
  if (!(madeAtMs(number) <= world.nowMs)) return null
  const found = (["stands", "replaced"] as const).find((version) => hashOf(world, { number, version }) === hash)
  return found === undefined || (found === "replaced" && !hasReplaced(number)) ? null : { number, version: found }
}

/** The newest block that a node shows: it may still be one that will be replaced. */
export const tipAt = ({ nowMs }: World): WorldBlock => {
  const number = numberAt(nowMs)
  return { number, version: hasReplaced(number) ? "replaced" : "stands" }
}

/** Wei of a unit of gas in a block. */
export const baseFeeOf = (world: World, number: number): bigint =>
  BigInt(Math.round(world.wander("ethereum/base-fee", 1.4e9, 1.2e9, 5 * 3_600_000, madeAtMs(number))))

const addressOf = (world: World, label: string): string => `0x${hex(`${world.seed}/address/${label}`).slice(0, 40)}`

const wallet = (random: number): string =>
  exchangeWallets[Math.floor(random * exchangeWallets.length)]?.address ?? `0x${"0".repeat(40)}`

/** Mostly small amounts; one of some twenty moves a hundred ether and more. */
const weiOf = (random: number): bigint => {
  const micro = Math.floor(Math.min(40_000, 0.05 / Math.max(1e-6, (1 - random) ** 2.2)) * 1e6)
  return BigInt(micro) * MICRO_ETH_WEI + (micro % 2 === 0 ? WEI / 3_000_000_000n : 0n)
}

export interface WorldTransaction {
  readonly hash: string
  readonly from: string
  readonly to: string | null
  readonly wei: bigint
}

/** The transactions of a block. A replaced block lacks some of those that stand. */
export const transactionsOf = (world: World, { number, version }: WorldBlock): ReadonlyArray<WorldTransaction> => {
  const random = (...labels: ReadonlyArray<string | number>) => world.random("ethereum", number, ...labels)
  const count = 12 + Math.floor(random("count") * 14)
  return Array.from({ length: count }, (_, index) => index)
    .filter((index) => version === "stands" || index % 3 !== 0)
    .map((index) => {
      const kind = random(index, "kind")
      const [one, other] = [addressOf(world, `${number}/${index}`), addressOf(world, `${number}/${index}/to`)]
      return {
        hash: `0x${hex(`${world.seed}/transaction/${number}/${index}`)}`,
        from: kind < 0.3 || kind > 0.95 ? wallet(random(index, "from")) : one,
        to: kind > 0.9 && kind < 0.92 ? null : kind > 0.65 ? wallet(random(index, "to")) : other,
        wei: weiOf(random(index, "value")),
      }
    })
}

/** The version of the block below: at the time of the next block it is known which one stands. */
const parentOf = ({ number }: WorldBlock): WorldBlock => ({ number: number - 1, version: "stands" })

/** A block in the form of a node, with whole transactions or their hashes. */
export const wireBlockOf = (world: World, block: WorldBlock, isWhole: boolean) => {
  const [number, hash] = [quantity(block.number), hashOf(world, block)]
  const transactions = transactionsOf(world, block)
  return {
    baseFeePerGas: quantity(baseFeeOf(world, block.number)),
    blobGasUsed: "0x20000",
    difficulty: "0x0",
    excessBlobGas: "0x0",
    extraData: "0x",
    gasLimit: "0x2255100",
    gasUsed: quantity(transactions.length * 21_000),
    hash,
    nonce: "0x0000000000000000",
    number,
    parentHash: hashOf(world, parentOf(block)),
    size: quantity(540 + transactions.length * 112),
    timestamp: quantity(madeAtMs(block.number) / 1000),
    transactions: transactions.map((one, index) =>
      isWhole
        ? {
            blockHash: hash,
            blockNumber: number,
            chainId: "0x1",
            from: one.from,
            gas: "0x5208",
            gasPrice: quantity(baseFeeOf(world, block.number) + 10n ** 8n),
            hash: one.hash,
            input: "0x",
            nonce: quantity(index),
            to: one.to,
            transactionIndex: quantity(index),
            type: "0x2",
            value: quantity(one.wei),
          }
        : one.hash,
    ),
    uncles: [],
    withdrawals: [],
  }
}

/** The fees of the newest blocks, and the tips of the requested percentiles. */
export const feeHistoryOf = (world: World, blocks: number, percentiles: ReadonlyArray<number>) => {
  const { number } = tipAt(world)
  const oldest = number - blocks + 1
  const numbers = Array.from({ length: blocks }, (_, index) => oldest + index)
  return {
    oldestBlock: quantity(oldest),
    baseFeePerGas: [...numbers, number + 1].map((one) => quantity(baseFeeOf(world, one))),
    gasUsedRatio: numbers.map((one) => world.random("ethereum", one, "used")),
    baseFeePerBlobGas: [...numbers, number + 1].map(() => "0x1"),
    blobGasUsedRatio: numbers.map(() => 0),
    reward: numbers.map((one) =>
      percentiles.map((percentile) =>
        quantity(Math.floor((1 + world.random("ethereum", one, "tip")) * percentile * 1e6)),
      ),
    ),
  }
}
