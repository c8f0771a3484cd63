import { describe, expect, it } from "vitest"
import { makeStating } from "../../processors/changes/stated.ts"
import { differingMembers } from "../../processors/feed-state.ts"
import { makeEvent } from "../../schemas/event.ts"
import { itemAppeared, itemChanged, itemGone } from "../../schemas/events/deltas.ts"
import type { CoinQuote } from "../../schemas/feeds/coins.ts"
import { everythingShown, LOG_NAME } from "./numbered-changes.ts"

const coin: CoinQuote = {
  id: "tidecoin",
  symbol: "TIDE",
  name: "Tidecoin",
  priceUsd: 2,
  change1hPercent: null,
  change24hPercent: 5,
  change7dPercent: null,
  marketCapUsd: 1_000_000,
  volume24hUsd: 10,
  rank: 7,
  updatedAt: "2026-11-20T12:34:00.000Z",
}
const row = {
  symbol: "TIDE",
  name: "Tidecoin",
  price_usd: 2,
  market_cap: 1_000_000,
  change_24h_percent: 5,
  rank: 7,
  volume_24h_usd: 10,
}
/** Replies list coins whose change is known alone. */
const unlisted: CoinQuote = { ...coin, change24hPercent: null }

const data = (item: CoinQuote) => ({
  feed: "coins",
  parameters: {},
  provider: "CoinGecko.markets",
  key: item.id,
  item,
  observedAt: "2026-11-20T12:34:56.789Z",
})
const event = { id: "1", source: "test", subject: "coins/tidecoin", time: "2026-11-20T12:34:56.789Z" }
const cursor = { log: LOG_NAME, ordinal: 1 }
const state = makeStating(everythingShown)
const changed = (before: CoinQuote, after: CoinQuote) =>
  state(
    makeEvent(itemChanged, { ...event, data: { ...data(after), before: differingMembers(before, after).before } }),
    cursor,
  )

describe("a change of an item is stated", () => {
  it("not at all where an operator has taken it out", () => {
    const asked: Array<unknown> = []
    const withheld = makeStating({ ...everythingShown, isPurged: (...of) => asked.push(of) > 0 })
    expect(withheld(makeEvent(itemAppeared, { ...event, data: data(coin) }), cursor)).toBeNull()
    expect(asked).toEqual([["coins", "tidecoin", "2026-11-20T12:34:56.789Z"]])
  })

  it("without what an operator has taken out of it before, which is the item of one that is gone", () => {
    const asked: Array<unknown> = []
    const later = makeStating({
      ...everythingShown,
      isPurgedBefore: (...of) => asked.push(of) > 0,
      isPurgedUntilGone: (...of) => asked.push(of) > 0,
    })
    const stated = (before: CoinQuote, after: CoinQuote) => {
      const all = { ...data(after), before: differingMembers(before, after).before }
      return later(makeEvent(itemChanged, { ...event, data: all }), cursor)
    }
    const change = stated(coin, { ...coin, priceUsd: 3 })
    expect(change).toMatchObject({ type: "changed", item: { ...row, price_usd: 3 } })
    expect(change).not.toHaveProperty("before")
    expect(asked).toEqual([["coins", "tidecoin", "2026-11-20T12:34:56.789Z"]])
    // It does not say whether the endpoint listed the item before, either.
    expect(stated(unlisted, coin)).toMatchObject({ type: "changed", item: row })
    expect(stated(coin, unlisted)).toBeNull()
    expect(later(makeEvent(itemGone, { ...event, data: data(coin) }), cursor)).toBeNull()
    expect(later(makeEvent(itemAppeared, { ...event, data: data(coin) }), cursor)).toMatchObject({ type: "appeared" })
  })

  it("without it where the history holds it no more, and as gone where only what it was before is taken out", () => {
    const archived = makeEvent(itemChanged, { ...event, data: data({ ...coin, priceUsd: 3 }) })
    const change = state(archived, cursor)
    expect(change).toMatchObject({ type: "changed", item: { ...row, price_usd: 3 } })
    expect(change).not.toHaveProperty("before")
    const later = makeStating({ ...everythingShown, isPurgedBefore: () => true })
    expect(later(makeEvent(itemGone, { ...event, data: data(coin) }), cursor)).toMatchObject({ type: "gone" })
  })

  it("as the row before and after", () => {
    expect(changed(coin, { ...coin, priceUsd: 3 })).toMatchObject({
      type: "changed",
      item: { ...row, price_usd: 3 },
      before: row,
    })
  })
  it("not at all where the row does not show it, or where the endpoint lists no such item", () => {
    expect(changed(coin, { ...coin, change7dPercent: 1, updatedAt: null })).toBeNull()
    expect(changed(unlisted, { ...unlisted, priceUsd: 3 })).toBeNull()
    for (const type of [itemAppeared, itemGone])
      expect(state(makeEvent(type, { ...event, data: data(unlisted) }), cursor)).toBeNull()
  })
  it("as gone where the endpoint lists it no longer, and as appeared where it did not list it before", () => {
    const gone = changed(coin, unlisted)
    expect(gone).toMatchObject({ type: "gone", item: row })
    expect(gone).not.toHaveProperty("before")
    const appeared = changed(unlisted, coin)
    expect(appeared).toMatchObject({ type: "appeared", item: row })
    expect(appeared).not.toHaveProperty("before")
  })
})
