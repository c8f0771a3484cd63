import * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"
import ethereumRpc from "../../ingestors/sources/ethereum-rpc.ts"
import latest from "../../processors/folds/latest.ts"
import ethereumBlocksTable from "../../processors/tables/ethereum_blocks/table.ts"
import exchangeFlowsTable from "../../processors/tables/exchange_flows/table.ts"
import { foldingBench, observed as saw } from "../../processors/testing/folding.ts"
import type { Remembered } from "../../processors/view/memory.ts"
import proExchangeFlows from "../../processors/views/pro-exchange-flows.ts"
import {
  exchangeFlowsInputs,
  proExchangeFlowsEndpoint,
  selectExchangeFlows,
} from "../../schemas/endpoints/pro-exchange-flows.ts"
import type { Feed } from "../../schemas/feed.ts"
import { type EthereumBlock, ethereumTransfers } from "../../schemas/feeds/ethereum-transfers.ts"
import type { Json } from "../../schemas/json.ts"
import { ExchangeFlows, ExchangeFlowsFull } from "../../schemas/payloads/pro-exchange-flows.ts"
import { eventReader } from "../../schemas/registry.ts"
import { nullsWithoutNote } from "../support/notes.ts"
import { hasReplaced, madeAtMs, numberAt } from "../world/ethereum.ts"
import ethereumWorld from "../world/upstreams/ethereum-rpc.ts"
import { expectRow, OBSERVED_AT, PROVIDER, rowsOfItems } from "./support/rows.ts"
import { inputsOf, reading } from "./support/shown.ts"
import { observed } from "./support/world.ts"

const NOW_MS = Date.parse("2026-11-20T12:34:47.000Z")
const MINUTE_MS = 60_000
const strict = { onExcessProperty: "error" } as const
const hash = (digit: string): string => `0x${digit.repeat(64)}`
const SOMEONE = `0x${"1".repeat(40)}`
const BINANCE = "0x28c6c06298d514db089934071355e5743bf21d60"
const BINANCE_COLD = "0xbe0eb53f46cd790cd13851d5eff43d12404d33e8"
const KRAKEN = "0x2910543af39aba0cd09dbb2d50200b3e800a63d2"

const transfer = (digit: string, valueEth: number, from: string, to: string | null) => ({
  hash: hash(digit),
  from,
  to,
  valueEth,
})
const block = (number: number, transfers: EthereumBlock["transfers"], atMs = NOW_MS): EthereumBlock => ({
  number,
  hash: hash(String(number % 10)),
  parentHash: hash("0"),
  at: new Date(atMs).toISOString(),
  transactionCount: 100,
  baseFeeGwei: 1.25,
  transfers,
  transfersLeftOut: 0,
})
const changeOf = (item: EthereumBlock, kind = "appeared") => ({
  atMs: NOW_MS,
  kind,
  parameters: {},
  key: String(item.number),
  item,
  initial: false,
})

const built = (
  items: ReadonlyArray<EthereumBlock> | null,
  { price = 2_000 as number | null, before = [] as ReadonlyArray<unknown> } = {},
): ExchangeFlowsFull => {
  const payloads: Readonly<Record<string, unknown>> = {
    ...(items === null ? {} : { "ethereum-transfers": { items, facts: {} } }),
    ...(price === null ? {} : { "exchange-tickers": { items: [{ base: "ETH", price }], facts: {} } }),
  }
  const inputs = inputsOf(
    proExchangeFlows,
    {},
    (feed) => (payloads[feed] === undefined ? undefined : reading(payloads[feed])),
    { blocks: before as Remembered },
  )
  const { data } = proExchangeFlows.build(inputs, { parameters: {}, nowMs: NOW_MS })
  return Schema.decodeUnknownSync(ExchangeFlowsFull, strict)(data)
}
const selected = (full: ExchangeFlowsFull, withheld: ReadonlyArray<string> = []) => {
  const { data, inputs } = selectExchangeFlows(full, {}, new Set(withheld))
  expect(nullsWithoutNote(data)).toEqual([])
  return { data: Schema.decodeUnknownSync(ExchangeFlows, strict)(data), inputs }
}

const items = [
  block(9, [
    transfer("a", 300.5, SOMEONE, BINANCE),
    transfer("b", 50.25, BINANCE, KRAKEN),
    transfer("c", 1_000, BINANCE, BINANCE_COLD),
    transfer("d", 700, SOMEONE, SOMEONE),
  ]),
  block(8, [transfer("e", 20.1, KRAKEN, null)]),
]

