import { beforeAll, describe, expect, it } from "vitest"
import type { HostPace } from "../../ingestors/http-client.port.ts"
import { type Instance, type KeyLookup, makePlan } from "../../ingestors/poll/plan.ts"
import type { Reading } from "../../ingestors/poll/read.ts"
import type { ProviderAccess, QuotaPeriod } from "../../ingestors/provider-access.ts"
import { providers } from "../../ingestors/providers.ts"
import { sources } from "../../ingestors/registry.ts"
import type { Source } from "../../ingestors/source.ts"
import { instanceKey } from "../../schemas/feed.ts"
import { makeVirtualPolls, type StoppedClock } from "../support/virtual-polls.ts"
import { makeWorldHttp } from "../support/world-http.ts"
import type { ActiveFault, Fault } from "../world/faults.ts"
import { worldKeys } from "../world/keys.ts"
import { simulatedUpstreams } from "../world/server.ts"

// Hours of the whole schedule on a virtual clock: how often each host is asked, against the limits that providers declare.

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const BEGIN_MS = Date.parse("2026-11-20T00:00:00.000Z")
/** How long is simulated; what a longer period of a quota would hold follows from it, with the burst of a start as often. */
const SPAN_MS = 6 * HOUR_MS
/** What the world answers changes this often: each answer in between is the same, and most are confirmed with 304. */
const CONTENT_EVERY_MS = 3 * HOUR_MS
const PERIOD_MS: Readonly<Record<QuotaPeriod, number>> = {
  minute: MINUTE_MS,
  hour: HOUR_MS,
  day: DAY_MS,
  month: 31 * DAY_MS,
}

const EXHAUSTED = ": budget_exhausted"
/** Polls of one instance that a quota may put off. */
const EXHAUSTED_MAX = 10

interface Simulated {
  /** The times of the requests to each host, ascending. */
  readonly requests: ReadonlyMap<string, ReadonlyArray<number>>
  /** Polls that failed: their instances and reasons, with their number. */
  readonly failed: ReadonlyMap<string, number>
  readonly polls: number
}

/** A source that reads the answers of each instance once for each content of the world: requests are counted, not rows. */
const readingOnce = (source: Source, contentMs: () => number): Source => {
  const known = new Map<string, { readonly atMs: number; readonly reading: Reading<unknown> }>()
  return {
    ...source,
    read: function* (collected, context) {
      const [key, atMs] = [instanceKey(source.name, context.parameters), contentMs()]
      const before = known.get(key)
      if (before?.atMs === atMs) return before.reading
      const reading = yield* source.read(collected, context)
      known.set(key, { atMs, reading })
      return reading
    },
  }
}

const simulate = async (keys: KeyLookup, fault: Fault["kind"] | null): Promise<Simulated> => {
  const clock: StoppedClock = { nowMs: BEGIN_MS }
  const requests = new Map<string, Array<number>>()
  const failed = new Map<string, number>()
  const faults: ReadonlyArray<ActiveFault> = fault === null ? [] : [{ host: "*", kind: fault, sinceMs: BEGIN_MS }]
  const contentMs = () => Math.floor(clock.nowMs / CONTENT_EVERY_MS) * CONTENT_EVERY_MS
  const http = makeWorldHttp({
    seed: "manners",
    nowMs: () => clock.nowMs,
    contentMs,
    faults: () => faults,
    onRequest: (host) => {
      const times = requests.get(host) ?? []
      times.push(clock.nowMs)
      requests.set(host, times)
    },
  })
  const polls = makeVirtualPolls(http, clock)
  const reading = sources.map((source) => readingOnce(source, contentMs))
  const { scheduled } = makePlan(reading, keys, null)
  const due = new Map<Instance, number>(scheduled.map((instance) => [instance, polls.dueMs(instance)]))
  let count = 0
  for (;;) {
    const next = scheduled.reduce((first, one) => ((due.get(one) ?? 0) < (due.get(first) ?? 0) ? one : first))
    const atMs = due.get(next) ?? 0
    if (atMs >= BEGIN_MS + SPAN_MS) return { requests, failed, polls: count }
    clock.nowMs = atMs
    const { report } = await polls.poll(next)
    count += 1
    due.set(next, polls.dueMs(next))
    if (report.outcome._tag !== "Failure") continue
    const what = `${next.key}: ${report.outcome.reason}`
    failed.set(what, (failed.get(what) ?? 0) + 1)
  }
}

/** The most requests within any period of this length; of one longer than the span, the span's as often as it fits. */
const mostWithin = (times: ReadonlyArray<number>, periodMs: number): number => {
  if (periodMs > SPAN_MS) return times.length * (periodMs / SPAN_MS)
  let [first, most] = [0, 0]
  for (const [at, timeMs] of times.entries()) {
    while ((times[first] ?? timeMs) <= timeMs - periodMs) first += 1
    most = Math.max(most, at - first + 1)
  }
  return most
}

/** One limit of a provider, and how close the hours come to it. */
interface Measured {
  readonly who: string
  readonly limit: string
  readonly requestsMax: number
  readonly most: number
}

/** The hosts of the world that a provider's sources read. */
const hostsOf = (access: ProviderAccess): ReadonlyArray<string> => [
  ...new Set(
    sources
      .filter((source) => source.access === access)
      .flatMap(({ name }) => simulatedUpstreams.find((one) => one.name === name)?.hosts ?? []),
  ),
]

