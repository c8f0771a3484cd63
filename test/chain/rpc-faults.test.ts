import { createPublicClient, type Hex, http } from "viem"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { transfer, USDC } from "../world/chain/calls.ts"
import { type LocalChain, startChain } from "../world/chain/chain.ts"
import { lies } from "../world/chain/lies.ts"
import { type FaultyRpc, startFaultyRpc } from "../world/chain/rpc-faults.ts"

let chain: LocalChain
let rpc: FaultyRpc
let paid: Hex
beforeAll(async () => {
  chain = await startChain({ slotsInAnEpoch: 2 })
  rpc = await startFaultyRpc(chain.rpcUrl)
  const payer = await chain.newAccount(1_000_417)
  paid = (await chain.send(payer, transfer(chain.wallet, 1_000_417))).transactionHash
  await chain.mine(6)
})
afterEach(() => rpc.setFaults())
afterAll(async () => {
  await rpc?.close()
  await chain?.stop()
})

const request = async (method: string, params: ReadonlyArray<unknown> = []) =>
  fetch(rpc.url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 7, method, params }),
  })
const ask = async (method: string, params: ReadonlyArray<unknown> = []): Promise<unknown> =>
  (await request(method, params)).json()
const within = (value: unknown, path: ReadonlyArray<string | number>): unknown =>
  path.reduce(
    (found, key) => (typeof found === "object" && found !== null ? Reflect.get(found, key) : undefined),
    value,
  )
/** The result of a call, or what it has at a path. */
const resultOf = async (method: string, params: ReadonlyArray<unknown> = [], ...path: ReadonlyArray<string | number>) =>
  within(await ask(method, params), ["result", ...path])
const receiptOf = (hash: Hex, ...path: ReadonlyArray<string | number>) =>
  resultOf("eth_getTransactionReceipt", [hash], ...path)
const client = () => createPublicClient({ transport: http(rpc.url, { retryCount: 0 }), cacheTime: 0 })

describe("a provider in good health", () => {
  it("says what the node says, one by one and in batches, and counts", async () => {
    const direct = await chain.client.getTransactionReceipt({ hash: paid })
    expect(await client().getTransactionReceipt({ hash: paid })).toMatchObject({ blockHash: direct.blockHash })
    const before = rpc.calls.get("eth_chainId") ?? 0
    const batch = createPublicClient({ transport: http(rpc.url, { batch: true, retryCount: 0 }), cacheTime: 0 })
    expect(await Promise.all([batch.getChainId(), batch.getBlockNumber()])).toEqual([8453, expect.any(BigInt)])
    expect(rpc.calls.get("eth_chainId")).toBe(before + 1)
    expect(await ask("eth_nonsense")).toMatchObject({ id: 7, error: { code: -32601 } })
  })
})

describe("a provider in trouble", () => {
  it("is down", async () => {
    rpc.setFaults({ kind: "down" })
    await expect(request("eth_chainId")).rejects.toThrow()
    rpc.setFaults({ kind: "down", methods: ["eth_getBlockByNumber"] })
    expect(await ask("eth_chainId")).toMatchObject({ result: "0x2105" })
  })

  it("is slow", async () => {
    rpc.setFaults({ kind: "slow", ms: 5_000 })
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_chainId" })
    const asked = fetch(rpc.url, { method: "POST", body, signal: AbortSignal.timeout(100) })
    await expect(asked).rejects.toThrow(/timeout/)
  })

  it("has had enough of us", async () => {
    rpc.setFaults({ kind: "status", status: 429, retryAfterSeconds: 3 })
    const response = await request("eth_chainId")
    expect([response.status, response.headers.get("retry-after")]).toEqual([429, "3"])
    rpc.setFaults({ kind: "error", code: -32016, message: "over rate limit" })
    expect(await ask("eth_chainId")).toEqual({
      jsonrpc: "2.0",
      id: 7,
      error: { code: -32016, message: "over rate limit" },
    })
  })

  it("returns what no decoder accepts", async () => {
    rpc.setFaults({ kind: "garbage" })
    await expect(ask("eth_chainId")).rejects.toThrow(/JSON/)
    rpc.setFaults({ kind: "truncated" })
    await expect(receiptOf(paid)).rejects.toThrow()
  })
})

