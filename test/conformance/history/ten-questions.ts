import { approximateUsState } from "../../../processors/views/wildfires/us-state.ts"
import { itemAppeared, itemChanged, itemGone } from "../../../schemas/events/deltas.ts"
import type { Parameters } from "../../../schemas/feed.ts"
import { yesAndNo } from "../../../schemas/feeds/predictions.ts"
import type { ResultRow, WorldHistory } from "../../support/world-history.ts"

// The answers to the ten questions of queries.md, found without the tables: in replies of the API, or in the log.

// biome-ignore lint/suspicious/noExplicitAny: data of replies and items, whose members the questions name.
type Data = any

/** What an answer is compared with: the figures of these columns, in this order. */
export interface TenAnswer {
  /** The beginning of the sentence above the query. */
  readonly title: string
  readonly columns: ReadonlyArray<string>
  readonly expected: (world: WorldHistory) => ReadonlyArray<ReadonlyArray<unknown>>
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

interface Change {
  readonly type: string
  readonly feed: string
  readonly parameters: Parameters
  readonly key: string
  readonly item: Data
  readonly observedAt: string
}

const types: ReadonlyArray<string> = [itemAppeared.type, itemChanged.type, itemGone.type]

const changesOf = (world: WorldHistory, ...feeds: ReadonlyArray<string>): ReadonlyArray<Change> =>
  world
    .events()
    .filter(({ type }) => types.includes(type))
    .map(({ type, data }) => ({ ...(data as Omit<Change, "type">), type }))
    .filter(({ feed }) => feeds.includes(feed))

/** The last state of each item that was not withdrawn. */
const itemsOf = (world: WorldHistory, ...feeds: ReadonlyArray<string>): ReadonlyArray<Change> => {
  const latest = new Map<string, Change>()
  for (const change of changesOf(world, ...feeds))
    latest.set(JSON.stringify([change.feed, change.parameters, change.key]), change)
  return [...latest.values()].filter(({ type }) => type !== itemGone.type)
}

const grouped = <Value>(
  values: ReadonlyArray<Value>,
  by: (value: Value) => string,
): ReadonlyMap<string, Array<Value>> => {
  const groups = new Map<string, Array<Value>>()
  for (const value of values) groups.set(by(value), [...(groups.get(by(value)) ?? []), value])
  return groups
}

const rounded = (value: number, places: number): number => Number(value.toFixed(places))

/** The prices of bitcoin that were seen, with their times, oldest first. */
const bitcoin = (world: WorldHistory) =>
  world
    .events()
    .filter(({ type }) => types.includes(type))
    .map(({ data }) => data as Change & { readonly provider: string })
    .filter(({ feed, provider }) => feed === "btc-price" && provider === "Coinbase.btc")
    .map(({ item, observedAt }) => ({ price: Number(item.price), at: observedAt }))

const candles = (world: WorldHistory, characters: number) =>
  [...grouped(bitcoin(world), ({ at }) => at.slice(0, characters))].map(([time, seen]) => {
    const prices = seen.map(({ price }) => price)
    return {
      time,
      open: prices[0] ?? 0,
      high: Math.max(...prices),
      low: Math.min(...prices),
      close: prices.at(-1) ?? 0,
    }
  })

const deviation = (values: ReadonlyArray<number>): number => {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1))
}

/** The feed that the last polls leave out: its last good value is the oldest. */
export const STALE_FEED = "humans-in-space"

