import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import {
  concat,
  decodeFunctionData,
  type Hex,
  hashMessage,
  parseAbi,
  parseSignature,
  serializeErc6492Signature,
} from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { type ScriptedNode, type ScriptedReply, startScriptedNode } from "./testing/scripted-node.ts"
import { openChain } from "./viem-chain.ts"

const TEXT = "tidewire.example: I have paid on chain 8453."
const payer = privateKeyToAccount(`0x${"01".repeat(32)}`)
const stranger = privateKeyToAccount(`0x${"02".repeat(32)}`)
const PAYER = payer.address.toLowerCase()
const CONTRACT = `0x${"c0".repeat(20)}`
const MAGIC = `0x1626ba7e${"00".repeat(28)}`
const REFUSAL = `0xffffffff${"00".repeat(28)}`
const CURVE_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
const abi = parseAbi(["function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)"])

/** How a contract answers; null: none stands there. */
type Contract = ((hash: Hex, signature: Hex) => ScriptedReply) | null

let scope: Scope.Closeable
let nodes: Array<ScriptedNode>
beforeEach(() => {
  scope = Scope.makeUnsafe()
  nodes = []
})
afterEach(async () => {
  await Effect.runPromise(Scope.close(scope, Exit.void))
  await Promise.all(nodes.map((node) => node.close()))
})

const start = async (contract: Contract, code: string = contract === null ? "0x" : "0x6001"): Promise<ScriptedNode> => {
  const node = await startScriptedNode((method, [first, block]) => {
    if (method === "eth_chainId") return { result: "0x2105" }
    if (method === "eth_getCode") return { result: first === CONTRACT && block === "latest" ? code : "0x" }
    if (method !== "eth_call" || contract === null) return undefined
    const { to, data } = first as { to: string; data: Hex }
    const { args } = decodeFunctionData({ abi, data })
    return to === CONTRACT ? contract(...args) : { result: "0x" }
  })
  nodes.push(node)
  return node
}
const signer = (
  signature: string,
  candidates: ReadonlyArray<string> = [CONTRACT],
  asked: ReadonlyArray<ScriptedNode> = nodes,
) =>
  Effect.runPromise(
    openChain({
      // No server listens at the first port.
      rpcUrls: asked.length === 0 ? ["http://127.0.0.1:1"] : asked.map(({ url }) => url),
      wallet: PAYER,
      random: (bytes) => new Uint8Array(bytes).fill(7),
    }).pipe(
      Effect.provideService(Scope.Scope, scope),
      Effect.flatMap((chain) => chain.signerOf({ text: TEXT, signature, candidates })),
      Effect.catchTag("ChainUnavailable", () => Effect.succeed("unavailable")),
    ),
  )
const signerBy = async (
  contracts: ReadonlyArray<Contract>,
  signature: string,
  candidates: ReadonlyArray<string> = [CONTRACT],
) => signer(signature, candidates, await Promise.all(contracts.map((contract) => start(contract))))
const sign = () => payer.signMessage({ message: TEXT })
const yes = { result: MAGIC }
const no = { result: REFUSAL }
const reverts = { error: { code: 3, message: "execution reverted" } }
/** A wallet that accepts what `payer` has signed. */
const walletOf =
  (signature: Hex): Contract =>
  (hash, shown) =>
    hash === hashMessage(TEXT) && shown === signature ? yes : no

describe("a plain key", () => {
  it("is known without any provider, among the candidates only", async () => {
    const signature = await sign()
    expect(await signer(signature, [stranger.address.toLowerCase(), PAYER])).toBe(PAYER)
    expect(await signer(signature.toUpperCase().replace("X", "x"), [PAYER])).toBe(PAYER)
    expect(await signer(signature, [])).toBeNull()
  })
  it("is not another's, nor of another text", async () => {
    expect(await signerBy([null], await stranger.signMessage({ message: TEXT }), [PAYER])).toBeNull()
    expect(await signerBy([null], await payer.signMessage({ message: `${TEXT}.` }), [PAYER])).toBeNull()
  })
  it("is known by the other form of its signature too", async () => {
    const { r, s, yParity } = parseSignature(await sign())
    const high: Hex = `0x${(CURVE_ORDER - BigInt(s)).toString(16).padStart(64, "0")}`
    expect(await signer(concat([r, high, yParity === 0 ? "0x1c" : "0x1b"]), [PAYER])).toBe(PAYER)
  })
  it.each([
    ["no hex", "signed by me"],
    ["half a byte", "0x123"],
    ["nothing", "0x"],
    ["zeros", `0x${"00".repeat(65)}`],
    ["a byte too many", `0x${"01".repeat(66)}`],
  ])("is not known by %s", async (_, signature) => {
    expect(await signerBy([null], signature, [PAYER])).toBeNull()
  })
  it("still signs for an account that has delegated to a contract", async () => {
    await start(() => reverts, `0xef0100${"33".repeat(20)}`)
    expect(await signer(await sign(), [PAYER])).toBe(PAYER)
  })
})

