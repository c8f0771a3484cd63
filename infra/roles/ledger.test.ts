import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import { loadSettings } from "../config/settings.ts"
import { chainFactsOf, openChainOf } from "./ledger.ts"

const WALLET = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"

const settingsOf = (environment: Readonly<Record<string, string>>) => {
  const loaded = loadSettings({ WALLET_ADDRESS: WALLET, ...environment })
  if (Result.isFailure(loaded)) throw new Error(loaded.failure.map(({ message }) => message).join())
  return loaded.success
}

/** Opens the chain of these settings, whose providers need not answer. Gives what is trusted, and what was logged. */
const opened = async (environment: Readonly<Record<string, string>>) => {
  const said: Array<string> = []
  const logger = Logger.make(({ logLevel, message }) => void said.push(`${logLevel} ${String(message)}`))
  const chain = await Effect.runPromise(
    Effect.scoped(openChainOf(settingsOf(environment))).pipe(Effect.provide(Logger.layer([logger]))),
  )
  return { trust: chain?.facts.trust, said: said.join("\n") }
}

const providers = (count: number) =>
  Array.from({ length: count }, (_, n) => `http://127.0.0.1:9/provider-${n}`).join(",")

describe("the start of a process that verifies payments", () => {
  it.each([
    [1, {}, { providers: 1, agreement: 1 }],
    [3, { RPC_AGREEMENT: "1" }, { providers: 3, agreement: 1 }],
  ] as const)("warns that one provider is trusted alone: %i, %j", async (count, more, trust) => {
    const found = await opened({ BASE_RPC_URLS: providers(count), ...more })
    expect(found.trust).toEqual(trust)
    expect(found.said).toMatch(/^Warn one provider of the chain is trusted alone/)
    // Addresses of providers hold keys.
    expect(found.said).not.toContain("127.0.0.1")
  })

  it("says how many providers must agree", async () => {
    const found = await opened({ BASE_RPC_URLS: providers(3) })
    expect(found.trust).toEqual({ providers: 3, agreement: 2 })
    expect(found.said).toBe("Info a payment is credited when 2 of 3 providers of the chain agree on it")
  })
})

describe("a process that verifies no payments itself", () => {
  it("knows who is trusted where its settings name the providers", async () => {
    const factsOf = (more: Readonly<Record<string, string>>) => Effect.runPromise(chainFactsOf(settingsOf(more)))
    expect((await factsOf({ BASE_RPC_URLS: providers(2) }))?.trust).toEqual({ providers: 2, agreement: 2 })
    expect((await factsOf({}))?.trust).toBe(null)
  })
})
