import { isRefusedByLaw, perpetualsAt } from "../perpetuals.ts"
import { simulatedUpstream } from "../upstream.ts"
import type { World } from "../world.ts"

const contracts = (world: World) => perpetualsAt(world, "binance", [8, 8, 8, 4, 4, 1])

const premium = (time: number, symbol: string, price: number, rate: string, nextFundingTime: number) => ({
  symbol,
  markPrice: price.toFixed(8),
  indexPrice: (price * 1.0003).toFixed(8),
  estimatedSettlePrice: (price * 1.0001).toFixed(8),
  lastFundingRate: rate,
  interestRate: "0.00010000",
  nextFundingTime,
  time,
})

const premiumIndex = (world: World) => {
  const time = Math.floor(world.nowMs / 1000) * 1000
  const listed = contracts(world)
  const bitcoin = listed.find(({ coin }) => coin === "BTC")?.markPrice ?? 0
  return [
    ...listed.map(({ coin, rate, markPrice, nextFundingMs }) =>
      premium(time, `${coin}USDT`, markPrice, rate, nextFundingMs),
    ),
    // A contract margined in another currency, a dated one, and one that is no longer traded.
    premium(time, "BTCUSDC", bitcoin, "0.00004000", Math.ceil((time + 1) / 28_800_000) * 28_800_000),
    premium(time, "BTCUSDT_270326", bitcoin * 1.01, "", 0),
    premium(time, "WRECKUSDT", 0.001, "0.00000000", 0),
  ]
}

/** Contracts of 8 hours are listed too where another of their parameters is adjusted. */
const fundingInfo = (world: World) =>
  contracts(world)
    .filter(({ coin, periodHours }) => periodHours !== 8 || world.random("adjusted", coin) < 0.3)
    .map(({ coin, periodHours }, at) => ({
      symbol: `${coin}USDT`,
      adjustedFundingRateCap: at % 7 === 0 ? "0.00300" : "0.02000000",
      adjustedFundingRateFloor: at % 7 === 0 ? "-0.00300" : "-0.02000000",
      fundingIntervalHours: periodHours,
      disclaimer: at % 7 === 0,
      updateTime: at % 7 === 0 ? null : 1_752_854_309_429,
    }))

export default simulatedUpstream({
  name: "binance-futures",
  hosts: ["fapi.binance.com"],
  outage: (world) =>
    isRefusedByLaw(world)
      ? {
          status: 451,
          body: {
            code: 0,
            msg: "Service unavailable from a restricted location according to 'b. Eligibility' in the terms of use.",
          },
        }
      : null,
  answer: ({ path, query }, world) => {
    if (path === "/fapi/v1/fundingInfo") return { body: fundingInfo(world) }
    if (path !== "/fapi/v1/premiumIndex") return null
    const symbol = query.get("symbol")
    const rows = premiumIndex(world)
    if (symbol === null) return { body: rows }
    return { body: rows.find((row) => row.symbol === symbol) ?? { code: -1121, msg: "Invalid symbol." } }
  },
})
