import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { describe, expect, it } from "vitest"
import type { Upstream } from "../../ingestors/document.ts"
import { HttpFailed } from "../../ingestors/http-client.port.ts"
import binanceTickers from "../../ingestors/sources/binance-tickers.ts"
import { exchangeTickerBases } from "../../schemas/feeds/exchange-tickers.ts"
import simulated from "../world/upstreams/binance-tickers.ts"
import { worldAt } from "../world/world.ts"
import { normalised } from "./support/read.ts"
import { collect, observed, upstreamOf } from "./support/world.ts"

const NOW_MS = Date.parse("2026-11-20T12:34:56.789Z")

/** The provider that refuses the list of followed pairs with a status, and the number of its requests. */
const refusing = (status: number) => {
  const real = upstreamOf(simulated, worldAt("test", NOW_MS))
  const asked: Array<string> = []
  const upstream: Upstream = {
    ...real,
    fetch: (document, input) => {
      const { search } = new URL(document.url(input))
      asked.push(search)
      return search === ""
        ? real.fetch(document, input)
        : Effect.fail(
            new HttpFailed({
              reason: "status",
              host: "api.binance.com",
              status,
              retryAfterMs: null,
              message: "refused",
            }),
          )
    },
  }
  return { upstream, asked }
}
describe("pairs", () => {
  it("are picked out of every pair of the venue where the list names one that it no longer knows", async () => {
    const { upstream, asked } = refusing(400)
    const exit = await collect(binanceTickers, upstream, {}, NOW_MS)
    if (Exit.isFailure(exit)) throw new Error(String(exit.cause))
    expect(asked).toHaveLength(2)
    const { payload } = normalised(binanceTickers, exit.value, { observedAtMs: NOW_MS })
    expect(payload).toEqual((await observed(binanceTickers, simulated, NOW_MS)).payload)
  })
  it.each([418, 429, 451, 503])("are not asked for again after status %i", async (status) => {
    const { upstream, asked } = refusing(status)
    expect(Exit.isFailure(await collect(binanceTickers, upstream, {}, NOW_MS))).toBe(true)
    expect(asked).toHaveLength(1)
  })
  it("asks for twenty pairs, which the venue counts as the least", async () => {
    const { upstream, asked } = refusing(503)
    await collect(binanceTickers, upstream, {}, NOW_MS)
    const symbols: unknown = JSON.parse(new URLSearchParams(asked[0]).get("symbols") ?? "")
    expect(symbols).toEqual(exchangeTickerBases.map((base) => `${base}USDT`))
    expect(symbols).toHaveLength(20)
  })
})