const timesOf = (hours: Simulated, hosts: ReadonlyArray<string>): ReadonlyArray<number> =>
  hosts.flatMap((host) => hours.requests.get(host) ?? []).toSorted((one, other) => one - other)

/** Whether a provider's part is taken over where its quota is used up: a source of another one stands in at each feed. */
const hasStandIns = (access: ProviderAccess): boolean =>
  sources
    .filter((source) => source.access === access)
    .every(({ fills }) => sources.some((other) => other.access !== access && other.fills.name === fills.name))

const quotasOf = (hours: Simulated, access: ProviderAccess, keys: KeyLookup): ReadonlyArray<Measured> => {
  const isLifted = access.key?.optional === true && keys(access.key.setting) !== null
  const times = timesOf(hours, hostsOf(access))
  return (isLifted ? [] : access.quotas)
    .filter(({ per }) => PERIOD_MS[per] <= SPAN_MS || !hasStandIns(access))
    .map(({ per, requestsMax }) => ({
      who: access.name,
      limit: `quota of a ${per}`,
      requestsMax,
      most: mostWithin(times, PERIOD_MS[per]),
    }))
}

/** A pace is kept by a queue, where requests wait: over a minute, or its interval, it must carry all that come. */
const paceOf = (hours: Simulated, host: string, { requestsMax, intervalMs }: HostPace): Measured => {
  const periodMs = Math.max(MINUTE_MS, intervalMs)
  const times = timesOf(hours, [host])
  return {
    who: host,
    limit: `pace: ${requestsMax} each ${intervalMs} ms, over ${periodMs / 1000} s`,
    requestsMax: Math.floor((requestsMax * periodMs) / intervalMs),
    most: mostWithin(times, periodMs),
  }
}

const measuredBy = (hours: Simulated, keys: KeyLookup): ReadonlyArray<Measured> =>
  providers.flatMap((access) => {
    const { hosts, pace } = access
    return [...quotasOf(hours, access, keys), ...(pace === null ? [] : hosts.map((host) => paceOf(hours, host, pace)))]
  })

const tableOf = (hours: Simulated, measured: ReadonlyArray<Measured>): string =>
  [
    `${hours.polls} polls, ${[...hours.requests.values()].flat().length} requests; by host, in all and in the busiest minute:`,
    ...[...hours.requests].sort().map(([host, times]) => `${host}  ${times.length}  ${mostWithin(times, MINUTE_MS)}`),
    "by declared limit:",
    ...measured.map(({ who, limit, requestsMax, most }) => `${who}  ${limit}  ${most} of ${requestsMax}`),
  ].join("\n")

/** The limits that these hours exceed; the whole table is the message of a failure. */
const expectWithinLimits = (hours: Simulated, keys: KeyLookup): void => {
  const measured = measuredBy(hours, keys)
  expect(
    measured.filter(({ most, requestsMax }) => most > requestsMax),
    tableOf(hours, measured),
  ).toEqual([])
}

const lookup =
  (keys: Readonly<Record<string, string>>): KeyLookup =>
  (setting) =>
    keys[setting] ?? null

describe.each([
  ["without any key", lookup({})],
  ["with every key", lookup(worldKeys(true))],
])("six hours of the whole schedule, %s", (_, keys) => {
  let hours: Simulated
  beforeAll(async () => {
    hours = await simulate(keys, null)
  })

  it("keeps the limits of every provider", () => expectWithinLimits(hours, keys))
  it("fits into its budgets, so that every poll succeeds", () => {
    const failed = [...hours.failed].filter(([what]) => !what.endsWith(EXHAUSTED))
    expect(Object.fromEntries(failed)).toEqual({})
    // Instances that are due at once may wait for a quota now and then, until their polls have spread.
    const waiting = [...hours.failed].filter(([, count]) => count > EXHAUSTED_MAX)
    expect(Object.fromEntries(waiting)).toEqual({})
    expect(hours.polls).toBeGreaterThan(1_000)
  })
  it("asks the hosts of each source that is polled, as often as its interval says", () => {
    for (const { feed, everyMs, candidates } of makePlan(sources, keys, null).scheduled) {
      const { source } = candidates[0]
      const hosts = simulatedUpstreams.find(({ name }) => name === source.name)?.hosts ?? []
      const polls = SPAN_MS / everyMs
      expect(timesOf(hours, hosts).length, feed.name).toBeGreaterThanOrEqual(Math.floor(polls * 0.9))
    }
  })
})

describe("six hours in which every upstream fails", () => {
  const keys = lookup(worldKeys(true))
  it("keeps the limits of every provider, retries and fallbacks included", async () => {
    expectWithinLimits(await simulate(keys, "server-error"), keys)
  })
  it("does not repeat a key that is refused: once an hour", async () => {
    const hours = await simulate(keys, "unauthorized")
    expectWithinLimits(hours, keys)
    for (const access of providers.filter(({ key }) => key !== null && keys(key.setting) !== null)) {
      const polled = sources.filter((source) => source.access === access).length
      expect(timesOf(hours, hostsOf(access)).length, access.name).toBeLessThanOrEqual((SPAN_MS / HOUR_MS + 1) * polled)
    }
  })
})
