import * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"
import latest from "../../processors/folds/latest.ts"
import { foldingBench, observed as saw } from "../../processors/testing/folding.ts"
import type { Remembered, SeriesPoint } from "../../processors/view/memory.ts"
import proWhales from "../../processors/views/pro-whales.ts"
import { proWhalesEndpoint, selectWhales, whalesInputs } from "../../schemas/endpoints/pro-whales.ts"
import type { BitcoinTransfer } from "../../schemas/feeds/bitcoin-transfers.ts"
import type { EthereumBlock } from "../../schemas/feeds/ethereum-transfers.ts"
import type { ExchangeTicker } from "../../schemas/feeds/exchange-tickers.ts"
import { Whales, WhalesFull } from "../../schemas/payloads/pro-whales.ts"
import { eventReader } from "../../schemas/registry.ts"
import { nullsWithoutNote } from "../support/notes.ts"
import { inputsOf, reading } from "./support/shown.ts"

const NOW_MS = Date.parse("2026-11-20T12:34:56.789Z")
const MINUTE_MS = 60_000
const strict = { onExcessProperty: "error" } as const
const hash = (digit: string): string => `0x${digit.repeat(64)}`
const address = (digit: string): string => `0x${digit.repeat(40)}`
const BINANCE = "0x28c6c06298d514db089934071355e5743bf21d60"
const KRAKEN = "0x2910543af39aba0cd09dbb2d50200b3e800a63d2"

const transfer = (digit: string, valueEth: number, from = address("1"), to: string | null = address("2")) => ({
  hash: hash(digit),
  from,
  to,
  valueEth,
})
const block = (number: number, members: Partial<EthereumBlock> = {}): EthereumBlock => ({
  number,
  hash: hash(String(number % 10)),
  parentHash: hash("0"),
  at: new Date(NOW_MS - 1_000).toISOString(),
  transactionCount: 100,
  baseFeeGwei: 1.25,
  transfers: [],
  transfersLeftOut: 0,
  ...members,
})
const blocks = {
  items: [
    block(9, {
      transfers: [
        transfer("a", 250.5, BINANCE, KRAKEN),
        transfer("b", 100, address("3"), null),
        transfer("c", 99.999999),
      ],
      transfersLeftOut: 3,
    }),
    block(8, { transfers: [transfer("d", 1_000.1, address("4"), BINANCE)] }),
  ],
  facts: {},
}
const sent = (digit: string, valueBtc: number): BitcoinTransfer => ({
  txid: digit.repeat(64),
  valueBtc,
  feeSat: 1_000,
  vsizeVb: 141.25,
})
const seen = (minutesAgo: number, item: BitcoinTransfer) => ({
  atMs: NOW_MS - minutesAgo * MINUTE_MS,
  kind: "appeared",
  parameters: {},
  key: item.txid,
  item,
  initial: false,
})
const ticker = (base: "BTC" | "ETH", price: number) =>
  ({ base, quote: "USDT", pair: `${base}USDT`, price }) as ExchangeTicker
const points = (values: ReadonlyArray<number>): ReadonlyArray<SeriesPoint> =>
  values.map((value, index) => [NOW_MS - (values.length - index) * MINUTE_MS, value])

const everything: Readonly<Record<string, unknown>> = {
  "bitcoin-transfers": { items: [], facts: { shown: 10 } },
  "ethereum-transfers": blocks,
  "exchange-tickers": { items: [ticker("BTC", 60_000), ticker("ETH", 2_000.5)], facts: {} },
}
const remembered = {
  unconfirmed: [seen(30, sent("a", 10.5)), seen(20, sent("b", 12.00000001)), seen(10, sent("a", 10.5))],
  mempoolCounts: points([1_000, 1_400, 1_800, 2_200, 2_600, 3_000]),
  heights: points([9, 9, 9, 9, 9, 9]),
}
const built = (
  payloads: Readonly<Record<string, unknown>> = everything,
  memories: Readonly<Record<string, unknown>> = remembered,
): WhalesFull => {
  const inputs = inputsOf(
    proWhales,
    {},
    (feed) => (payloads[feed] === undefined ? undefined : reading(payloads[feed])),
    memories as Readonly<Record<string, Remembered>>,
  )
  const { data } = proWhales.build(inputs, { parameters: {}, nowMs: NOW_MS })
  return Schema.decodeUnknownSync(WhalesFull, strict)(data)
}
const selected = (full: WhalesFull, withheld: ReadonlyArray<string> = []) => {
  const { data, inputs } = selectWhales(full, {}, new Set(withheld))
  expect(nullsWithoutNote(data)).toEqual([])
  return { data: Schema.decodeUnknownSync(Whales, strict)(data), inputs }
}