export const tenAnswers: ReadonlyArray<TenAnswer> = [
  {
    title: "The biggest earthquake today",
    columns: ["magnitude", "place", "time"],
    expected: (world) => {
      const { earthquakes } = world.reply("/api/climate/earthquakes?magnitude=all&period=day").data as Data
      const today = new Date(world.nowMs()).toISOString().slice(0, 10)
      const [first] = earthquakes
        .filter(({ time }: Data) => time.startsWith(today))
        .toSorted((one: Data, other: Data) => other.magnitude - one.magnitude)
      return [[first.magnitude, first.place, first.time]]
    },
  },
  {
    title: "Hourly open, high, low, close and volatility of bitcoin",
    columns: ["open", "high", "low", "close", "volatility_percent"],
    expected: (world) => {
      const hours = candles(world, 13)
      return hours
        .map(({ open, high, low, close }, at) => {
          const known = hours.slice(Math.max(0, at - 23), at + 1)
          const first = Math.max(1, at - 23)
          const returns = known
            .map((hour, index) => Math.log(hour.close / (hours[Math.max(0, at - 23) + index - 1]?.close ?? Number.NaN)))
            .filter((_, index) => Math.max(0, at - 23) + index >= first)
          return [open, high, low, close, returns.length < 2 ? null : rounded(100 * deviation(returns), 3)]
        })
        .toReversed()
    },
  },
  {
    title: "The stalest feeds",
    columns: ["instance", "verdict"],
    expected: (world) => {
      const reply = world.reply("/api/feed-reliability").data as Data
      const { status } = [...reply.feeds, ...reply.low_coverage].find(({ feed }: Data) => feed === STALE_FEED)
      return [[STALE_FEED, status]]
    },
  },
  {
    title: "Fear and greed against bitcoin",
    columns: ["day", "value", "label", "bitcoin_usd"],
    expected: (world) => {
      const days = new Map(itemsOf(world, "fear-greed").map(({ item }) => [item.day.slice(0, 10), item]))
      return candles(world, 10)
        .flatMap(({ time, close }) =>
          days.has(time) ? [[time, days.get(time).value, days.get(time).label, close]] : [],
        )
        .toReversed()
    },
  },
  {
    title: "Outages by service in the last thirty days",
    columns: ["service", "incidents"],
    expected: (world) => {
      const since = new Date(world.nowMs() - 30 * DAY_MS).toISOString()
      const begun = changesOf(world, "service-status").filter(({ item }) => item.startedAt > since)
      return [...grouped(begun, ({ parameters }) => parameters.service ?? "")]
        .map(([service, incidents]) => [service, new Set(incidents.map(({ key }) => key)).size] as const)
        .toSorted(([one, count], [other, more]) => more - count || (one < other ? -1 : 1))
    },
  },
  {
    title: "Headlines an hour",
    columns: ["headlines"],
    expected: (world) => {
      const since = world.nowMs() - DAY_MS
      const hours = itemsOf(world, "headlines", "press-releases")
        .map(({ item }) => Date.parse(item.publishedAt))
        .filter((atMs) => atMs > since)
        .map((atMs) => Math.floor(atMs / HOUR_MS))
      const [first, last] = [Math.min(...hours), Math.max(...hours)]
      return Array.from({ length: last - first + 1 }, (_, at) => [hours.filter((hour) => hour === first + at).length])
    },
  },
  {
    title: "How prediction markets moved within a day",
    columns: ["moved"],
    expected: (world) => {
      const yes = (item: Data) => yesAndNo(item)?.yes ?? null
      const then = new Date(world.nowMs() - DAY_MS).toISOString()
      const before = new Map(
        changesOf(world, "predictions")
          .filter(({ observedAt }) => observedAt <= then)
          .map(({ key, item }) => [key, yes(item)]),
      )
      return itemsOf(world, "predictions")
        .flatMap(({ key, item }) => {
          const [was, is] = [before.get(key) ?? null, yes(item)]
          return was === null || is === null ? [] : [rounded(is - was, 3)]
        })
        .toSorted((one, other) => Math.abs(other) - Math.abs(one))
        .slice(0, 10)
        .map((moved) => [moved])
    },
  },
  {
    title: "The spread of funding between venues",
    columns: ["base", "spread_percent"],
    expected: (world) =>
      [...grouped(itemsOf(world, "funding-rates"), ({ item }) => item.base)]
        .filter(([, rates]) => new Set(rates.map(({ parameters }) => parameters.venue)).size > 1)
        .map(([base, rates]) => {
          const percents = rates.map(({ item }) => item.annualizedPercent)
          return [base, rounded(Math.max(...percents) - Math.min(...percents), 2)] as const
        })
        .toSorted(([, one], [, other]) => other - one)
        .slice(0, 10),
  },
  {
    title: "Fires by state in the last day",
    columns: ["us_state", "fires"],
    expected: (world) => {
      const since = new Date(world.nowMs() - DAY_MS).toISOString()
      const fires = itemsOf(world, "wildfires").filter(({ item }) => item.acquiredAt > since)
      return [...grouped(fires, ({ item }) => approximateUsState(item.latitude, item.longitude) ?? "")]
        .filter(([state]) => state !== "")
        .map(([state, found]) => [state, found.length] as const)
        .toSorted(([one, count], [other, more]) => more - count || (one < other ? -1 : 1))
    },
  },
]

/** The columns of an answer that are compared. */
export const figuresOf = (rows: ReadonlyArray<ResultRow>, columns: ReadonlyArray<string>) =>
  rows.map((row) => columns.map((column) => row[column]))
