import { loadProcessors } from "../../../processors/registry.ts"
import { declared, failed, foldingBench, type GivenEvent, observed, tick } from "../../../processors/testing/folding.ts"
import type { Json } from "../../../schemas/json.ts"
import type { LogRecord } from "../../../schemas/ports/event-log.ts"
import { eventReader } from "../../../schemas/registry.ts"

// A log of polls with everything that can befall a series, and what was known at an instant, found by the polls alone.

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const EVERY_MS = 5 * MINUTE_MS
/** A poll promises to be fresh for twice its interval: a single one that fails is no gap. */
export const FRESH_MS = 2 * EVERY_MS
const DAY_MS = 24 * HOUR_MS

/** It begins in the evening before a month, so that partitions can be cut. */
export const MONTH_MS = Date.parse("2026-10-01T00:00:00.000Z")
export const BEGIN_MS = MONTH_MS - 6 * HOUR_MS
export const END_MS = MONTH_MS + 12 * HOUR_MS
const DOWN = { fromMs: BEGIN_MS + 2 * HOUR_MS, untilMs: BEGIN_MS + 4 * HOUR_MS }

/** The values of the things of an instance. */
type Values = Readonly<Record<string, number>>

/** An instance that is polled: what its upstream says, and when it fails. */
interface Polled {
  readonly feed: string
  readonly parameters: Readonly<Record<string, string>>
  /** The second of each interval at which it is polled. */
  readonly atSecond: number
  readonly failsMs: readonly [from: number, until: number] | null
  readonly values: (atMs: number) => Values
  readonly payload: (atMs: number, values: Values) => Json
  /** The instants at which it is asked for on request; null if it is polled on schedule. */
  readonly onRequestMs: ReadonlyArray<number> | null
}

const after = (hours: number): number => BEGIN_MS + hours * HOUR_MS
const iso = (ms: number): string => new Date(ms).toISOString()

/** The days that a poll of the index lists: the one of the poll, and two before, one of which is corrected later. */
const fearGreed: Polled = {
  feed: "fear-greed",
  parameters: {},
  atSecond: 7,
  failsMs: [after(11), after(15)],
  values: (atMs) => ({ index: atMs < MONTH_MS ? 61 : 56 }),
  payload: (atMs, { index = 0 }) => {
    const day = Math.floor(atMs / DAY_MS) * DAY_MS
    const before = atMs < MONTH_MS ? [30, 20] : [61, atMs < after(9) ? 30 : 25]
    return {
      items: [index, ...before].map((value, ago) => ({ day: iso(day - ago * DAY_MS), value, label: "Greed" })),
      facts: {},
    }
  },
  onRequestMs: null,
}

const venue = (name: string, atSecond: number, failsMs: Polled["failsMs"], values: Polled["values"]): Polled => ({
  feed: "funding-rates",
  parameters: { venue: name },
  atSecond,
  failsMs,
  values,
  payload: (_, rates) => ({
    items: Object.entries(rates).map(([thing, annualizedPercent]) => ({
      symbol: thing.split(" ")[1] ?? "",
      base: "BTC",
      periodHours: 8,
      periodRate: 0.0001,
      annualizedPercent,
      markPrice: null,
      nextFundingTime: null,
    })),
    facts: {},
  }),
  onRequestMs: null,
})

const weatherAt = (lat: string, lon: string, onRequestMs: Polled["onRequestMs"]): Polled => ({
  feed: "weather",
  parameters: { lat, lon },
  atSecond: 17,
  failsMs: null,
  values: (atMs) => ({ [Number(lat)]: atMs < after(8) ? 18 : 12.5 }),
  payload: (atMs, values) => ({
    latitude: Number(lat),
    longitude: Number(lon),
    elevationM: null,
    at: iso(atMs < after(8) ? after(0) : after(8)),
    temperatureC: Object.values(values)[0] ?? null,
    apparentTemperatureC: null,
    weatherCode: null,
    windSpeedMPerS: null,
    windGustMPerS: null,
    humidityPercent: null,
  }),
  onRequestMs,
})