describe("a contract", () => {
  it("has signed what it accepts", async () => {
    const signature = await stranger.signMessage({ message: TEXT })
    expect(await signerBy([walletOf(signature)], signature, [PAYER, CONTRACT])).toBe(CONTRACT)
  })
  it("may take signatures of any shape", async () => {
    const signature: Hex = `0x${"5a".repeat(700)}`
    expect(await signerBy([walletOf(signature)], signature)).toBe(CONTRACT)
    expect(await signerBy([walletOf("0x")], "0x")).toBe(CONTRACT)
  })
  it("is asked with what is within the wrapping once it stands", async () => {
    const signature = await sign()
    const wrapped = serializeErc6492Signature({ address: PAYER as Hex, data: "0x1234", signature })
    expect(await signerBy([walletOf(signature)], wrapped)).toBe(CONTRACT)
  })
  it.each<[string, Contract]>([
    ["that refuses", () => no],
    ["that reverts", () => reverts],
    [
      "that runs out of gas",
      () => ({ error: { code: -32000, message: "out of gas: gas required exceeds: 50000000" } }),
    ],
    ["that answers nothing", () => ({ result: "0x" })],
    ["that answers four bytes", () => ({ result: "0x1626ba7e" })],
    ["that echoes what it is called with", (hash) => ({ result: `0x1626ba7e${hash.slice(2)}` })],
    ["that is not there", null],
    ["that accepts everything", () => yes],
    ["that accepts every signature of 65 bytes", (_, { length }) => (length === 132 ? yes : no)],
    ["that accepts one signature of every text", (_, shown) => (shown.startsWith("0x0707") ? no : yes)],
    ["that accepts every signature of this text", (hash) => (hash === hashMessage(TEXT) ? yes : no)],
  ])("%s has not signed", async (_, contract) => {
    expect(await signerBy([contract], await sign())).toBeNull()
  })
  it("that accepts every signature of a certain length has not signed", async () => {
    const ofLength: Contract = (hash, { length }) => (hash === hashMessage(TEXT) && length === 2 + 2 * 99 ? yes : no)
    expect(await signerBy([ofLength], `0x${"5a".repeat(99)}`)).toBeNull()
  })
  it.each<[string, ScriptedReply]>([
    ["is over its rate", { error: { code: -32016, message: "over rate limit" } }],
    ["is over its rate in words", { error: { code: -32000, message: "Too Many Requests: call would revert" } }],
    ["has an error", { error: { code: -32603, message: "internal error" } }],
    ["answers garbage", { result: "yes" }],
  ])("is not believed by a provider which, asked for the counter-proof, %s", async (_, said) => {
    const signature = await sign()
    const contract: Contract = (_hash, shown) => (shown === signature ? yes : said)
    expect(await signerBy([contract], signature)).toBe("unavailable")
  })
  it("has not signed because one provider says so", async () => {
    const signature = await sign()
    const liar = walletOf(signature)
    expect(await signerBy([liar, () => no, () => no], signature)).toBeNull()
  })
  it("has signed though one provider denies it", async () => {
    const signature = await sign()
    expect(await signerBy([walletOf(signature), () => no, walletOf(signature)], signature)).toBe(CONTRACT)
  })
  it("is not known where providers disagree", async () => {
    const signature = await sign()
    expect(await signerBy([walletOf(signature), () => no], signature)).toBe("unavailable")
  })
  it("is not asked with more than a signature holds", async () => {
    const node = await start(() => yes)
    expect(await signer(`0x${"5a".repeat(8 * 1024 + 1)}`)).toBeNull()
    expect(node.asked).toEqual([])
  })
  it("beyond the first eight candidates is not asked", async () => {
    const signature = await sign()
    const others = Array.from({ length: 8 }, (_, index) => `0x${index.toString(16).padStart(40, "0")}`)
    expect(await signerBy([walletOf(signature)], signature, [...others, CONTRACT])).toBeNull()
    expect(await signer(signature, [...others, PAYER])).toBe(PAYER)
    expect(await signerBy([walletOf(signature)], signature, [...others.slice(1), CONTRACT])).toBe(CONTRACT)
  })
  it("that answers another word with the same beginning has not signed", async () => {
    const signature = await sign()
    const contract: Contract = (hash, shown) => ({
      result: hash === hashMessage(TEXT) && shown === signature ? MAGIC.replace(/0$/, "1") : REFUSAL,
    })
    expect(await signerBy([contract], signature)).toBeNull()
  })
  it("with a broken wrapping has not signed", async () => {
    const mark = "6492".repeat(16)
    expect(await signerBy([() => yes], `0x${"ff".repeat(64)}${mark}`)).toBeNull()
    expect(await signerBy([() => yes], `0x${mark}`)).toBeNull()
  })
})