describe("large transfers", () => {
  it("are those of the scanned blocks and of the last hour, with labels and dollars, by hand", () => {
    const { data, inputs } = selected(built())
    const { notes, ...members } = data
    expect(members).toEqual({
      spot_prices: { btc_usd: 60_000, eth_usd: 2_000.5 },
      btc_whales_unconfirmed: [
        {
          txid: "b".repeat(64),
          value_btc: 12.00000001,
          value_usd: 720_000,
          fee_sat: 1_000,
          vsize: 141.25,
          seen_at: new Date(NOW_MS - 20 * MINUTE_MS).toISOString(),
        },
        {
          txid: "a".repeat(64),
          value_btc: 10.5,
          value_usd: 630_000,
          fee_sat: 1_000,
          vsize: 141.25,
          seen_at: new Date(NOW_MS - 30 * MINUTE_MS).toISOString(),
        },
      ],
      eth_whales_latest_block: [
        {
          hash: hash("a"),
          block_number: 9,
          from: BINANCE,
          to: KRAKEN,
          value_eth: 250.5,
          value_usd: 501_125.25,
          from_label: "Binance",
          to_label: "Kraken",
        },
        {
          hash: hash("b"),
          block_number: 9,
          from: address("3"),
          to: null,
          value_eth: 100,
          value_usd: 200_050,
          from_label: null,
          to_label: null,
        },
        {
          hash: hash("d"),
          block_number: 8,
          from: address("4"),
          to: BINANCE,
          value_eth: 1_000.1,
          value_usd: 2_000_700.05,
          from_label: null,
          to_label: "Binance",
        },
      ],
      eth_block: {
        number: 9,
        hash: hash("9"),
        timestamp: new Date(NOW_MS - 1_000).toISOString(),
        transactions: 100,
        base_fee_gwei: 1.25,
      },
      eth_blocks_scanned: [9, 8],
      aggregate: {
        btc_count: 2,
        btc_total: 22.50000001,
        btc_total_usd: 1_350_000,
        eth_count: 3,
        eth_total: 1_350.6,
        eth_total_usd: 2_701_875.3,
      },
      // Sixty are shown in a minute, 400 arrive.
      sample_share: 0.15,
      thresholds: { btc: 10, eth: 100 },
      sample_size: { btc_transfers: 2, eth_blocks: 2, eth_transactions: 200, eth_transfers: 3 },
    })
    expect(notes.from_label).toMatch(/attributions by third parties/)
    expect(notes.eth_whales_latest_block).toMatch(/3 transfers beyond the bound/)
    expect([...inputs].sort()).toEqual([...whalesInputs].sort())
    expect(Object.keys(proWhales.reads).sort()).toEqual([...whalesInputs].sort())
  })

  it("show 50 of each at the most, and sum over all", () => {
    const many = Array.from({ length: 60 }, (_, index) =>
      seen(59 - index / 2, { ...sent("a", 10), txid: index.toString(16).padStart(64, "0") }),
    )
    const transfers = Array.from({ length: 60 }, (_, index) => ({
      ...transfer("a", 200),
      hash: `0x${index.toString(16).padStart(64, "0")}`,
    }))
    const { data } = selected(
      built(
        { ...everything, "ethereum-transfers": { items: [block(9, { transfers })], facts: {} } },
        { unconfirmed: many },
      ),
    )
    expect(data.btc_whales_unconfirmed).toHaveLength(50)
    expect(data.eth_whales_latest_block).toHaveLength(50)
    expect(data.aggregate).toMatchObject({ btc_count: 60, btc_total: 600, eth_count: 60, eth_total: 12_000 })
  })

  it("are true zeros where there are none, and unknown while a feed has not answered", () => {
    const quiet = selected(
      built({ ...everything, "ethereum-transfers": { items: [block(9)], facts: {} } }, { unconfirmed: [] }),
    ).data
    expect(quiet.aggregate).toEqual({
      btc_count: 0,
      btc_total: 0,
      btc_total_usd: 0,
      eth_count: 0,
      eth_total: 0,
      eth_total_usd: 0,
    })
    expect(proWhalesEndpoint.empty(quiet)).toBe(false)
    for (const feed of Object.keys(everything)) {
      const { [feed]: _, ...others } = everything
      expect(proWhalesEndpoint.empty(selected(built(others)).data)).toBe(false)
    }
    const unread = selected(built({}, {})).data
    expect(unread).toMatchObject({ btc_whales_unconfirmed: null, eth_block: null, spot_prices: null })
    expect(proWhalesEndpoint.empty(unread)).toBe(true)
    expect(selected(proWhalesEndpoint.cold as WhalesFull).data).toEqual(unread)
  })

  it("are without dollars where the exchange gave no price of one of them", () => {
    const { data } = selected(
      built({ ...everything, "exchange-tickers": { items: [ticker("BTC", 60_000)], facts: {} } }),
    )
    expect(data.spot_prices).toEqual({ btc_usd: 60_000, eth_usd: null })
    expect(data.aggregate.eth_total_usd).toBeNull()
    expect(data.eth_whales_latest_block?.[0]?.value_usd).toBeNull()
    expect(data.btc_whales_unconfirmed?.[0]?.value_usd).toBe(720_000)
  })
})

