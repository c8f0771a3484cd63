import type { Hex } from "viem"
import type { RpcCall, RpcFault } from "./rpc-faults.ts"

// False answers of a provider. Each is a fault for `setFaults`.

type Json = { readonly [key: string]: unknown }

const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)

const TRANSFER_TOPIC = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"
const word = (value: number | string): Hex =>
  `0x${(typeof value === "number" ? value.toString(16) : value.slice(2).toLowerCase()).padStart(64, "0")}`

const lie = (methods: ReadonlyArray<string>, change: (result: unknown, call: RpcCall) => unknown): RpcFault => ({
  kind: "lie",
  methods,
  change,
})

const receiptLie = (change: (receipt: Json) => Json): RpcFault =>
  lie(["eth_getTransactionReceipt"], (result) => (isObject(result) ? change(result) : result))

/** Changes every `Transfer` among the logs of a receipt. */
const transferLie = (change: (log: Json, topics: ReadonlyArray<unknown>) => Json): RpcFault =>
  receiptLie((receipt) => ({
    ...receipt,
    logs: (Array.isArray(receipt.logs) ? receipt.logs : []).map((log: unknown) =>
      isObject(log) && Array.isArray(log.topics) && log.topics[0] === TRANSFER_TOPIC ? change(log, log.topics) : log,
    ),
  }))

/** Lies of one provider. */
export const lies = {
  /** Every transfer was of so many units. */
  units: (units: number) => transferLie((log) => ({ ...log, data: word(units) })),
  /** Every transfer went to this address. */
  payee: (address: string) =>
    transferLie((log, topics) => ({ ...log, topics: [...topics.slice(0, 2), word(address)] })),
  /** Every transfer came from this address. */
  payer: (address: string) =>
    transferLie((log, topics) => ({ ...log, topics: [topics[0], word(address), ...topics.slice(2)] })),
  /** Every transfer was of the token at this address. */
  token: (address: string) => transferLie((log) => ({ ...log, address: address.toLowerCase() })),
  /** The transaction was reverted, or was not. */
  status: (succeeded: boolean) => receiptLie((receipt) => ({ ...receipt, status: succeeded ? "0x1" : "0x0" })),
  /** The receipt stands in this block. */
  blockHash: (hash: Hex) =>
    receiptLie((receipt) => ({
      ...receipt,
      blockHash: hash,
      logs: (Array.isArray(receipt.logs) ? receipt.logs : []).map((log: unknown) =>
        isObject(log) ? { ...log, blockHash: hash } : log,
      ),
    })),
  /** Every transaction is unknown. */
  nothing: lie(["eth_getTransactionReceipt", "eth_getTransactionByHash"], () => null),
  /** A transaction that is not there has the receipt, and the values, of another one. `hash` gives them its name. */
  invented: (hash: Hex, template: { readonly receipt: unknown; readonly transaction: unknown }): RpcFault =>
    lie(["eth_getTransactionReceipt", "eth_getTransactionByHash"], (result, { method, params }) => {
      if (result !== null || params[0] !== hash) return result
      if (method === "eth_getTransactionByHash")
        return isObject(template.transaction) ? { ...template.transaction, hash } : null
      if (!isObject(template.receipt)) return null
      const logs: ReadonlyArray<unknown> = Array.isArray(template.receipt.logs) ? template.receipt.logs : []
      return {
        ...template.receipt,
        transactionHash: hash,
        logs: logs.map((log) => (isObject(log) ? { ...log, transactionHash: hash } : log)),
      }
    }),
} as const
