import { domainSeparator, type Hex, keccak256, parseEventLogs, type TransactionReceipt, toBytes } from "viem"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { abis } from "../world/chain/artifacts.ts"
import {
  approve,
  authorizedReceipt,
  authorizedTransfer,
  type ContractCall,
  cancelAuthorization,
  execute,
  forwarded,
  multicall,
  permit,
  pretended,
  pretendedBefore,
  split,
  transfer,
  transferFrom,
  USDC,
  usdcDomain,
} from "../world/chain/calls.ts"
import { BUYER_UNITS, type LocalChain, startChain } from "../world/chain/chain.ts"

// The token stands for USDC in every test of payments, so it must behave like USDC.

let chain: LocalChain
beforeAll(async () => {
  chain = await startChain()
})
afterAll(() => chain?.stop())

const nonceOf = (name: string): Hex => keccak256(toBytes(name))

/** The events of a receipt, in order, with the addresses of their contracts. */
const eventsOf = ({ logs }: TransactionReceipt) =>
  parseEventLogs({ abi: abis.UsdToken, logs }).map(({ address, eventName, args }) => ({ address, eventName, args }))

const reverts = async (call: ContractCall, from = chain.accounts.relayer) => {
  await expect(chain.send(from, call)).rejects.toThrow(/reverted/)
}

const read = (functionName: "name" | "version" | "symbol" | "decimals" | "owner" | "DOMAIN_SEPARATOR") =>
  chain.client.readContract({ address: USDC, abi: abis.UsdToken, functionName })

describe("the token", () => {
  it("stands where USDC is on Base and says so", async () => {
    expect(await chain.client.getChainId()).toBe(8453)
    expect(await read("name")).toBe("USD Coin")
    expect(await read("symbol")).toBe("USDC")
    expect(await read("version")).toBe("2")
    expect(await read("decimals")).toBe(6)
    expect(await read("owner")).toBe(chain.accounts.owner.address)
    expect(await chain.balanceOf(chain.accounts.buyer.address)).toBe(BigInt(BUYER_UNITS))
  })

  it("binds signatures to its chain and address", async () => {
    expect(await read("DOMAIN_SEPARATOR")).toBe(domainSeparator({ domain: usdcDomain }))
  })

  it("is minted by its owner alone, and has one owner", async () => {
    const mint = { address: USDC, abi: abis.UsdToken, functionName: "mint", args: [USDC, 1n] } as const
    await expect(chain.client.simulateContract({ account: chain.accounts.stranger.address, ...mint })).rejects.toThrow(
      /not the owner/,
    )
    const initialize = { address: USDC, abi: abis.UsdToken, functionName: "initialize", args: [USDC] } as const
    await expect(
      chain.client.simulateContract({ account: chain.accounts.stranger.address, ...initialize }),
    ).rejects.toThrow(/initialised before/)
  })

  it("transfers, with one event, and nothing that is not there", async () => {
    const payer = await chain.newAccount(1_000_417)
    const receipt = await chain.send(payer, transfer(chain.wallet, 1_000_417))
    expect(eventsOf(receipt)).toEqual([
      {
        address: USDC.toLowerCase(),
        eventName: "Transfer",
        args: { from: payer.address, to: chain.wallet, value: 1_000_417n },
      },
    ])
    expect(await chain.balanceOf(payer.address)).toBe(0n)
    await reverts(transfer(chain.wallet, 1), payer)
  })

  it("does not mind a hash behind the arguments", async () => {
    const payer = await chain.newAccount(1_000_000)
    const memoHash = nonceOf("behind")
    const receipt = await chain.send(payer, transfer(chain.wallet, 1_000_000, { memoHash }))
    const { input } = await chain.client.getTransaction({ hash: receipt.transactionHash })
    expect(`0x${input.slice(2 + 2 * 68)}`).toBe(memoHash)
    expect(eventsOf(receipt)).toHaveLength(1)
  })

  it("takes from who allowed it, as far as he did", async () => {
    const payer = await chain.newAccount(5_000_000)
    const { relayer } = chain.accounts
    await reverts(transferFrom(payer.address, chain.wallet, 1), relayer)
    await chain.send(payer, approve(relayer.address, 2_000_000))
    await chain.send(relayer, transferFrom(payer.address, chain.wallet, 1_500_000, nonceOf("somebody else's")))
    await reverts(transferFrom(payer.address, chain.wallet, 500_001), relayer)
    expect(await chain.balanceOf(payer.address)).toBe(3_500_000n)
  })
})

