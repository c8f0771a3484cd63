import binance from "../../../ingestors/sources/binance-futures.ts"
import type bybit from "../../../ingestors/sources/bybit.ts"
import { normalised } from "./read.ts"

// Contracts as venues list them, written by hand.

/** What a source collects. */
export type Of<Source extends { readonly read: (collected: never, ...rest: never) => unknown }> = Parameters<
  Source["read"]
>[0]

const AT_MS = Date.parse("2026-11-20T12:34:56.789Z")
const HOUR_MS = 3_600_000

/** A row of Binance's premium index. */
export const premium = (members: object = {}) => ({
  symbol: "KELPUSDT",
  markPrice: "2.5",
  lastFundingRate: "0.0001",
  nextFundingTime: AT_MS + 1_000,
  time: AT_MS,
  ...members,
})
/** A row of Binance's list of intervals. */
export const interval = { symbol: "TIDEUSDT", fundingIntervalHours: 4 }
export const ofBinance = (premiums: ReadonlyArray<unknown>, intervals: Of<typeof binance>["intervals"] = [interval]) =>
  normalised(binance, { premiums, intervals }).payload

export const ticker = (members: object = {}) => ({
  symbol: "KELPUSDT",
  markPrice: "2.5",
  fundingRate: "0.0001",
  nextFundingTime: String(AT_MS + 1_000),
  fundingIntervalHour: "8",
  ...members,
})
export const tickers = (...list: ReadonlyArray<unknown>): Of<typeof bybit> => ({
  retCode: 0,
  result: { category: "linear", list },
})

/** The time of the coming payment of `swap`. */
export const COMING_MS = AT_MS + 1_000
export const swap = (members: object = {}) => ({
  instId: "KELP-USDT-SWAP",
  instType: "SWAP",
  fundingRate: "0.0001",
  fundingTime: String(COMING_MS),
  nextFundingTime: String(COMING_MS + 8 * HOUR_MS),
  ts: String(AT_MS),
  ...members,
})
