import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import type { Address, Hex, LocalAccount } from "viem"
import { keccak256, toBytes } from "viem"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { openChain } from "../../infra/chain/viem-chain.ts"
import type { Transaction, TransactionLookup, WatchedChain } from "../../ledger/chain.port.ts"
import { eventually } from "../support/eventually.ts"
import { anvilProgram } from "../world/chain/anvil.ts"
import { abis } from "../world/chain/artifacts.ts"
import {
  approve,
  authorizedTransfer,
  bundled,
  execute,
  makeWallet,
  multicall,
  permit,
  pretended,
  pretendedBefore,
  split,
  transfer,
  transferFrom,
  USDC,
} from "../world/chain/calls.ts"
import { type LocalChain, SERVICE_WALLET, startChain } from "../world/chain/chain.ts"
import { lies } from "../world/chain/lies.ts"
import { type FaultyRpc, type RpcFault, startFaultyRpc } from "../world/chain/rpc-faults.ts"
import { signText, signTextBeforeDeployment } from "../world/chain/signatures.ts"

// The adapter of the chain against a real node: what scripted providers cannot show.

const problem = anvilProgram()
const MEMO_HASH = keccak256(toBytes(`tw_buy_${"0f".repeat(16)}`))
const SALT: Hex = `0x${"5a".repeat(32)}`
const TEXT = "tidewire.example: I have paid on chain 8453."
const UNITS = 1_000_417