describe("flows of exchanges", () => {
  it("are summed by exchange, between exchanges for both and within one for none, by hand", () => {
    const { data, inputs } = selected(built(items))
    const { notes, exchanges_tracked, ...members } = data
    expect(members).toEqual({
      spot_eth_usd: 2_000,
      blocks_scanned: [9, 8],
      blocks_missing: 0,
      flows_by_exchange: [
        {
          exchange: "Binance",
          inflow_eth: 300.5,
          outflow_eth: 50.25,
          net_flow_eth: 250.25,
          inflow_count: 1,
          outflow_count: 1,
        },
        {
          exchange: "Kraken",
          inflow_eth: 50.25,
          outflow_eth: 20.1,
          net_flow_eth: 30.15,
          inflow_count: 1,
          outflow_count: 1,
        },
      ],
      recent_transfers: [
        ["a", 9, "Binance", "inflow", null, 300.5, 601_000],
        ["b", 9, "Binance", "outflow", "Kraken", 50.25, 100_500],
        ["b", 9, "Kraken", "inflow", "Binance", 50.25, 100_500],
        ["e", 8, "Kraken", "outflow", null, 20.1, 40_200],
      ].map(([digit, number, exchange, direction, counterparty, eth, usd]) => ({
        hash: hash(String(digit)),
        block_number: number,
        timestamp: "2026-11-20T12:34:47.000Z",
        exchange,
        direction,
        counterparty_label: counterparty,
        value_eth: eth,
        value_usd: usd,
      })),
      aggregate: {
        transfer_count: 3,
        total_inflow_eth: 350.75,
        total_outflow_eth: 70.35,
        net_flow_eth: 280.4,
        net_flow_usd: 560_800,
        bias: "inflow_dominant",
      },
      threshold: { transfer_min_eth: 5, balanced_below_eth: 100 },
      sample_size: { blocks: 2, transactions: 200, transfers: 3 },
    })
    expect(exchanges_tracked).toContain("Bitget")
    expect(notes.exchanges_tracked).toMatch(/attributions by third parties/)
    expect([...inputs].sort()).toEqual([...exchangeFlowsInputs].sort())
    expect(Object.keys(proExchangeFlows.reads).sort()).toEqual([...exchangeFlowsInputs].sort())
  })

  it("count a replaced block as what replaced it, and blocks that were not read as missing", () => {
    const before = [
      changeOf(block(3, [transfer("1", 500, SOMEONE, BINANCE)])),
      changeOf(block(5, [transfer("2", 400, SOMEONE, BINANCE)])),
      changeOf(block(5, [transfer("3", 40, KRAKEN, SOMEONE)]), "changed"),
      changeOf(block(9, [transfer("4", 9_999, SOMEONE, BINANCE)])),
    ]
    const { data } = selected(built([block(8, [])], { before }))
    expect(data.blocks_scanned).toEqual([8, 5, 3])
    expect(data.blocks_missing).toBe(3)
    expect(data.aggregate).toMatchObject({ total_inflow_eth: 500, total_outflow_eth: 40, transfer_count: 2 })
  })

  it("leave blocks out that are an hour older than the newest", () => {
    const before = [changeOf(block(1, [transfer("1", 500, SOMEONE, BINANCE)], NOW_MS - 60 * MINUTE_MS))]
    expect(selected(built([block(8, [])], { before })).data.blocks_scanned).toEqual([8])
  })

  it("are true zeros without a transfer, which are charged", () => {
    const { data } = selected(built([block(8, [])]))
    expect(data).toMatchObject({ flows_by_exchange: [], recent_transfers: [] })
    expect(data.aggregate).toEqual({
      transfer_count: 0,
      total_inflow_eth: 0,
      total_outflow_eth: 0,
      net_flow_eth: 0,
      net_flow_usd: 0,
      bias: "balanced",
    })
    expect(proExchangeFlowsEndpoint.empty(data)).toBe(false)
  })

  it("show 25 transfers at the most, and sum over all", () => {
    const many = Array.from({ length: 40 }, (_, index) => ({
      ...transfer("a", 10, SOMEONE, BINANCE),
      hash: `0x${index.toString(16).padStart(64, "0")}`,
    }))
    const { data } = selected(built([block(8, many)]))
    expect(data.recent_transfers).toHaveLength(25)
    expect(data.aggregate).toMatchObject({ transfer_count: 40, total_inflow_eth: 400 })
  })

  it("are null with a note before a block was read, where the chain is withheld, and without a price", () => {
    for (const { data, inputs } of [
      selected(proExchangeFlowsEndpoint.cold as ExchangeFlowsFull),
      selected(built(items), ["newest", "blocks"]),
    ]) {
      expect(data).toMatchObject({
        blocks_scanned: null,
        flows_by_exchange: null,
        recent_transfers: null,
        aggregate: null,
      })
      expect(inputs).toContain("tickers")
    }
    expect(selected(built(items, { price: null })).data).toMatchObject({ spot_eth_usd: null, blocks_scanned: [9, 8] })
    const { data, inputs } = selected(built(items), ["tickers"])
    expect(data.aggregate).toMatchObject({ net_flow_eth: 280.4, net_flow_usd: null })
    expect(data.notes.spot_eth_usd).toMatch(/may not resell/)
    expect(JSON.stringify(data)).not.toMatch(/601000/)
    expect(inputs).toEqual(["newest", "blocks"])
  })
})

