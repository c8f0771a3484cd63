import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { describe, expect, it } from "vitest"
import type { Upstream } from "../../ingestors/document.ts"
import { HttpFailed } from "../../ingestors/http-client.port.ts"
import mempoolSpace from "../../ingestors/sources/mempool-space.ts"
import bitcoinNetworkTable from "../../processors/tables/bitcoin_network/table.ts"
import cryptoDeep from "../../processors/views/pro-crypto-deep.ts"
import { bitcoinNetwork } from "../../schemas/feeds/bitcoin-network.ts"
import simulated, { isOldVersion, tipHeightOf } from "../world/upstreams/mempool-space.ts"
import { worldAt } from "../world/world.ts"
import { capturesAbsent, decodedCapture } from "./support/captures.ts"
import { feedTest, polled } from "./support/feed-test.ts"
import { normalised } from "./support/read.ts"
import { OBSERVED_AT, PROVIDER } from "./support/rows.ts"
import { reading, shown } from "./support/shown.ts"
import { collect, observed, upstreamOf } from "./support/world.ts"

const NOW_MS = Date.parse("2026-11-20T12:34:56.789Z")
const HOUR_MS = 3_600_000

type Collected = Parameters<typeof mempoolSpace.read>[0]

const collected = (members: Partial<Collected> = {}): Collected => ({
  fees: { fastestFee: 3, halfHourFee: 2, hourFee: 1, economyFee: 0.5, minimumFee: 0.1 },
  mempool: { count: 10, vsize: 2_000, total_fee: 5_000 },
  hashrate: { currentHashrate: 9e20, currentDifficulty: 1.25e14 },
  tipHeight: "900000",
  ...members,
})

const item = {
  blockHeight: 900_000,
  feesSatPerVb: { fastest: 3, halfHour: 2, hour: 1, economy: 0.5, minimum: 0.1 },
  hashrateEhS: 900,
  difficulty: null,
  mempool: { count: 10, vsizeVb: 2_000, totalFeeSat: null },
} as const

feedTest({
  feed: bitcoinNetwork,
  polls: [
    polled({
      source: mempoolSpace,
      world: simulated,
      freeText: false,
      breakRow: null,
      refused: [
        ["a fee below zero", collected({ fees: { ...collected().fees, hourFee: -1 } }), /a fee is none/],
        ["no estimate", collected({ fees: { fastestFee: 0, halfHourFee: 0, hourFee: 0 } }), /a fee is none/],
        ["an impossible fee", collected({ fees: { ...collected().fees, fastestFee: 1e9 } }), /beyond what is possible/],
        ["half a transaction", collected({ mempool: { count: 1.5, vsize: 1 } }), /waiting transactions/],
        [
          "a number of transactions below zero",
          collected({ mempool: { count: -1, vsize: 1 } }),
          /waiting transactions/,
        ],
        ["a size below zero", collected({ mempool: { count: 1, vsize: -1 } }), /waiting transactions/],
      ],
    }),
  ],
  views: [cryptoDeep],
  table: bitcoinNetworkTable,
  rows: [
    {
      kind: "changed",
      item,
      makes: {
        observed_at: OBSERVED_AT,
        block_height: 900_000,
        fee_fastest_sat_per_vb: 3,
        fee_half_hour_sat_per_vb: 2,
        fee_hour_sat_per_vb: 1,
        fee_economy_sat_per_vb: 0.5,
        fee_minimum_sat_per_vb: 0.1,
        hashrate_eh_s: 900,
        difficulty: null,
        mempool_count: 10,
        mempool_vsize_vb: 2_000,
        mempool_total_fee_sat: null,
        provider: PROVIDER,
      },
    },
    { kind: "gone", item, makes: null },
  ],
})

describe.skipIf(capturesAbsent)("captured answers", () => {
  const captured = <Name extends keyof Collected>(document: string, file: string): Collected[Name] =>
    decodedCapture<Collected[Name]>(mempoolSpace, document, file)

  it("of the documentation: fees below 1, a hashrate beyond 64 bits, a height that is text", () => {
    const { payload, contentAtMs } = normalised(mempoolSpace, {
      fees: captured<"fees">("feesPrecise", "documentation-example-fees-precise.json"),
      mempool: captured<"mempool">("mempool", "documentation-example-mempool.json"),
      hashrate: captured<"hashrate">("hashrate", "documentation-example-mining-hashrate-3d-2022-05.json"),
      tipHeight: captured<"tipHeight">("tipHeight", "documentation-example-blocks-tip-height.txt"),
    })
    expect(payload).toEqual({
      blockHeight: 698767,
      feesSatPerVb: { fastest: 2.023, halfHour: 1.094, hour: 0.502, economy: 0.2, minimum: 0.1 },
      // 252033247355212300000 hashes a second.
      hashrateEhS: 252.0332473552123,
      difficulty: 31251101365711.12,
      mempool: { count: 3169, vsizeVb: 1891542, totalFeeSat: 20317481 },
    })
    expect(contentAtMs).toBeNull()
  })
  it("of August 2026: whole fees, a hashrate without its days, a small mempool", () => {
    const { payload } = normalised(mempoolSpace, {
      fees: captured<"fees">("feesRecommended", "fees-recommended-2026-08.json"),
      mempool: captured<"mempool">("mempool", "mempool-stats-count-811.json"),
      hashrate: captured<"hashrate">("hashrate", "mining-hashrate-2-of-4-fields-2026-08-23.json"),
      tipHeight: "963042",
    })
    expect(shown(cryptoDeep, [reading(payload)], { nowMs: NOW_MS, feed: "bitcoin-network" })).toMatchObject({
      network_btc: {
        block_height: 963042,
        fees_sat_per_vb: { fastest: 3, half_hour: 1, hour: 1, economy: 1, minimum: 1 },
        hashrate: { current_eh_s: 907.782986431434, current_difficulty: 125807076547197.5 },
        mempool: { count: 811, vsize: 412270, total_fee_sat: 3632256 },
      },
    })
  })
  it("of whole fees alone are fees like the others", () => {
    expect(captured<"fees">("feesRecommended", "documentation-example-fees-recommended.json")).toEqual({
      fastestFee: 1,
      halfHourFee: 1,
      hourFee: 1,
      economyFee: 1,
      minimumFee: 1,
    })
  })
})

