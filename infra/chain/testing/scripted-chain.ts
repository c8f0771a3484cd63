import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Logger from "effect/Logger"
import * as Scope from "effect/Scope"
import { register } from "prom-client"
import { toEventSelector } from "viem"
import { onTestFinished } from "vitest"
import type { Chain, WatchedChain } from "../../../ledger/chain.port.ts"
import { type ChainOptions, USDC_ON_BASE } from "../chain-options.ts"
import { openChain } from "../viem-chain.ts"
import { type Script, type ScriptedNode, type ScriptedReply, startScriptedNode } from "./scripted-node.ts"

// Nodes of a chain, and the chain over them, for the tests beside this file. What a test starts ends with it.

export const USDC = USDC_ON_BASE.toLowerCase()
export const WALLET = `0x${"22".repeat(20)}`
export const PAYER = `0x${"11".repeat(20)}`
export const HASH = `0x${"ab".repeat(32)}`
export const BLOCK = `0x${"bc".repeat(32)}`
export const OTHER = `0x${"de".repeat(32)}`
export const KEY = "apikey5f3759df"
const TRANSFER = toEventSelector("event Transfer(address indexed from, address indexed to, uint256 value)")
export const AT_BLOCK = 100

export const hex = (number: number) => `0x${number.toString(16)}`
export const word = (value: string | number) =>
  `0x${(typeof value === "number" ? value.toString(16) : value.slice(2)).padStart(64, "0")}`

/** A chain in which one transaction pays 5,000,000 units and 250,000 units, six blocks deep. */
export const honest = {
  chainId: 8453,
  head: AT_BLOCK + 5,
  safe: AT_BLOCK - 1,
  finalized: AT_BLOCK - 10,
  units: [5_000_000, 250_000] as ReadonlyArray<number>,
  token: USDC,
  status: "0x1",
  known: true,
  /** The hash of the block in receipt and transaction, and of the block that is in the chain there. */
  blockHash: BLOCK,
  canonicalHash: BLOCK as string | null,
}
export type View = typeof honest

/** The replies of a node of a chain. */
export const chainOf = (view: View): Script => {
  const block = (number: number, hash = OTHER) => ({
    result: { hash, number: hex(number), timestamp: "0x690524b9", transactions: [] },
  })
  return (method, [first]): ScriptedReply | undefined => {
    if (method === "eth_chainId") return { result: hex(view.chainId) }
    if (method === "eth_blockNumber") return { result: hex(view.head) }
    if (method === "eth_getBlockByNumber") {
      if (first === "safe") return block(view.safe)
      if (first === "finalized") return block(view.finalized)
      if (first === hex(AT_BLOCK))
        return view.canonicalHash === null ? { result: null } : block(AT_BLOCK, view.canonicalHash)
    }
    if (!view.known || first !== HASH) return method.startsWith("eth_getTransaction") ? { result: null } : undefined
    const { blockHash } = view
    if (method === "eth_getTransactionByHash")
      return {
        result: {
          hash: HASH,
          blockHash,
          blockNumber: hex(AT_BLOCK),
          from: PAYER,
          to: USDC,
          input: "0xa9059cbb",
          type: "0x7e",
        },
      }
    if (method !== "eth_getTransactionReceipt") return undefined
    const logs = view.units.map((units, position) => ({
      address: view.token,
      topics: [TRANSFER, word(PAYER), word(WALLET)],
      data: word(units),
      logIndex: hex(7 + position),
      blockHash,
      transactionHash: HASH,
      removed: false,
    }))
    return { result: { transactionHash: HASH, blockHash, blockNumber: hex(AT_BLOCK), status: view.status, logs } }
  }
}

/** What was logged in this test. */
export const lines: Array<string> = []

/** Starts a node of the honest chain, as changed by `view`; `first` may answer a call in its place. */
export const start = async (view: Partial<View> = {}, first: Script = () => undefined): Promise<ScriptedNode> => {
  const script = chainOf({ ...honest, ...view })
  const node = await startScriptedNode((method, parameters) => first(method, parameters) ?? script(method, parameters))
  onTestFinished(() => node.close())
  return node
}
const collector = Logger.make((options) => {
  lines.push(Logger.formatJson.log(options))
})
/** Runs an effect whose log is kept in `lines`. */
export const run = <A, E>(effect: Effect.Effect<A, E>): Promise<A> =>
  Effect.runPromise(effect.pipe(Effect.provide(Logger.layer([collector]))))
/** The chain over these nodes. */
export const open = (
  asked: ReadonlyArray<ScriptedNode>,
  options: Partial<ChainOptions> = {},
): Promise<WatchedChain> => {
  const scope = Scope.makeUnsafe()
  onTestFinished(async () => {
    await Effect.runPromise(Scope.close(scope, Exit.void))
    lines.length = 0
  })
  return run(
    openChain({
      rpcUrls: asked.map(({ url }) => `${url}/v2/${KEY}`),
      wallet: WALLET,
      callTimeoutMs: 2_000,
      ...options,
    }).pipe(Effect.provideService(Scope.Scope, scope)),
  )
}
/** The chain over a node for each view. */
export const over = async (...views: ReadonlyArray<Partial<View>>): Promise<WatchedChain> =>
  open(await Promise.all(views.map((view) => start(view))))
export const found = async (chain: Chain) => run(chain.find(HASH))
export const refused = async (chain: Chain) => run(Effect.flip(chain.find(HASH)))
/** The sum of a metric over these labels. */
export const metricOf = async (name: string, labels: Readonly<Record<string, string>>): Promise<number> => {
  const metric = await register.getSingleMetric(name)?.get()
  const matching = (metric?.values ?? []).filter(({ labels: has }) =>
    Object.entries(labels).every(([key, value]) => has[key] === value),
  )
  return matching.reduce((sum, { value }) => sum + value, 0)
}