const reason = "problem" in problem ? `skipped: ${problem.problem}` : ""
describe.skipIf(reason !== "")(`the chain over a real node ${reason}`, () => {
  let world: LocalChain
  let scope: Scope.Closeable
  let proxies: ReadonlyArray<FaultyRpc>
  let chain: WatchedChain
  let payer: LocalAccount

  const open = (rpcUrls: ReadonlyArray<string>): Promise<WatchedChain> =>
    Effect.runPromise(openChain({ rpcUrls, wallet: SERVICE_WALLET }).pipe(Effect.provideService(Scope.Scope, scope)))
  const find = (hash: Hex, by = chain): Promise<TransactionLookup> => Effect.runPromise(by.find(hash))
  const mined = async (hash: Hex, by = chain): Promise<Transaction> => {
    const found = await find(hash, by)
    if (found._tag !== "mined") throw new Error(found._tag)
    return found.transaction
  }
  const paidBy = async (from: LocalAccount, call: { readonly to: Address; readonly data: Hex }) =>
    mined((await world.send(from, call)).transactionHash)
  const lower = (address: string) => address.toLowerCase()

  beforeAll(async () => {
    world = await startChain({ slotsInAnEpoch: 4 })
    payer = await world.newAccount(100_000_000)
    proxies = await Promise.all([1, 2, 3].map(() => startFaultyRpc(world.rpcUrl)))
  })
  afterAll(async () => {
    await Promise.all(proxies.map((proxy) => proxy.close()))
    await world.stop()
  })
  beforeEach(async () => {
    scope = Scope.makeUnsafe()
    chain = await open([world.rpcUrl])
  })
  afterEach(async () => {
    await Effect.runPromise(Scope.close(scope, Exit.void))
    for (const proxy of proxies) proxy.setFaults()
  })

  describe("a payment", () => {
    it("by a plain transfer has the memo behind its arguments", async () => {
      const { call, transfers, contract } = await paidBy(payer, transfer(world.wallet, UNITS, { memoHash: MEMO_HASH }))
      const from = lower(payer.address)
      expect(call).toEqual({ from, to: contract, selector: "0xa9059cbb", argument: MEMO_HASH })
      expect(transfers).toMatchObject([{ position: 0, payer: from, units: UNITS, authorization: null }])
    })
    it("by a signed authorization names the signer, not the submitter", async () => {
      const call = await authorizedTransfer(payer, { to: world.wallet, units: UNITS, nonce: MEMO_HASH })
      const paid = await paidBy(world.accounts.relayer, call)
      const authorization = { authorizer: lower(payer.address), nonce: MEMO_HASH }
      expect(paid.transfers).toMatchObject([{ position: 0, payer: authorization.authorizer, authorization }])
      expect(paid.call.from).toBe(lower(world.accounts.relayer.address))
    })
    it("by permit and transferFrom has no authorization", async () => {
      const spender = await world.deploy("Multicall")
      const allow = await permit(payer, { spender, units: UNITS, nonce: 0n })
      const pay = transferFrom(payer.address, world.wallet, UNITS, MEMO_HASH)
      const paid = await paidBy(world.accounts.stranger, multicall(spender, [allow, pay]))
      expect(paid.transfers).toMatchObject([{ payer: lower(payer.address), units: UNITS, authorization: null }])
      expect(paid.call.to).toBe(lower(spender))
    })
    it("split over several transfers is each of them", async () => {
      const splitter = await world.deploy("Splitter")
      await world.send(payer, approve(splitter, 10))
      const parts = [world.wallet, world.accounts.stranger.address, world.wallet].map((to, at) => ({
        to,
        units: at + 1,
      }))
      const paid = await paidBy(payer, split(splitter, parts))
      expect(paid.transfers.map(({ units }) => units)).toEqual([1, 3])
    })
    it("beside 25,000 empty logs of a bundler is the same payment, with the same authorization", async () => {
      const bundler = await world.deploy("Bundler")
      const nonce = keccak256(toBytes("bundled"))
      const call = await authorizedTransfer(payer, { to: world.wallet, units: UNITS, nonce })
      const logs = { before: 12_500, behind: 12_500 }
      const { transactionHash } = await world.send(world.accounts.relayer, bundled(bundler, call, logs), 25_000_000n)
      const authorization = { authorizer: lower(payer.address), nonce }
      const expected = [{ position: 0, payer: lower(payer.address), units: UNITS, authorization }]
      for (const by of [chain, await open(proxies.map(({ url }) => url))]) {
        const paid = await eventually("the receipt is read", () => mined(transactionHash, by))
        expect(paid.transfers).toMatchObject(expected)
      }
    })
    it("is none if a look-alike emits it", async () => {
      const lookAlike = await world.deploy("LookAlike")
      const from = payer.address
      const call = pretended(lookAlike, { from, to: world.wallet, units: UNITS, nonce: MEMO_HASH })
      expect((await paidBy(world.accounts.stranger, call)).transfers).toEqual([])
      await world.send(payer, approve(lookAlike, UNITS))
      const real = transferFrom(from, world.wallet, UNITS)
      const before = await paidBy(world.accounts.stranger, pretendedBefore(lookAlike, from, MEMO_HASH, real))
      expect(before.transfers).toMatchObject([{ position: 0, units: UNITS, authorization: null }])
    })
    it("is failed where it was reverted, and unknown while it waits", async () => {
      const poor = await world.newAccount(0)
      const reverted = await world.submit(poor, transfer(world.wallet, UNITS))
      await world.client.waitForTransactionReceipt({ hash: reverted })
      expect(await find(reverted)).toEqual({ _tag: "failed" })
      await world.mining("manual")
      try {
        const waiting = await world.submit(payer, transfer(world.wallet, UNITS))
        expect(await find(waiting)).toEqual({ _tag: "unknown" })
        await world.mine(1)
        expect(await mined(waiting)).toMatchObject({ confirmations: 1 })
      } finally {
        await world.mining("each")
      }
    })
    it("becomes safe and final as blocks come", async () => {
      const { hash } = await paidBy(payer, transfer(world.wallet, UNITS))
      const seen: Array<readonly [number, string]> = []
      for (const blocks of [0, 4, 4]) {
        await world.mine(blocks)
        const { confirmations, depth } = await mined(hash as Hex)
        seen.push([confirmations, depth])
      }
      expect(seen).toEqual([
        [1, "latest"],
        [5, "safe"],
        [9, "finalized"],
      ])
    })
    it("follows its transaction to another block, and is gone where that is gone", async () => {
      await world.mine(1)
      const kept = await paidBy(payer, transfer(world.wallet, UNITS))
      const lost = await paidBy(await world.newAccount(UNITS), transfer(world.wallet, UNITS))
      await world.mine(1)
      await world.reorganise(5, [{ hash: kept.hash as Hex, position: 2 }])
      const moved = await mined(kept.hash as Hex)
      const holds = ({ hash }: Transaction, { block }: Transaction) => Effect.runPromise(chain.holds(hash, block))
      expect(await holds(kept, moved)).toBe(true)
      expect(await holds(kept, kept)).toBe(false)
      expect(await holds(lost, lost)).toBe(false)
      expect(await holds(lost, moved)).toBe(false)
      expect(moved.block.hash).not.toBe(kept.block.hash)
      expect(moved.transfers.map(({ position, units }) => [position, units])).toEqual([[0, UNITS]])
      expect(await find(lost.hash as Hex)).toEqual({ _tag: "unknown" })
    })
    it("is unknown where a provider still shows the receipt of a block that is gone", async () => {
      const [proxy] = proxies
      if (proxy === undefined) throw new Error("there is no proxy")
      const stale = await open([proxy.url])
      await world.mine(1)
      const { hash } = await paidBy(await world.newAccount(UNITS), transfer(world.wallet, UNITS))
      expect(await find(hash as Hex, stale)).toMatchObject({ _tag: "mined" })
      await world.reorganise(2)
      proxy.setFaults({ kind: "stale", methods: ["eth_getTransactionReceipt", "eth_getTransactionByHash"] })
      expect(await find(hash as Hex, stale)).toEqual({ _tag: "unknown" })
    })
  })

  describe("three providers", () => {
    const faults: Readonly<Record<string, RpcFault>> = {
      "lies about the units": lies.units(10_000_000_000),
      "lies about the payee": lies.payee(`0x${"99".repeat(20)}`),
      "lies about the payer": lies.payer(`0x${"99".repeat(20)}`),
      "lies about the token": lies.token(`0x${"99".repeat(20)}`),
      "lies about the status": lies.status(false),
      "lies about the block": lies.blockHash(`0x${"99".repeat(32)}`),
      "knows nothing": lies.nothing,
      "is behind": { kind: "lagging", blocks: 3 },
      "is hasty": { kind: "hasty" },
      "is on another chain": { kind: "chain", chainId: 84_532 },
      "is down": { kind: "down" },
      "is over its rate": { kind: "status", status: 429, retryAfterSeconds: 30 },
      "cuts its answers": { kind: "truncated" },
      "sends garbage": { kind: "garbage" },
    }
    it.each(Object.keys(faults))("tell the truth though one %s", async (name) => {
      const three = await open(proxies.map(({ url }) => url))
      const { hash } = await paidBy(payer, transfer(world.wallet, UNITS))
      await world.mine(1)
      const truth = await mined(hash as Hex)
      const fault = faults[name]
      if (fault === undefined) throw new Error(name)
      proxies[1]?.setFaults(fault)
      expect(await mined(hash as Hex, three)).toEqual(truth)
    })
    it("do not believe in a transaction that one has invented", async () => {
      const three = await open(proxies.map(({ url }) => url))
      const { transactionHash } = await world.send(payer, transfer(world.wallet, UNITS))
      const ask = (method: string) => world.client.request<never>({ method, params: [transactionHash] } as never)
      const template = {
        receipt: await ask("eth_getTransactionReceipt"),
        transaction: await ask("eth_getTransactionByHash"),
      }
      const invented: Hex = `0x${"77".repeat(32)}`
      proxies[0]?.setFaults(lies.invented(invented, template))
      expect(await find(invented, three)).toEqual({ _tag: "unknown" })
    })
    it("say nothing when two of them fail", async () => {
      const three = await open(proxies.map(({ url }) => url))
      const { hash } = await paidBy(payer, transfer(world.wallet, UNITS))
      proxies[0]?.setFaults(lies.units(1))
      proxies[1]?.setFaults({ kind: "down" })
      expect(await Effect.runPromise(Effect.flip(three.find(hash)))).toMatchObject({ _tag: "ChainUnavailable" })
    })
    it("know what the wallet holds", async () => {
      const three = await open(proxies.map(({ url }) => url))
      proxies[2]?.setFaults({ kind: "lie", methods: ["eth_call"], change: () => `0x${"00".repeat(32)}` })
      expect(await Effect.runPromise(three.walletUnits)).toBe(await world.balanceOf(world.wallet))
      expect(await world.balanceOf(world.wallet)).toBeGreaterThan(0n)
      expect(three.facts.contract).toBe(USDC)
    })
  })

  describe("the signer of a text", () => {
    const signer = (signature: string, ...candidates: ReadonlyArray<string>) =>
      Effect.runPromise(chain.signerOf({ text: TEXT, signature, candidates: candidates.map(lower) }))
    const walletOf = async (owner: LocalAccount) => world.deploy("Wallet", [owner.address])

    it("is of its key alone", async () => {
      const signature = await signText(payer, TEXT)
      expect(await signer(signature, world.wallet, payer.address)).toBe(lower(payer.address))
      expect(await signer(signature, world.wallet, world.accounts.stranger.address)).toBeNull()
    })
    it("is a contract wallet whose owner has signed", async () => {
      const wallet = await walletOf(payer)
      expect(await signer(await signText(payer, TEXT), wallet)).toBe(lower(wallet))
      expect(await signer(await signText(world.accounts.stranger, TEXT), wallet)).toBeNull()
      expect(await signer(await signText(payer, `${TEXT} `), wallet)).toBeNull()
    })
    it("is no contract that accepts everything, wrapped or not", async () => {
      const yesWallet = await world.deploy("YesWallet")
      await world.mint(yesWallet, UNITS)
      const { transfers } = await paidBy(payer, execute(yesWallet, transfer(world.wallet, UNITS)))
      expect(transfers).toMatchObject([{ payer: lower(yesWallet) }])
      expect(await signer(await signText(payer, TEXT), yesWallet)).toBeNull()
      const factory = await world.deploy("WalletFactory")
      expect(await signer(await signTextBeforeDeployment(payer, TEXT, { factory, salt: SALT }), yesWallet)).toBeNull()
    })
    it("is no contract that cannot be asked", async () => {
      const multicallContract = await world.deploy("Multicall")
      expect(await signer(await signText(payer, TEXT), multicallContract, USDC)).toBeNull()
    })
    it("is a contract wallet before it is deployed, and after", async () => {
      const factory = await world.deploy("WalletFactory")
      const wallet = await world.client.readContract({
        address: factory,
        abi: abis.WalletFactory,
        functionName: "addressOf",
        args: [payer.address, SALT],
      })
      const wrapped = await signTextBeforeDeployment(payer, TEXT, { factory, salt: SALT })
      const strangers = await signTextBeforeDeployment(world.accounts.stranger, TEXT, { factory, salt: SALT })
      expect(await signer(wrapped, wallet)).toBe(lower(wallet))
      expect(await signer(await signText(payer, TEXT), wallet)).toBeNull()
      expect(await signer(strangers, wallet)).toBeNull()
      expect(await signer(wrapped, world.accounts.stranger.address)).toBeNull()
      await world.send(payer, makeWallet(factory, payer.address, SALT))
      expect(await signer(wrapped, wallet)).toBe(lower(wallet))
      expect(await signer(await signText(payer, TEXT), wallet)).toBe(lower(wallet))
      expect(await signer(strangers, wallet)).toBeNull()
    })
  })
})