describe("a provider that is wrong", () => {
  it("lags behind", async () => {
    const last = await resultOf("eth_blockNumber")
    rpc.setFaults({ kind: "lagging", blocks: 3 })
    expect(Number(await resultOf("eth_blockNumber"))).toBe(Number(last) - 3)
    expect(Number(await resultOf("eth_getBlockByNumber", ["latest", false], "number"))).toBe(Number(last) - 3)
    expect(Number(await resultOf("eth_getBlockByNumber", ["safe", false], "number"))).toBe(Number(last) - 5)
    expect(await resultOf("eth_getBlockByNumber", [last, false])).toBeNull()
    expect(await receiptOf(paid)).toMatchObject({ status: "0x1" })
    rpc.setFaults({ kind: "lagging", blocks: 7 })
    expect(await receiptOf(paid)).toBeNull()
    expect(await resultOf("eth_getTransactionByHash", [paid])).toBeNull()
  })

  it("is of another chain", async () => {
    rpc.setFaults({ kind: "chain", chainId: 84_532 })
    expect(await client().getChainId()).toBe(84_532)
  })

  it("calls the last block final", async () => {
    const honest = await resultOf("eth_getBlockByNumber", ["finalized", false], "number")
    rpc.setFaults({ kind: "hasty" })
    const number = await resultOf("eth_getBlockByNumber", ["finalized", false], "number")
    expect(number).toBe(await resultOf("eth_blockNumber"))
    expect(number).not.toBe(honest)
  })

  it("goes on telling what a reorganisation has undone", async () => {
    const payer = await chain.newAccount(1_000_000)
    const { transactionHash: hash, blockHash } = await chain.send(payer, transfer(chain.wallet, 1_000_000))
    await chain.mine(1)
    expect(await receiptOf(hash, "blockHash")).toBe(blockHash)
    await chain.reorganise(2)
    expect(await receiptOf(hash)).toBeNull()
    // Only what was asked before is remembered, and the last answer counts.
    const again = await chain.send(payer, transfer(chain.wallet, 900_000))
    const first = await receiptOf(again.transactionHash)
    await chain.reorganise(1)
    rpc.setFaults({ kind: "stale" })
    expect(await receiptOf(again.transactionHash)).toEqual(first)
    rpc.setFaults()
    expect(await receiptOf(again.transactionHash)).toBeNull()
  })

  it.each([
    ["units", lies.units(50_000_000), { data: `0x${(50_000_000).toString(16).padStart(64, "0")}` }],
    ["token", lies.token("0x00000000000000000000000000000000000000Aa"), { address: `0x${"aa".padStart(40, "0")}` }],
    ["block", lies.blockHash(`0x${"ab".repeat(32)}`), { blockHash: `0x${"ab".repeat(32)}` }],
  ] as const)("lies about the %s", async (_, fault, log) => {
    expect(await receiptOf(paid, "logs", 0)).not.toMatchObject(log)
    rpc.setFaults(fault)
    expect(await receiptOf(paid, "logs", 0)).toMatchObject(log)
  })

  it("lies about payer, payee and success, denies, and invents", async () => {
    const address = "0x00000000000000000000000000000000000000Aa"
    const word = `0x${"aa".padStart(64, "0")}`
    rpc.setFaults(lies.payer(address))
    expect(await receiptOf(paid, "logs", 0, "topics", 1)).toBe(word)
    rpc.setFaults(lies.payee(address))
    expect(await receiptOf(paid, "logs", 0, "topics", 2)).toBe(word)
    rpc.setFaults(lies.status(false))
    expect(await receiptOf(paid, "status")).toBe("0x0")
    rpc.setFaults(lies.nothing)
    expect(await receiptOf(paid)).toBeNull()
    rpc.setFaults()
    const receipt = await receiptOf(paid)
    const transaction = await resultOf("eth_getTransactionByHash", [paid])
    expect(within(receipt, ["logs", 0, "address"])).toBe(USDC.toLowerCase())
    const hash: Hex = `0x${"12".repeat(32)}`
    expect(await receiptOf(hash)).toBeNull()
    rpc.setFaults(lies.invented(hash, { receipt, transaction }))
    expect(await receiptOf(hash)).toMatchObject({ transactionHash: hash, status: "0x1" })
    expect(await resultOf("eth_getTransactionByHash", [hash])).toMatchObject({ hash })
  })
})
