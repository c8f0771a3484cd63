import { perpetualsAt } from "../perpetuals.ts"
import { simulatedUpstream } from "../upstream.ts"
import type { World } from "../world.ts"

const delisted = {
  asset: { szDecimals: 1, name: "WRECK", maxLeverage: 3, marginTableId: 3, isDelisted: true },
  state: {
    funding: "0.0",
    openInterest: "0.0",
    prevDayPx: "0.001",
    dayNtlVlm: "0.0",
    premium: null,
    oraclePx: "0.001",
    markPx: "0.001",
    midPx: null,
    impactPxs: null,
    dayBaseVlm: "0.0",
  },
}

/** The assets and their states, joined by position. Delisted assets stay in both lists, in the midst of the others. */
const assets = (world: World) => {
  const listed = perpetualsAt(world, "hyperliquid", [1]).map(({ coin, rate, markPrice }, at) => {
    const price = String(Number(markPrice.toPrecision(5)))
    return {
      asset: { szDecimals: 2, name: coin === "KELP" ? "kKELP" : coin, maxLeverage: 10, marginTableId: 52 },
      state: {
        // Two more digits than elsewhere.
        funding: `${rate}25`,
        openInterest: "34027906.0",
        prevDayPx: price,
        dayNtlVlm: "3677355032.5003023148",
        premium: "-0.0010321797",
        oraclePx: price,
        markPx: price,
        // A thin market has no prices of impact.
        midPx: at % 20 === 19 ? null : price,
        impactPxs: at % 20 === 19 ? null : [price, price],
        dayBaseVlm: "5919476.0",
      },
    }
  })
  const all = [...listed.slice(0, 5), delisted, ...listed.slice(5)]
  return [
    { universe: all.map(({ asset }) => asset), marginTables: [], collateralToken: 0 },
    all.map(({ state }) => state),
  ]
}

const refused = (status: number, body: string) => ({ status, contentType: "text/plain", body })

export default simulatedUpstream({
  name: "hyperliquid",
  hosts: ["api.hyperliquid.xyz"],
  answer: ({ path, body }, world) => {
    if (path !== "/info") return null
    if (body === null || body === undefined) return refused(405, "")
    const { type } = JSON.parse(body) as { readonly type?: unknown }
    return type === "metaAndAssetCtxs"
      ? { body: assets(world) }
      : refused(422, "Failed to deserialize the JSON body into the target type")
  },
})
