import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { decodeFunctionData, type Hex, hashMessage, parseAbi } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { describe, expect, it, onTestFinished } from "vitest"
import { type Script, startScriptedNode } from "../../infra/chain/testing/scripted-node.ts"
import { openChain } from "../../infra/chain/viem-chain.ts"

// What others have put on the chain beside a payment.

const TEXT = "I claim the credits."
const WALLET = `0x${"22".repeat(20)}`
const VICTIM = `0x${"c0".repeat(20)}`
const MAGIC = `0x1626ba7e${"00".repeat(28)}`
const REFUSAL = `0xffffffff${"00".repeat(28)}`
const abi = parseAbi(["function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)"])
const owner = privateKeyToAccount(`0x${"01".repeat(32)}`)

const chainOver = async (...scripts: ReadonlyArray<Script>) => {
  const nodes = await Promise.all(scripts.map((script) => startScriptedNode(script)))
  const scope = Scope.makeUnsafe()
  onTestFinished(async () => {
    await Effect.runPromise(Scope.close(scope, Exit.void))
    await Promise.all(nodes.map((node) => node.close()))
  })
  return Effect.runPromise(
    openChain({ rpcUrls: nodes.map(({ url }) => url), wallet: WALLET, callTimeoutMs: 10_000 }).pipe(
      Scope.provide(scope),
    ),
  )
}

describe("a contract wallet", () => {
  it.each(["hangs", "says something else to everybody"] as const)(
    "has signed though a payer beside it is a contract that %s",
    async (trouble) => {
      const signature = await owner.signMessage({ message: TEXT })
      const node =
        (index: number): Script =>
        (method, [call]) => {
          if (method === "eth_chainId") return { result: "0x2105" }
          if (method === "eth_getCode") return { result: "0x6001" }
          const { to, data } = call as { to: string; data: Hex }
          const { args } = decodeFunctionData({ abi, data })
          if (to === VICTIM) return { result: args[0] === hashMessage(TEXT) && args[1] === signature ? MAGIC : REFUSAL }
          if (trouble === "hangs") return "hangs"
          return args[1] === signature && args[0] === hashMessage(TEXT) && index === 0
            ? { result: MAGIC }
            : { result: REFUSAL }
        }
      const chain = await chainOver(node(0), node(1))
      const troubling = Array.from({ length: 7 }, (_, n) => `0x${String(n).padStart(40, "0")}`)
      const ask = (candidates: ReadonlyArray<string>) =>
        Effect.runPromise(Effect.result(chain.signerOf({ text: TEXT, signature, candidates })))
      expect(await ask([...troubling, VICTIM])).toMatchObject({ success: VICTIM })
      // Alone, they prove nothing, and deny nothing.
      expect(await ask(troubling)).toMatchObject({ failure: { _tag: "ChainUnavailable" } })
    },
  )
})

describe("a contract that repeats what a wallet says", () => {
  it("is not taken for the signer, nor is the wallet, until the wallet alone is asked about", async () => {
    const signature = await owner.signMessage({ message: TEXT })
    const chain = await chainOver((method, [call]) => {
      if (method === "eth_chainId") return { result: "0x2105" }
      if (method === "eth_getCode") return { result: "0x6001" }
      const { args } = decodeFunctionData({ abi, data: (call as { readonly data: Hex }).data })
      return { result: args[0] === hashMessage(TEXT) && args[1] === signature ? MAGIC : REFUSAL }
    })
    const repeating = `0x${"0a".repeat(20)}`
    const ask = (...candidates: ReadonlyArray<string>) =>
      Effect.runPromise(chain.signerOf({ text: TEXT, signature, candidates }))
    expect(await ask(repeating, VICTIM)).toBe(null)
    expect(await ask(VICTIM)).toBe(VICTIM)
  })
})

describe("a block", () => {
  const HASH = `0x${"ab".repeat(32)}`
  const BLOCK = `0x${"bc".repeat(32)}`
  const OTHER = `0x${"de".repeat(32)}`
  const node =
    (block: { readonly hash: string; readonly transactions: ReadonlyArray<string> } | null): Script =>
    (method, [number]) => {
      if (method === "eth_chainId") return { result: "0x2105" }
      return method === "eth_getBlockByNumber" && number === "0x64" ? { result: block } : undefined
    }
  const whole = node({ hash: BLOCK, transactions: [OTHER, HASH] })
  const holds = async (...scripts: ReadonlyArray<Script>) => {
    const chain = await chainOver(...scripts)
    return Effect.runPromise(
      Effect.match(chain.holds(HASH, { hash: BLOCK, number: 100 }), {
        onSuccess: (held) => held,
        onFailure: ({ _tag }) => _tag,
      }),
    )
  }
  it("holds what it held, whatever one of three says", async () => {
    expect(await holds(whole)).toBe(true)
    expect(await holds(whole, node({ hash: OTHER, transactions: [] }), whole)).toBe(true)
    expect(await holds(whole, node(null), whole)).toBe(true)
  })
  it("does not hold what another block there holds, nor what it never held", async () => {
    expect(await holds(node({ hash: OTHER, transactions: [HASH] }))).toBe(false)
    expect(await holds(node({ hash: BLOCK, transactions: [OTHER] }))).toBe(false)
  })
  it("that no provider has proves nothing", async () => {
    expect(await holds(node(null))).toBe("ChainUnavailable")
    expect(await holds(whole, node({ hash: OTHER, transactions: [] }))).toBe("ChainUnavailable")
  })

  it("whose time is out of range is not accepted", async () => {
    const receipt = { transactionHash: HASH, blockHash: BLOCK, blockNumber: "0x64", status: "0x1", logs: [] }
    const sent = { hash: HASH, blockHash: BLOCK, from: WALLET, to: WALLET, input: "0x" }
    const chain = await chainOver((method) => {
      if (method === "eth_chainId") return { result: "0x2105" }
      if (method === "eth_blockNumber") return { result: "0x70" }
      if (method === "eth_getTransactionReceipt") return { result: receipt }
      if (method === "eth_getTransactionByHash") return { result: sent }
      return { result: { hash: BLOCK, number: "0x64", timestamp: "0xfffffffffffff" } }
    })
    expect(await Effect.runPromise(Effect.flip(chain.find(HASH)))).toMatchObject({ _tag: "ChainUnavailable" })
  })
})
