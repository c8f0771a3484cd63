import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { type ChainOptions, USDC_ON_BASE } from "./chain-options.ts"
import { openChain } from "./viem-chain.ts"

const WALLET = `0x${"22".repeat(20)}`
const KEY = "apikey5f3759df"

describe("options", () => {
  it.each<[string, Partial<ChainOptions>, string]>([
    ["no provider", { rpcUrls: [] }, "1 to 16 RPC URLs are needed"],
    ["a URL that is none", { rpcUrls: ["https://a.example", `nonsense ${KEY}`] }, "RPC URL 1 (from 0)"],
    ["a URL of another kind", { rpcUrls: [`wss://a.example/${KEY}`] }, "RPC URL 0 (from 0)"],
    ["a provider twice", { rpcUrls: [`https://a.example/${KEY}`, `https://A.example/${KEY}`] }, "listed twice"],
    ["a wallet that is none", { wallet: "0x22" }, "the wallet is not an address"],
    ["a wallet with a typing error", { wallet: USDC_ON_BASE.replace("fC", "Fc") }, "the wallet is not an address"],
    ["a contract that is none", { contract: "USDC" }, "the USDC contract is not an address"],
    ["too much agreement", { agreement: 2 }, "the agreement must be a whole number from 1 to 1"],
    ["no agreement", { agreement: 0 }, "the agreement must be a whole number from 1 to 1"],
  ])("with %s are refused", async (_, options, problem) => {
    const opened = openChain({ rpcUrls: ["https://a.example"], wallet: WALLET, ...options })
    const failure = await Effect.runPromise(Effect.flip(Effect.scoped(opened)))
    expect(failure.message).toContain(problem)
    expect(JSON.stringify(failure) + failure.message).not.toContain(KEY)
  })
})
