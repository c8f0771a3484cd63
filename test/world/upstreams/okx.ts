import { perpetualsAt, type WorldPerpetual } from "../perpetuals.ts"
import { simulatedUpstream } from "../upstream.ts"
import type { World } from "../world.ts"

const HOUR_MS = 3_600_000

const perpetuals = (world: World) => perpetualsAt(world, "okx", [8, 8, 8, 4, 2, 1])

/** The period is not published: it follows from the times of the coming payment and of the one after it. */
const swap = (world: World, instId: string, { rate, periodHours, nextFundingMs }: WorldPerpetual) => {
  const periodMs = periodHours * HOUR_MS
  return {
    formulaType: "withRate",
    fundingRate: `${rate}00000000`,
    fundingTime: String(nextFundingMs),
    impactValue: "20000.0000000000000000",
    instId,
    instType: "SWAP",
    interestRate: "0.0001000000000000",
    maxFundingRate: "0.00375",
    method: "current_period",
    minFundingRate: "-0.00375",
    nextFundingRate: "",
    nextFundingTime: String(nextFundingMs + periodMs),
    premium: "-0.0002490087536155",
    prevFundingTime: String(nextFundingMs - periodMs),
    settFundingRate: "0.0000467644705158",
    settState: "settled",
    ts: String(world.nowMs),
  }
}

/** Every swap, those margined in US dollars and USDC included. */
const swaps = (world: World) =>
  perpetuals(world).flatMap((perpetual, at) => [
    ...(at < 3 ? [swap(world, `${perpetual.coin}-USD-SWAP`, perpetual)] : []),
    swap(world, `${perpetual.coin}-USDT-SWAP`, perpetual),
    ...(at < 3 ? [swap(world, `${perpetual.coin}-USDC-SWAP`, perpetual)] : []),
  ])

const marks = (world: World) =>
  perpetuals(world).map(({ coin, markPrice }) => ({
    instId: `${coin}-USDT-SWAP`,
    instType: "SWAP",
    markPx: String(Number(markPrice.toPrecision(7))),
    ts: String(world.nowMs),
  }))

const answer = (data: ReadonlyArray<object>, code = "0", msg = "") => ({ body: { code, data, msg } })

export default simulatedUpstream({
  name: "okx",
  hosts: ["www.okx.com"],
  answer: ({ path, query }, world) => {
    if (path === "/api/v5/public/mark-price" && query.get("instType") === "SWAP") return answer(marks(world))
    if (path !== "/api/v5/public/funding-rate") return null
    const instId = query.get("instId")
    const listed = swaps(world).filter((one) => instId === "ANY" || one.instId === instId)
    return listed.length === 0
      ? answer([], "51001", "Instrument ID, Instrument ID code, or Spread ID doesn't exist.")
      : answer(listed)
  },
})