describe("the Bitcoin network", () => {
  it("has null, never zero, for what is not given or not possible", () => {
    const { payload } = normalised(
      mempoolSpace,
      collected({
        mempool: { count: 0, vsize: 0, total_fee: null },
        hashrate: { currentHashrate: 0, currentDifficulty: -1 },
      }),
    )
    expect(payload).toMatchObject({
      hashrateEhS: null,
      difficulty: null,
      mempool: { count: 0, vsizeVb: 0, totalFeeSat: null },
    })
    // More than there can ever be.
    const { payload: beyond } = normalised(
      mempoolSpace,
      collected({ mempool: { count: 1, vsize: 1, total_fee: 2_100_000_000_000_001 } }),
    )
    expect(beyond.mempool.totalFeeSat).toBeNull()
  })
  it("takes a height with a line end, and three fees alone", () => {
    const { payload } = normalised(
      mempoolSpace,
      collected({ tipHeight: "900001\n", fees: { fastestFee: 3, halfHourFee: 2, hourFee: 0.4, minimumFee: 0 } }),
    )
    expect(payload.blockHeight).toBe(900_001)
    expect(payload.feesSatPerVb).toEqual({ fastest: 3, halfHour: 2, hour: 0.4, economy: null, minimum: null })
  })

  /** The provider with some paths that fail, and the paths that were asked for. */
  const failing = (atMs: number, statuses: Readonly<Record<string, number>>) => {
    const real = upstreamOf(simulated, worldAt("test", atMs))
    const asked: Array<string> = []
    const upstream: Upstream = {
      ...real,
      fetch: (document, input) => {
        const path = new URL(document.url(input)).pathname
        asked.push(path)
        const status = statuses[path]
        return status === undefined
          ? real.fetch(document, input)
          : Effect.fail(
              new HttpFailed({
                reason: "status",
                host: "mempool.space",
                status,
                retryAfterMs: null,
                message: "refused",
              }),
            )
      },
    }
    return { upstream, asked }
  }
  const [PRECISE, RECOMMENDED] = ["/api/v1/fees/precise", "/api/v1/fees/recommended"]

  it("has precise fees where they can be had, and asks for no others then", async () => {
    const { upstream, asked } = failing(NOW_MS, {})
    const exit = await collect(mempoolSpace, upstream, {}, NOW_MS)
    expect(Exit.isSuccess(exit)).toBe(true)
    expect(asked).toEqual([PRECISE, "/api/mempool", "/api/v1/mining/hashrate/3d", "/api/blocks/tip/height"])
  })
  it.each([404, 500, 503])("has whole fees where the precise ones are answered with status %i", async (status) => {
    const { upstream, asked } = failing(NOW_MS, { [PRECISE]: status })
    const exit = await collect(mempoolSpace, upstream, {}, NOW_MS)
    if (Exit.isFailure(exit)) throw new Error(String(exit.cause))
    expect(asked.slice(0, 2)).toEqual([PRECISE, RECOMMENDED])
    for (const fee of Object.values(exit.value.fees)) expect(Number.isInteger(fee)).toBe(true)
  })
  it("asks nothing more of a host that limits it", async () => {
    const { upstream, asked } = failing(NOW_MS, { [PRECISE]: 429 })
    expect(Exit.isFailure(await collect(mempoolSpace, upstream, {}, NOW_MS))).toBe(true)
    expect(asked).toEqual([PRECISE])
  })
  it.each(["/api/mempool", "/api/v1/mining/hashrate/3d", "/api/blocks/tip/height"])(
    "is not shown by halves where %s fails",
    async (path) => {
      const { upstream } = failing(NOW_MS, { [path]: 500 })
      expect(Exit.isFailure(await collect(mempoolSpace, upstream, {}, NOW_MS))).toBe(true)
    },
  )
  it("of the world is the one shown, with whole fees in the hour of the old version", async () => {
    const old = [...Array(24).keys()]
      .map((hour) => NOW_MS + hour * HOUR_MS)
      .filter((ms) => isOldVersion(worldAt("test", ms)))
    expect(old).toHaveLength(1)
    for (const atMs of [NOW_MS, ...old]) {
      const { payload } = await observed(mempoolSpace, simulated, atMs)
      expect(payload.blockHeight).toBe(tipHeightOf(worldAt("test", atMs)))
      expect(payload.hashrateEhS).toBeGreaterThan(500)
      expect(Object.values(payload.feesSatPerVb).every(Number.isInteger)).toBe(old.includes(atMs))
    }
  })
})