/** Everything that is polled. Two venues are instances of one feed, and fail at different times. */
export const polled: ReadonlyArray<Polled> = [
  fearGreed,
  venue("binance", 11, null, (atMs) => ({ "binance BTC": atMs < after(1) ? 10 : atMs < after(7) ? 12 : 10 })),
  venue("okx", 13, [after(5), after(8)], (atMs) => ({
    "okx BTC": 30,
    ...(atMs < after(14) ? { "okx ETH": atMs < after(6) ? 40 : 44 } : {}),
  })),
  weatherAt("40.71", "-74.01", null),
  weatherAt("52.52", "13.41", [after(1) + MINUTE_MS, after(5) + MINUTE_MS, after(9) + MINUTE_MS]),
]

/** A poll that brought an answer. */
interface Answer {
  readonly atMs: number
  readonly values: Values
}

/** When an instance is tried while the service runs. */
const triesOf = ({ atSecond, onRequestMs }: Polled): ReadonlyArray<number> => {
  if (onRequestMs !== null) return onRequestMs
  const steps = Array.from({ length: (END_MS - BEGIN_MS) / EVERY_MS }, (_, step) => BEGIN_MS + step * EVERY_MS)
  return steps.map((ms) => ms + atSecond * 1_000).filter((ms) => ms < DOWN.fromMs || ms >= DOWN.untilMs)
}

const isFailing = ({ failsMs }: Polled, atMs: number): boolean =>
  failsMs !== null && atMs >= failsMs[0] && atMs < failsMs[1]

/** The answers of an instance, oldest first. */
export const answersOf = (one: Polled): ReadonlyArray<Answer> =>
  triesOf(one)
    .filter((atMs) => !isFailing(one, atMs))
    .map((atMs) => ({ atMs, values: one.values(atMs) }))

/** What was known at an instant of the things of an instance: the last answer, and whether it was observed to hold then. */
export const knownAt = (one: Polled, atMs: number) => {
  const answers = answersOf(one)
  const last = answers.findLast((answer) => answer.atMs <= atMs)
  const next = answers.find((answer) => answer.atMs > atMs)
  if (last === undefined) return null
  return { ...last, isObserved: next !== undefined && next.atMs - last.atMs <= FRESH_MS }
}

/** The events of the log, in the order of their times: starts, polls, and a tick before the polls of each interval. */
const logged = (): ReadonlyArray<readonly [atMs: number, event: GivenEvent]> => {
  const scheduled = polled.filter(({ onRequestMs }) => onRequestMs === null)
  const feeds = scheduled.map(({ feed, parameters }) => ({ feed, parameters, provider: `A.${feed}` }))
  const starts = [BEGIN_MS, DOWN.untilMs].map((ms) => [ms, declared(ms, feeds)] as const)
  const ticks = Array.from({ length: (END_MS - BEGIN_MS) / EVERY_MS + 1 }, (_, step) => BEGIN_MS + step * EVERY_MS)
    .filter((ms) => ms < DOWN.fromMs || ms >= DOWN.untilMs)
    .map((ms) => [ms + 3_000, tick(ms + 3_000)] as const)
  const polls = polled.flatMap((one) => {
    const poll = { parameters: one.parameters, provider: `A.${one.feed}`, freshForMs: FRESH_MS }
    return triesOf(one).map((ms) => {
      const event = isFailing(one, ms)
        ? failed(ms, one.feed, "timeout", "slow", poll)
        : observed(ms, one.feed, one.payload(ms, one.values(ms)), poll)
      return [ms, event] as const
    })
  })
  return [...starts, ...ticks, ...polls].sort(([one], [other]) => one - other)
}

const encoder = new TextEncoder()

/** What the service derives of that log: the changes of items, and the verdicts. */
export const derivedRecords = async (): Promise<ReadonlyArray<LogRecord>> => {
  const processors = (await loadProcessors()).filter(({ name }) => name === "latest" || name === "reliability")
  const events = logged().map(([, event]) => event)
  return processors.flatMap((processor) => {
    const bench = foldingBench(processor, eventReader)
    bench.fold(...events)
    const problems = bench.problems()
    if (problems.length > 0) throw new Error(JSON.stringify(problems))
    return bench.checkpoint().derived.map((text) => ({
      topic: "deltas" as const,
      key: processor.name,
      value: encoder.encode(text),
    }))
  })
}