describe("what may not be resold", () => {
  const bitcoin = ["unconfirmed", "shown", "mempoolCounts", "heights"]
  it("is null with a note, and no input: prices", () => {
    const { data, inputs } = selected(built(), ["tickers"])
    expect(data.spot_prices).toBeNull()
    expect(JSON.stringify(data)).not.toMatch(/60000|2000\.5|501125/)
    expect(data.notes.spot_prices).toMatch(/may not resell/)
    expect(data.aggregate.eth_total).toBe(1_350.6)
    expect(inputs).not.toContain("tickers")
    expect(inputs).toContain("blocks")
  })
  it.each([bitcoin, ["shown"], ["unconfirmed", "tickers"]])("is null with a note, and no input: %s", (...withheld) => {
    const { data, inputs } = selected(built(), withheld)
    expect(data).toMatchObject({ btc_whales_unconfirmed: null, sample_share: null })
    expect(data.aggregate).toMatchObject({ btc_count: null, btc_total: null, btc_total_usd: null, eth_count: 3 })
    expect(data.sample_size).not.toHaveProperty("btc_transfers")
    expect(inputs.filter((input) => bitcoin.includes(input))).toEqual([])
  })
  it("is all of it where every source is withheld", () => {
    const { data, inputs } = selected(built(), whalesInputs)
    expect(inputs).toEqual([])
    expect(proWhalesEndpoint.empty(data)).toBe(true)
  })
})

it("is folded from the log, over a restart, with equal bytes in a replay", () => {
  const events = Array.from({ length: 40 }, (_, minute) => {
    const atMs = NOW_MS + minute * 5 * MINUTE_MS
    const payload = {
      items: [{ ...sent("a", 10 + minute), txid: minute.toString(16).padStart(64, "0") }],
      facts: { shown: 10 },
    }
    return saw(atMs, "bitcoin-transfers", payload)
  })
  let bench = foldingBench(latest, eventReader)
  for (const [at, event] of events.entries()) {
    bench.fold(event)
    if (at === 20) bench = foldingBench(latest, eventReader, bench.checkpoint())
  }
  const replay = foldingBench(latest, eventReader)
  for (const event of events) replay.fold(event)
  const body = bench.view("/api/pro/whales") as { readonly data: unknown }
  expect(JSON.stringify(replay.view("/api/pro/whales"))).toBe(JSON.stringify(body))
  const { btc } = Schema.decodeUnknownSync(WhalesFull, strict)(body.data)
  // Twelve polls of five minutes make an hour: that of exactly an hour before has left it.
  expect(btc?.transfers.map(({ value_btc }) => value_btc)).toEqual(Array.from({ length: 12 }, (_, index) => 49 - index))
})
