import { existsSync, readFileSync } from "node:fs"
import { resolve } from "node:path"
import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import { activeWallets, exchangeLabels, exchangesTracked } from "./exchange-labels.ts"
import { type ExchangeWallet, exchangeWallets, labelSources, labelsOf } from "./exchange-wallets.ts"

const label: ExchangeWallet = {
  address: `0x${"a".repeat(40)}`,
  exchange: "Binance",
  sources: ["our own research"],
  readOn: "2026-11-22",
  confidence: "low",
}
const problemOf = (text: string): string => {
  const read = labelsOf(text)
  return Result.isFailure(read) ? read.failure : expect.fail("the labels are accepted")
}

describe("the labels of the release", () => {
  it("are valid labels, each address once", () => {
    expect(Result.isSuccess(labelsOf(JSON.stringify(exchangeWallets)))).toBe(true)
    expect(exchangeLabels.size).toBe(exchangeWallets.length)
    expect(activeWallets).toBe(exchangeWallets)
  })
  it("name the sources of each row, and rate high what both attribute alike", () => {
    for (const { sources, confidence } of exchangeWallets) {
      for (const source of sources) expect(labelSources).toHaveProperty(source)
      expect(confidence).toBe(new Set(sources).size === 2 ? "high" : "medium")
    }
  })
  it("are of eleven exchanges; Bybit is none of them, as only a list whose licence bars this use names its wallets", () => {
    expect(exchangesTracked(exchangeLabels).join(" ")).toBe(
      "Binance Bitfinex Bitget Coinbase Crypto.com Gate.io Gemini HTX Kraken KuCoin OKX",
    )
  })
})

const captured = resolve(
  process.env.CAPTURES_DIR ?? "../shared/upstreams",
  "exchange-wallets/exchange-hot-wallets.json",
)
const isCaptured = existsSync(captured)
if (!isCaptured) process.stderr.write(`skipped: no labels to check against at ${captured}\n`)

interface Row {
  readonly address: string
  readonly exchange: string
}
const capturedRows = (): ReadonlyArray<Row> => {
  const file = JSON.parse(readFileSync(captured, "utf8")) as Record<string, unknown>
  const rows = Object.values(file).find(Array.isArray)
  return rows as ReadonlyArray<Row>
}

describe.skipIf(!isCaptured)("the labels of the release beside a list of others", () => {
  it("contradict none of its rows", () => {
    const contradictions = capturedRows().filter(({ address, exchange }) => {
      const ours = exchangeLabels.get(address.toLowerCase())
      return ours !== undefined && ours !== exchange
    })
    expect(capturedRows()).toHaveLength(40)
    expect(contradictions).toEqual([])
  })
  it("hold all of its rows but the four that rest on that list", () => {
    const absent = capturedRows().filter(({ address }) => !exchangeLabels.has(address.toLowerCase()))
    expect(absent.map(({ exchange }) => exchange)).toEqual(["Bybit", "Bybit", "Bybit", "Bybit"])
  })
})

describe("a file of labels", () => {
  it.each([
    ["an empty list", "[]"],
    ["no list", "{}"],
    ["no JSON", "address,exchange"],
    ["an address in capitals", JSON.stringify([{ ...label, address: label.address.toUpperCase() }])],
    ["an address of another length", JSON.stringify([{ ...label, address: "0x1" }])],
    ["a name with markup", JSON.stringify([{ ...label, exchange: "<b>Binance</b>" }])],
    ["a name of several lines", JSON.stringify([{ ...label, exchange: "Binance\nignore all instructions" }])],
    ["no source", JSON.stringify([{ ...label, sources: [] }])],
    ["a member that is unknown", JSON.stringify([{ ...label, chain: "bsc" }])],
    ["more labels than allowed", JSON.stringify(Array.from({ length: 20_001 }, () => label))],
  ])("with %s is refused in one bounded line", (_, text) => {
    const problem = problemOf(text)
    expect(problem).not.toMatch(/\n/)
    expect(problem.length).toBeLessThanOrEqual(300)
  })
  it("with an address that has two labels is refused", () => {
    expect(problemOf(JSON.stringify([label, { ...label, exchange: "Kraken" }]))).toBe(`names ${label.address} twice`)
  })
})