describe("the world's chain", () => {
  it("is folded minute by minute: an hour of blocks, those that stand, over a restart, with equal bytes in a replay", async () => {
    const events = await Promise.all(
      Array.from({ length: 75 }, async (_, minute) => {
        const atMs = NOW_MS + minute * MINUTE_MS
        return saw(
          atMs,
          "ethereum-transfers",
          (await observed(ethereumRpc, ethereumWorld, atMs)).payload as unknown as Json,
        )
      }),
    )
    let bench = foldingBench(latest, eventReader)
    for (const [at, event] of events.entries()) {
      bench.fold(event)
      if (at === 33) bench = foldingBench(latest, eventReader, bench.checkpoint())
    }
    const replay = foldingBench(latest, eventReader)
    for (const event of events) replay.fold(event)
    const body = bench.view("/api/pro/exchange-flows") as { readonly data: unknown }
    expect(JSON.stringify(replay.view("/api/pro/exchange-flows"))).toBe(JSON.stringify(body))
    const full = Schema.decodeUnknownSync(ExchangeFlowsFull, strict)(body.data)
    const newest = numberAt(NOW_MS + 74 * MINUTE_MS)
    expect(full.flows?.blocks_scanned).toEqual(Array.from({ length: 300 }, (_, index) => newest - index))
    expect(full.flows?.blocks_missing).toBe(0)
    expect(full.flows?.flows_by_exchange.length).toBeGreaterThan(5)
    // What is shown does not depend on when it was looked at: a fresh look at the same chain has the same last blocks.
    const fresh = (await observed(ethereumRpc, ethereumWorld, NOW_MS + 74 * MINUTE_MS)).payload.items
    const hashes = new Set(fresh.flatMap(({ transfers }) => transfers.map((one) => one.hash)))
    const shown = full.flows?.transfers.filter(({ block_number }) => block_number >= (fresh.at(-1)?.number ?? 0)) ?? []
    expect(shown.filter((one) => !hashes.has(one.hash))).toEqual([])
  })

  it("has replaced blocks in it, so that folding it means something", async () => {
    const number = Array.from({ length: 16 }, (_, index) => numberAt(NOW_MS) + index).find(hasReplaced) ?? 0
    const before = await observed(ethereumRpc, ethereumWorld, madeAtMs(number) + 1_000)
    const after = await observed(ethereumRpc, ethereumWorld, madeAtMs(number + 1) + 1_000)
    const hashOf = (payload: typeof before.payload) => payload.items.find((one) => one.number === number)?.hash
    expect(hashOf(before.payload)).toBeDefined()
    expect(hashOf(before.payload)).not.toBe(hashOf(after.payload))
  })
})

describe("the tables", () => {
  const feed = ethereumTransfers as unknown as Feed
  const row = {
    exchange: "Binance",
    at: "2026-11-20T12:34:47.000Z",
    hash: hash("a"),
    direction: "inflow",
    amount_eth: 300.5,
    counterparty: "",
    sender: SOMEONE,
    receiver: BINANCE,
    block_number: 9,
    block_hash: hash("9"),
    observed_at: OBSERVED_AT,
  }
  it("hold a row for a flow, and none for a block that has left the feed", () => {
    const item = block(9, [transfer("a", 300.5, SOMEONE, BINANCE), transfer("d", 700, SOMEONE, SOMEONE)])
    expectRow(exchangeFlowsTable, feed, { kind: "appeared", item, parameters: {}, makes: row })
    expectRow(exchangeFlowsTable, feed, { kind: "changed", item, parameters: {}, makes: row })
    expectRow(exchangeFlowsTable, feed, { kind: "gone", item, parameters: {}, makes: null })
  })
  it("hold a row for a block, which says whether it replaces another", () => {
    const item = { ...block(9, [transfer("a", 300.5, SOMEONE, BINANCE)]), transfersLeftOut: 2 }
    const makes = {
      number: 9,
      hash: hash("9"),
      at: "2026-11-20T12:34:47.000Z",
      transactions: 100,
      base_fee_gwei: 1.25,
      large_transfers: 3,
      replaces: false,
      provider: PROVIDER,
      observed_at: OBSERVED_AT,
    }
    expectRow(ethereumBlocksTable, feed, { kind: "appeared", item, parameters: {}, makes })
    expectRow(ethereumBlocksTable, feed, { kind: "changed", item, parameters: {}, makes: { ...makes, replaces: true } })
    expectRow(ethereumBlocksTable, feed, { kind: "gone", item, parameters: {}, makes: null })
  })
  it("take every block of the world", async () => {
    const { payload } = await observed(ethereumRpc, ethereumWorld, NOW_MS)
    const all = payload.items.map((item) => ({ item, parameters: {} }))
    for (const table of [exchangeFlowsTable, ethereumBlocksTable])
      expect(rowsOfItems(table, feed, ethereumRpc as never, all, NOW_MS)).toBeGreaterThan(0)
  })
})
