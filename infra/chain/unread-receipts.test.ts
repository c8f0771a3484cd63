import * as Effect from "effect/Effect"
import { toEventSelector } from "viem"
import { describe, expect, it } from "vitest"
import {
  AT_BLOCK,
  BLOCK,
  chainOf,
  found,
  HASH,
  hex,
  honest,
  OTHER,
  open,
  PAYER,
  refused,
  run,
  start,
  USDC,
  WALLET,
  word,
} from "./testing/scripted-chain.ts"
import type { Script, ScriptedNode, ScriptedReply } from "./testing/scripted-node.ts"

// What strangers put beside a payment, and answers that end too early.

const RECEIPT = "eth_getTransactionReceipt"
const TRANSFER = toEventSelector("event Transfer(address indexed from, address indexed to, uint256 value)")
const unread = { _tag: "ChainUnavailable", of: "receipt" }
const asksFor = ({ asked }: ScriptedNode, method: string) => asked.filter((one) => one.method === method).length
/** The beginning of a receipt with more bytes than the quick lane reads. */
const LARGE = `{"jsonrpc":"2.0","id":1,"result":{"logs":[${`${JSON.stringify({ text: "a".repeat(1_000) })},`.repeat(1_000)}`

describe("a receipt", () => {
  it("is asked for once; its facts hold while its block is in the chain", async () => {
    const nodes = await Promise.all([start(), start(), start()])
    const chain = await open(nodes)
    const first = await found(chain)
    for (let n = 0; n < 3; n++) expect(await found(chain)).toEqual(first)
    for (const node of nodes) {
      expect(asksFor(node, RECEIPT)).toBe(1)
      expect(asksFor(node, "eth_getTransactionByHash")).toBe(1)
    }
    for (const node of nodes) node.script = chainOf({ ...honest, blockHash: OTHER, canonicalHash: OTHER, units: [9] })
    expect(await found(chain)).toMatchObject({ transaction: { block: { hash: OTHER }, transfers: [{ units: 9 }] } })
    for (const node of nodes) node.script = chainOf({ ...honest, known: false, canonicalHash: null })
    expect(await found(chain)).toEqual({ _tag: "unknown" })
  })

  it.each<[string, ScriptedReply]>([
    ["ends too early", { status: 200, body: '{"jsonrpc":"2.0","id":1,"result":{"logs":[' }],
    ["is empty", { status: 200, body: "" }],
    ["is too large for the provider", { error: { code: -32008, message: "Response is too big" } }],
    ["is too large for its proxy", { status: 413, body: "" }],
  ])("that %s is neither no payment nor no provider, and heals", async (_, said) => {
    const nodes = await Promise.all([1, 2, 3].map(() => start({}, (method) => (method === RECEIPT ? said : undefined))))
    let nowMs = 0
    const chain = await open(nodes, { nowMs: () => nowMs })
    expect(await refused(chain)).toMatchObject(unread)
    for (const node of nodes) node.script = chainOf(honest)
    const asked = nodes.map((node) => asksFor(node, RECEIPT))
    expect(await refused(chain)).toMatchObject({ ...unread, retryAfterSeconds: 15 })
    expect(nodes.map((node) => asksFor(node, RECEIPT))).toEqual(asked)
    nowMs += 15_000
    expect(await found(chain)).toMatchObject({ _tag: "mined" })
  })

  it("that one of three providers cuts off delays nothing", async () => {
    const cut: Script = (method) => (method === RECEIPT ? { status: 200, body: "{" } : undefined)
    const chain = await open(await Promise.all([start(), start({}, cut), start()]))
    expect(await found(chain)).toMatchObject({ _tag: "mined" })
  })

  describe("that no provider sends whole", () => {
    const sent = {
      hash: HASH,
      blockHash: BLOCK,
      blockNumber: hex(AT_BLOCK),
      from: PAYER,
      to: USDC,
      input: `0xa9059cbb${"00".repeat(200_000)}`,
    }
    const log = (units: number, logIndex: number, transactionHash = HASH) => ({
      address: USDC,
      topics: [TRANSFER, word(PAYER), word(WALLET)],
      data: word(units),
      logIndex: hex(logIndex),
      blockHash: BLOCK,
      transactionHash,
      removed: false,
    })
    const withLogs =
      (...logs: ReadonlyArray<unknown>): Script =>
      (method, [filter]) => {
        if (method === RECEIPT) return { error: { code: -32008, message: "Response is too big" } }
        if (method === "eth_getTransactionByHash") return { result: sent }
        if (method !== "eth_getLogs") return undefined
        expect(filter).toMatchObject({ blockHash: BLOCK, address: USDC })
        return { result: logs }
      }
    it("is read by the logs of the token in its block, and agrees with a receipt", async () => {
      const logs = withLogs(log(8, 3, OTHER), log(5_000_000, 7), log(250_000, 8), log(9, 30, OTHER))
      const whole = () => start({}, (method) => (method === "eth_getTransactionByHash" ? { result: sent } : undefined))
      const truth = await found(await open([await whole()]))
      expect(await found(await open([await start({}, logs)]))).toEqual(truth)
      expect(await found(await open([await start({}, logs), await whole()]))).toEqual(truth)
    })
    it.each<[string, ReadonlyArray<unknown>]>([
      ["has none of it", [log(8, 3, OTHER)]],
      ["is empty", []],
      ["holds a log that was removed", [{ ...log(5, 7), removed: true }]],
    ])("is not read where the list of logs %s", async (_, logs) => {
      expect(await refused(await open([await start({}, withLogs(...logs))]))).toMatchObject(unread)
    })
  })
})

describe("an honest payment", () => {
  const large = Array.from({ length: 10 }, (_, n) => word(n + 1))
  it("is found while ten receipts beside it are large and do not end", async () => {
    const node = await start({}, (method, [hash]) =>
      method === RECEIPT && large.includes(String(hash)) ? { begins: LARGE } : undefined,
    )
    const chain = await open([node], { callTimeoutMs: 30_000 })
    let ended = 0
    const reads = large.map((hash) => run(Effect.exit(chain.find(hash))).then(() => ended++))
    while (asksFor(node, RECEIPT) < large.length) await run(Effect.yieldNow)
    expect(await found(chain)).toMatchObject({ _tag: "mined" })
    expect(ended).toBe(0)
    await Promise.all(reads)
    const refusals = await Promise.all(large.map((hash) => run(Effect.flip(chain.find(hash)))))
    for (const refusal of refusals) expect(refusal).toMatchObject(unread)
  })

  it("is found while contracts of strangers hang", async () => {
    const node = await start({}, (method) => {
      if (method === "eth_getCode") return { result: "0x6001" }
      return method === "eth_call" ? "hangs" : undefined
    })
    const chain = await open([node], { callTimeoutMs: 30_000 })
    let ended = 0
    const signature = `0x${"5a".repeat(65)}`
    const asks = large.map((hash) => {
      const candidates = [`0x${hash.slice(-40)}`]
      return run(Effect.exit(chain.signerOf({ text: hash, signature, candidates }))).then(() => ended++)
    })
    while (asksFor(node, "eth_call") < 1) await run(Effect.yieldNow)
    expect(await found(chain)).toMatchObject({ _tag: "mined" })
    expect(ended).toBe(0)
    await Promise.all(asks)
    const calls = node.asked.filter(({ method }) => method === "eth_call")
    expect(calls.every(({ parameters: [call] }) => Number(Reflect.get(Object(call), "gas")) <= 10_000_000)).toBe(true)
  })
})
