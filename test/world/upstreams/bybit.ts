import { perpetualsAt } from "../perpetuals.ts"
import { simulatedUpstream } from "../upstream.ts"

/** All members of a contract are texts, empty where they do not apply. */
const ticker = (symbol: string, price: number, members: Readonly<Record<string, string>>) => ({
  symbol,
  lastPrice: price.toFixed(4),
  indexPrice: (price * 1.0002).toFixed(4),
  markPrice: price.toFixed(4),
  prevPrice24h: (price * 0.99).toFixed(4),
  price24hPcnt: "0.010101",
  openInterest: "56399.823",
  openInterestValue: "4425831726.38",
  turnover24h: "4216771708.8491",
  volume24h: "53719.1900",
  fundingRate: "",
  nextFundingTime: "0",
  predictedDeliveryPrice: "",
  basisRate: "",
  deliveryTime: "0",
  basis: "",
  fundingIntervalHour: "",
  fundingCap: "",
  ...members,
})

export default simulatedUpstream({
  name: "bybit",
  hosts: ["api.bybit.com"],
  answer: ({ path, query }, world) => {
    if (path !== "/v5/market/tickers") return null
    const answer = (retCode: number, retMsg: string, result: object) => ({
      body: { retCode, retMsg, result, retExtInfo: {}, time: world.nowMs },
    })
    const category = query.get("category")
    // Errors have status 200.
    if (category !== "linear") return answer(10001, "params error: Category is invalid", {})
    const perpetuals = perpetualsAt(world, "bybit", [8, 8, 8, 4, 2])
    const list = perpetuals.map(({ coin, periodHours, rate, markPrice, nextFundingMs }) =>
      ticker(`${coin}USDT`, markPrice, {
        fundingRate: rate,
        nextFundingTime: String(nextFundingMs),
        fundingIntervalHour: String(periodHours),
        fundingCap: "0.005",
      }),
    )
    const bitcoin = perpetuals[0]?.markPrice ?? 0
    const [first, ...others] = list
    const dated = ticker("BTC-26MAR27", bitcoin * 1.01, { deliveryTime: "1806048000000", basisRate: "0.0101" })
    const inUsdc = ticker("BTCPERP", bitcoin, {
      fundingRate: "0.00003",
      nextFundingTime: String(world.nowMs),
      fundingIntervalHour: "8",
    })
    return answer(0, "OK", { category, list: [dated, ...(first === undefined ? [] : [first]), inUsdc, ...others] })
  },
})
