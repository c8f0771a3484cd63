import fc from "fast-check"
import { concat, decodeFunctionData, encodeFunctionData, erc20Abi, getAddress, type Hex, toHex } from "viem"
import { base } from "viem/chains"
import { describe, expect, it } from "vitest"
import { buyingTerms } from "../../api/pages/agent-payments.ts"
import {
  balanceCalldata,
  chainIdFrom,
  chainIdText,
  transferCalldata,
  transferUri,
  unitsFrom,
} from "../../api/pages/assets/buying/calldata.js"
import { BASE_CHAIN } from "../../schemas/contract/payment.ts"
import { CONTRACT, WALLET } from "./desk.ts"

const hex = (bytes: number): fc.Arbitrary<Hex> =>
  fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((random) => toHex(random))
const address = hex(20).map((random) => getAddress(random))
const units = fc.bigInt(1n, 2n ** 256n - 1n)

describe("the calldata of a payment", () => {
  it("is that of an independent encoder, with the hash of the memo behind it", () => {
    fc.assert(
      fc.property(address, units, hex(32), (wallet, amount, memoHash) => {
        const encoded = encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [wallet, amount] })
        const made = transferCalldata({ wallet, units: amount, memoHash })
        expect(made).toBe(concat([encoded, memoHash]))
        const decoded = decodeFunctionData({ abi: erc20Abi, data: encoded })
        expect(decoded.args).toEqual([wallet, amount])
      }),
    )
  })

  it("reads a balance as an independent encoder does", () => {
    fc.assert(
      fc.property(address, units, (account, amount) => {
        expect(balanceCalldata(account)).toBe(
          encodeFunctionData({ abi: erc20Abi, functionName: "balanceOf", args: [account] }),
        )
        expect(unitsFrom(toHex(amount, { size: 32 }))).toBe(amount)
      }),
    )
    for (const junk of ["0x", "0x1", null, 7, "1".repeat(66), {}]) expect(unitsFrom(junk)).toBeNull()
  })

  it("is never made of what is no address, no amount or no hash", () => {
    const quote = { wallet: `0x${"a".repeat(40)}`, units: 1n, memoHash: `0x${"b".repeat(64)}` }
    const wrong = [
      { ...quote, wallet: `0x${"a".repeat(39)}` },
      { ...quote, wallet: `0x${"a".repeat(40)}\n` },
      { ...quote, units: 0n },
      { ...quote, units: -1n },
      { ...quote, units: 2n ** 256n },
      { ...quote, memoHash: "" },
      { ...quote, memoHash: `0x${"b".repeat(66)}` },
    ]
    for (const one of wrong) expect(() => transferCalldata(one)).toThrow(RangeError)
  })
})

describe("the address of a payment for phones", () => {
  it("names contract, chain, wallet and amount, and nothing else, as EIP-681 writes them", () => {
    fc.assert(
      fc.property(
        address,
        address,
        fc.integer({ min: 1, max: 2 ** 31 }),
        units,
        (contract, wallet, chainId, amount) => {
          const uri = new URL(transferUri({ contract, wallet, chainId, units: amount }))
          expect([uri.protocol, uri.pathname]).toEqual(["ethereum:", `${contract}@${chainId}/transfer`])
          expect([...uri.searchParams]).toEqual([
            ["address", wallet],
            ["uint256", String(amount)],
          ])
        },
      ),
    )
    expect(() => transferUri({ contract: "javascript:", wallet: "", chainId: 1, units: 1n })).toThrow(RangeError)
  })
})

describe("the id of a chain", () => {
  it("is read as wallets write it, and what is none is null", () => {
    fc.assert(
      fc.property(fc.nat(), (chainId) => {
        expect(chainIdFrom(chainIdText(chainId))).toBe(chainId)
      }),
    )
    expect([chainIdFrom("0x2105"), chainIdFrom("8453"), chainIdFrom(8453)]).toEqual([8453, 8453, 8453])
    for (const junk of [null, undefined, "", "0x", "0x2105 ", "8453n", Number.NaN, [8453], {}, "9".repeat(30)])
      expect(chainIdFrom(junk)).toBeNull()
  })
})

describe("the chain that a wallet may add", () => {
  it("is as an independent list of chains describes it", () => {
    const { chainName, nativeCurrency, rpcUrls, blockExplorerUrls } = BASE_CHAIN.addable
    expect(BASE_CHAIN.id).toBe(base.id)
    expect(chainName).toBe(base.name)
    expect(nativeCurrency).toEqual(base.nativeCurrency)
    expect(rpcUrls).toEqual(base.rpcUrls.default.http)
    expect(blockExplorerUrls).toEqual([base.blockExplorers.default.url])
  })

  it("is offered where payments go to it, and no other", () => {
    const facts = { name: "Base", contract: CONTRACT, wallet: WALLET, trust: null }
    expect(buyingTerms({ ...facts, chainId: 8453 }).sale?.addable).toMatchObject({ chainId: "0x2105" })
    expect(buyingTerms({ ...facts, chainId: 84_532 }).sale?.addable).toBeNull()
  })
})