describe("permit", () => {
  it("allows by signature, once, in time, for its signer", async () => {
    const payer = await chain.newAccount(3_000_000)
    const spender = chain.accounts.relayer.address
    const signed = await permit(payer, { spender, units: 2_000_000, nonce: 0n })
    const receipt = await chain.send(chain.accounts.relayer, signed)
    expect(eventsOf(receipt)).toMatchObject([
      { eventName: "Approval", args: { owner: payer.address, spender, value: 2_000_000n } },
    ])
    await chain.send(chain.accounts.relayer, transferFrom(payer.address, chain.wallet, 2_000_000))
    await reverts(signed)
    await reverts(await permit(payer, { spender, units: 1, nonce: 1n, deadlineSeconds: 1 }))
    await reverts(await permit(payer, { spender, units: 1, nonce: 7n }))
  })
})

describe("transfer by authorization", () => {
  it("emits the authorization directly before the transfer, whatever account submits it", async () => {
    const payer = await chain.newAccount(1_000_000)
    const nonce = nonceOf("directly before")
    const call = await authorizedTransfer(payer, { to: chain.wallet, units: 1_000_000, nonce })
    const receipt = await chain.send(chain.accounts.stranger, call)
    const address = USDC.toLowerCase()
    expect(eventsOf(receipt)).toEqual([
      { address, eventName: "AuthorizationUsed", args: { authorizer: payer.address, nonce } },
      { address, eventName: "Transfer", args: { from: payer.address, to: chain.wallet, value: 1_000_000n } },
    ])
    expect(receipt.from).toBe(chain.accounts.stranger.address.toLowerCase())
  })

  it("is refused a second time, out of its time, for another amount, and when it was taken back", async () => {
    const payer = await chain.newAccount(9_000_000)
    const wanted = { to: chain.wallet, units: 1_000_000 }
    const once = await authorizedTransfer(payer, { ...wanted, nonce: nonceOf("once") })
    await chain.send(chain.accounts.relayer, once)
    await reverts(once)
    await reverts(await authorizedTransfer(payer, { ...wanted, nonce: nonceOf("late"), validBefore: 1 }))
    await reverts(await authorizedTransfer(payer, { ...wanted, nonce: nonceOf("early"), validAfter: 4_102_444_799 }))
    const other = await authorizedTransfer(payer, { ...wanted, nonce: nonceOf("changed") })
    const million = (1_000_000).toString(16).padStart(64, "0")
    await reverts({ ...other, data: other.data.replace(million, (2_000_000).toString(16).padStart(64, "0")) as Hex })
    const cancelled = await authorizedTransfer(payer, { ...wanted, nonce: nonceOf("cancelled") })
    const receipt = await chain.send(chain.accounts.relayer, await cancelAuthorization(payer, nonceOf("cancelled")))
    expect(eventsOf(receipt)).toMatchObject([
      { eventName: "AuthorizationCanceled", args: { authorizer: payer.address } },
    ])
    await reverts(cancelled)
    expect(await chain.balanceOf(payer.address)).toBe(8_000_000n)
  })

  it("is received by its payee alone, and a relaying contract hands it on as its own", async () => {
    const payer = await chain.newAccount(2_000_000)
    const relayer = await chain.deploy("Relayer")
    const units = 1_000_000
    const receipt = await authorizedReceipt(payer, { to: chain.accounts.relayer.address, units, nonce: nonceOf("r") })
    await reverts(receipt, chain.accounts.stranger)
    await chain.send(chain.accounts.relayer, receipt)
    const nonce = nonceOf("forwarded")
    const through = await chain.send(
      chain.accounts.stranger,
      await forwarded(relayer, payer, { to: chain.wallet, units, nonce }),
    )
    expect(eventsOf(through)).toMatchObject([
      { eventName: "AuthorizationUsed", args: { authorizer: payer.address, nonce } },
      { eventName: "Transfer", args: { from: payer.address, to: relayer } },
      { eventName: "Transfer", args: { from: relayer, to: chain.wallet } },
    ])
  })
})

