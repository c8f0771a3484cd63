import { type ChildProcess, spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { type Hex, keccak256, toBytes } from "viem"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { eventually } from "../support/eventually.ts"
import { anvilProgram } from "../world/chain/anvil.ts"
import { abis } from "../world/chain/artifacts.ts"
import { execute, makeWallet, transfer } from "../world/chain/calls.ts"
import { type LocalChain, startChain } from "../world/chain/chain.ts"
import { signText, signTextBeforeDeployment } from "../world/chain/signatures.ts"

const started: Array<LocalChain> = []
const start = async (options?: Parameters<typeof startChain>[0]): Promise<LocalChain> => {
  const chain = await startChain(options)
  started.push(chain)
  return chain
}
afterAll(() => Promise.all(started.map((chain) => chain.stop())))

const blockNumber = async (chain: LocalChain) => Number(await chain.client.getBlockNumber({ cacheTime: 0 }))
const tagged = async (chain: LocalChain, blockTag: "safe" | "finalized") =>
  Number((await chain.client.getBlock({ blockTag })).number)

describe("mining", () => {
  it("mines each transaction, or on request, or on a schedule", async () => {
    const chain = await start()
    const payer = await chain.newAccount(1_000_000)
    const before = await blockNumber(chain)
    await chain.send(payer, transfer(chain.wallet, 1))
    expect(await blockNumber(chain)).toBe(before + 1)

    await chain.mining("manual")
    const waiting = await Promise.all([1, 2].map((units) => chain.submit(payer, transfer(chain.wallet, units))))
    expect(await blockNumber(chain)).toBe(before + 1)
    await expect(chain.client.getTransactionReceipt({ hash: waiting[0] as Hex })).rejects.toThrow(/could not be found/)
    await chain.mine(3)
    expect(await blockNumber(chain)).toBe(before + 4)
    for (const hash of waiting)
      expect((await chain.client.getTransactionReceipt({ hash })).blockNumber).toBe(BigInt(before + 2))

    await chain.mining({ everySeconds: 1 })
    await eventually("two blocks by themselves", async () => (await blockNumber(chain)) >= before + 6)
  })

  it("tags blocks safe and finalized as far behind as configured", async () => {
    const chain = await start({ slotsInAnEpoch: 3 })
    await chain.mine(10)
    const last = await blockNumber(chain)
    expect(await tagged(chain, "safe")).toBe(last - 3)
    expect(await tagged(chain, "finalized")).toBe(last - 6)
  })

  it("has the time that it is set to", async () => {
    const chain = await start()
    const atMs = Math.floor(Date.now() / 1000) * 1000 + 8 * 86_400_000
    await chain.nextBlockAt(atMs)
    await chain.mine(1)
    expect(Number((await chain.client.getBlock()).timestamp) * 1000).toBe(atMs)
  })
})

describe("a reorganisation", () => {
  let chain: LocalChain
  beforeAll(async () => {
    chain = await start()
  })

  it("changes the hashes of its blocks and of no other", async () => {
    await chain.mine(6)
    const last = await blockNumber(chain)
    const hashAt = async (number: number) => (await chain.client.getBlock({ blockNumber: BigInt(number) })).hash
    const before = await Promise.all([hashAt(last - 3), hashAt(last - 2), hashAt(last)])
    await chain.reorganise(3)
    const after = await Promise.all([hashAt(last - 3), hashAt(last - 2), hashAt(last)])
    expect(await blockNumber(chain)).toBe(last)
    expect(after[0]).toBe(before[0])
    expect(after[1]).not.toBe(before[1])
    expect(after[2]).not.toBe(before[2])
  })

  it.each([
    ["in the block of the same number", 0],
    ["in a later block", 1],
  ])("mines a transaction again %s, under another block hash", async (_, position) => {
    const payer = await chain.newAccount(1_000_000)
    const first = await chain.send(payer, transfer(chain.wallet, 1_000_000))
    await chain.mine(2)
    await chain.reorganise(3, [{ hash: first.transactionHash, position }])
    const again = await chain.client.getTransactionReceipt({ hash: first.transactionHash })
    expect(again.status).toBe("success")
    expect(again.blockNumber).toBe(first.blockNumber + BigInt(position))
    expect(again.blockHash).not.toBe(first.blockHash)
    expect(await chain.balanceOf(payer.address)).toBe(0n)
  })

  it("loses a transaction, and its money is where it was", async () => {
    const payer = await chain.newAccount(1_000_000)
    await chain.mine(1)
    const { transactionHash: hash } = await chain.send(payer, transfer(chain.wallet, 1_000_000))
    await chain.mine(2)
    await chain.reorganise(3)
    await expect(chain.client.getTransactionReceipt({ hash })).rejects.toThrow(/could not be found/)
    expect(await chain.balanceOf(payer.address)).toBe(1_000_000n)
    await chain.send(payer, transfer(chain.wallet, 500_000))
  })
})

describe("signatures of texts", () => {
  const text = "example says: one sentence"
  let chain: LocalChain
  beforeAll(async () => {
    chain = await start()
  })

  it("are a plain account's, and of no other", async () => {
    const { buyer, stranger } = chain.accounts
    const signature = await signText(buyer, text)
    const { client } = chain
    expect(await client.verifyMessage({ address: buyer.address, message: text, signature })).toBe(true)
    expect(await client.verifyMessage({ address: stranger.address, message: text, signature })).toBe(false)
  })

  it("are a contract wallet's when its owner signs (EIP-1271), and a yes-man's whatever they are", async () => {
    const { buyer, stranger } = chain.accounts
    const { client } = chain
    const [address, yes] = [await chain.deploy("Wallet", [buyer.address]), await chain.deploy("YesWallet")]
    const [signature, other] = [await signText(buyer, text), await signText(stranger, text)]
    expect(await client.verifyMessage({ address, message: text, signature })).toBe(true)
    expect(await client.verifyMessage({ address, message: text, signature: other })).toBe(false)
    expect(await client.verifyMessage({ address: yes, message: text, signature: other })).toBe(true)
  })

  it("are those of a wallet that is not there yet (EIP-6492), and that pays once it is", async () => {
    const { buyer, stranger } = chain.accounts
    const { client } = chain
    const factory = await chain.deploy("WalletFactory")
    const salt = keccak256(toBytes("salt"))
    const address = await client.readContract({
      address: factory,
      abi: abis.WalletFactory,
      functionName: "addressOf",
      args: [buyer.address, salt],
    })
    expect(await client.getCode({ address })).toBeUndefined()
    const signature = await signTextBeforeDeployment(buyer, text, { factory, salt })
    expect(await client.verifyMessage({ address, message: text, signature })).toBe(true)
    const other = await signTextBeforeDeployment(stranger, text, { factory, salt })
    expect(await client.verifyMessage({ address, message: text, signature: other })).toBe(false)

    await chain.mint(address, 1_000_000)
    await chain.send(stranger, makeWallet(factory, buyer.address, salt))
    await chain.send(buyer, execute(address, transfer(chain.wallet, 1_000_000)))
    expect(await chain.balanceOf(address)).toBe(0n)
  })
})

describe("the node", () => {
  const answers = (url: string): Promise<boolean> =>
    fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_chainId", params: [] }),
      signal: AbortSignal.timeout(30_000),
    }).then(
      ({ ok }) => ok,
      () => false,
    )

  it("goes on from a dump with the same blocks and receipts", async () => {
    const chain = await startChain()
    const payer = await chain.newAccount(1_000_417)
    const receipt = await chain.send(payer, transfer(chain.wallet, 1_000_417))
    await chain.mine(4)
    const [state, last] = [await chain.dump(), await blockNumber(chain)]
    await chain.stop()
    const next = await start({ state })
    expect(await blockNumber(next)).toBe(last)
    const again = await next.client.getTransactionReceipt({ hash: receipt.transactionHash })
    expect(again.blockHash).toBe(receipt.blockHash)
    expect(again.logs).toHaveLength(1)
    const block = await next.client.getBlock({ blockNumber: receipt.blockNumber })
    expect(block.hash).toBe(receipt.blockHash)
    expect((await next.send(next.accounts.buyer, transfer(next.wallet, 1))).blockNumber).toBe(BigInt(last + 1))
  })

  it("ends on request, and takes no port in use", async () => {
    const chain = await startChain()
    const port = Number(new URL(chain.rpcUrl).port)
    await expect(startChain({ port })).rejects.toThrow(/has ended: .*in use/)
    expect(await answers(chain.rpcUrl)).toBe(true)
    await chain.stop()
    expect(await answers(chain.rpcUrl)).toBe(false)
  })

  it("ends with a parent that is killed", async () => {
    const script = `import { startChain } from ${JSON.stringify(new URL("../world/chain/chain.ts", import.meta.url).href)}
      process.stdout.write((await startChain()).rpcUrl + "\\n")`
    const parent: ChildProcess = spawn(process.execPath, ["--input-type=module", "-e", script], {
      cwd: fileURLToPath(new URL("../..", import.meta.url)),
      stdio: ["ignore", "pipe", "inherit"],
    })
    const url = await new Promise<string>((resolve) =>
      parent.stdout?.once("data", (chunk: Buffer) => resolve(chunk.toString().trim())),
    )
    expect(await answers(url)).toBe(true)
    parent.kill("SIGKILL")
    await eventually("the node has ended", async () => !(await answers(url)))
  })

  it("is there for the platforms that it is built for, and says where not", () => {
    expect(anvilProgram()).toHaveProperty("program")
    expect(anvilProgram("sunos", "sparc")).toEqual({ problem: "there is no local chain for sunos on sparc" })
  })
})