describe("payments through contracts", () => {
  it("come from a contract wallet, at its owner's word only", async () => {
    const owner = await chain.newAccount(0)
    const wallet = await chain.deploy("Wallet", [owner.address])
    await chain.mint(wallet, 3_000_000)
    const call = execute(wallet, transfer(chain.wallet, 2_000_417))
    await reverts(call, chain.accounts.stranger)
    const receipt = await chain.send(owner, call)
    expect(eventsOf(receipt)).toMatchObject([{ eventName: "Transfer", args: { from: wallet, value: 2_000_417n } }])
    expect(receipt.to).toBe(wallet.toLowerCase())
    const yes = await chain.deploy("YesWallet")
    await chain.mint(yes, 1_000_000)
    await chain.send(chain.accounts.stranger, execute(yes, transfer(chain.wallet, 1_000_000)))
  })

  it("come several in one transaction: split, and bundled with permit and authorizations of several payers", async () => {
    const [one, two] = await Promise.all([chain.newAccount(9_000_000), chain.newAccount(9_000_000)])
    const splitter = await chain.deploy("Splitter")
    await chain.send(one, approve(splitter, 9_000_000))
    const parts = [1_000_001, 500_000, 250_000]
    const splitted = await chain.send(
      one,
      split(
        splitter,
        parts.map((units) => ({ to: chain.wallet, units })),
      ),
    )
    expect(
      eventsOf(splitted)
        .filter(({ eventName }) => eventName === "Transfer")
        .map(({ args }) => args),
    ).toEqual(parts.map((units) => ({ from: one.address, to: chain.wallet, value: BigInt(units) })))
    const bundler = await chain.deploy("Multicall")
    const bundle = await chain.send(
      chain.accounts.relayer,
      multicall(bundler, [
        await authorizedTransfer(one, { to: chain.wallet, units: 1_000_000, nonce: nonceOf("one") }),
        await authorizedTransfer(two, { to: chain.wallet, units: 2_000_000, nonce: nonceOf("two") }),
        await permit(two, { spender: bundler, units: 3_000_000, nonce: 0n }),
        transferFrom(two.address, chain.wallet, 3_000_000),
      ]),
    )
    expect(eventsOf(bundle).map(({ eventName }) => eventName)).toEqual([
      ...["AuthorizationUsed", "Transfer", "AuthorizationUsed", "Transfer", "Approval", "Transfer"],
    ])
  })

  it("are faked by a look-alike, with the same events of another address", async () => {
    const payer = await chain.newAccount(1_000_000)
    const lookAlike = await chain.deploy("LookAlike")
    const { stranger, buyer } = chain.accounts
    const invented = { from: buyer.address, to: chain.wallet, units: 50_000_000, nonce: nonceOf("invented") }
    const before = await chain.balanceOf(chain.wallet)
    const receipt = await chain.send(stranger, pretended(lookAlike, invented))
    expect(eventsOf(receipt).map(({ address, eventName }) => ({ address, eventName }))).toEqual([
      { address: lookAlike.toLowerCase(), eventName: "AuthorizationUsed" },
      { address: lookAlike.toLowerCase(), eventName: "Transfer" },
    ])
    const plain = await chain.send(stranger, transfer(chain.wallet, 50_000_000, { token: lookAlike }))
    expect(eventsOf(plain)).toMatchObject([{ address: lookAlike.toLowerCase(), eventName: "Transfer" }])
    expect(await chain.balanceOf(chain.wallet)).toBe(before)
    await chain.send(payer, approve(lookAlike, 1_000_000))
    const mixed = await chain.send(
      stranger,
      pretendedBefore(lookAlike, payer.address, nonceOf("mixed"), transferFrom(payer.address, chain.wallet, 1_000_000)),
    )
    expect(eventsOf(mixed).map(({ address }) => address)).toEqual([lookAlike.toLowerCase(), USDC.toLowerCase()])
  })
})
