import * as Effect from "effect/Effect"
import * as References from "effect/References"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { compose } from "../../api/views/compose.ts"
import { type ClickHouseOptions, openClickHouse } from "../../infra/history/clickhouse.ts"
import { makePlan } from "../../ingestors/poll/plan.ts"
import { sources } from "../../ingestors/registry.ts"
import { insertsOf, readSlice, targetsOf } from "../../processors/history/targets.ts"
import { loadProcessors, tables } from "../../processors/registry.ts"
import { foldingBench, tick } from "../../processors/testing/folding.ts"
import { isView } from "../../schemas/contract/endpoint-kinds.ts"
import { type Envelope, instant, makeEvent } from "../../schemas/event.ts"
import { feedsDeclared } from "../../schemas/events/observations.ts"
import type { LogRecord } from "../../schemas/ports/event-log.ts"
import type { History } from "../../schemas/ports/history.ts"
import { endpoints, eventReader } from "../../schemas/registry.ts"
import { freshnessKey, type ViewBody, type ViewFreshness } from "../../schemas/view-record.ts"
import { worldKeys } from "../world/keys.ts"
import { makeVirtualPolls, type StoppedClock } from "./virtual-polls.ts"
import { makeWorldHttp } from "./world-http.ts"

const MINUTE_MS = 60_000
/** Each waits for the disk, and takes memory that the engine has little of: what it refuses is repeated, as the service does. */
const INSERTS_AT_ONCE = 2
const INSERT_TRIES = 20
const INSERT_PAUSE = "250 millis"

/** A row of a result. */
export type ResultRow = Readonly<Record<string, unknown>>

/** The simulated world as the service has seen it up to an instant: its replies, and its tables in ClickHouse. */
export interface WorldHistory {
  readonly history: History
  readonly nowMs: () => number
  /** Polls everything at this instant, or the feeds that are taken, folds it, and writes the tables. Instants ascend. */
  readonly pollAt: (atMs: number, takes?: (feed: string) => boolean) => Promise<void>
  /** Writes records of other topics, as those of the ledger. */
  readonly write: (records: ReadonlyArray<LogRecord>) => Promise<void>
  /** Every derived event so far, in the order of the log. */
  readonly events: () => ReadonlyArray<Envelope<string, unknown>>
  readonly query: (sql: string) => Promise<ReadonlyArray<ResultRow>>
  /** The reply of the API at the instant of the last poll. Throws where there is none. */
  readonly reply: (key: string) => { readonly data: unknown; readonly meta: ResultRow }
}

const decoder = new TextDecoder()
const encoder = new TextEncoder()

/**
 * Opens the history of the world on an empty ClickHouse. Polls, folds and rows are those of the service, on a clock that the
 * test moves: equal runs give equal tables, and no reply is older or newer than the rows beside it.
 */
export const openWorldHistory = async (
  options: ClickHouseOptions,
  seed: string,
  run: <A, E>(effect: Effect.Effect<A, E, Scope.Scope>) => Promise<A>,
): Promise<WorldHistory> => {
  const quietly = <A, E>(effect: Effect.Effect<A, E, Scope.Scope>) =>
    run(effect.pipe(Effect.provideService(References.MinimumLogLevel, "None")))
  const history = await quietly(openClickHouse(options))
  await quietly(history.prepare)
  const clock: StoppedClock = { nowMs: 0 }
  const keys = worldKeys(false)
  const { scheduled, declared } = makePlan(sources, (setting) => keys[setting] ?? null, null)
  const polls = makeVirtualPolls(makeWorldHttp({ seed, nowMs: () => clock.nowMs }), clock)
  const processors = (await loadProcessors()).filter(({ topic }) => topic === "observations")
  const benches = processors.map((processor) => ({ bench: foldingBench(processor, eventReader), taken: 0 }))
  const targets = targetsOf(tables)
  const ends = new Map<string, number>()
  const derivedSoFar: Array<Envelope<string, unknown>> = []

  const write: WorldHistory["write"] = async (records) => {
    const inserts: Array<Parameters<History["insert"]>[0]> = []
    for (const topic of new Set(records.map((record) => record.topic))) {
      const from = ends.get(topic) ?? 0
      const stored = records
        .filter((record) => record.topic === topic)
        .map(({ key, value }, at) => ({ offset: from + at, key, value }))
      ends.set(topic, from + stored.length)
      const { entries, stop } = await quietly(readSlice(eventReader, stored))
      if (stop !== null) throw new Error(JSON.stringify(stop))
      for (const target of targets.filter((one) => one.topic === topic)) {
        const placed = entries.flatMap(target.rows)
        inserts.push(...insertsOf(`${target.name}/${from}`, placed).map((one) => ({ table: target.table, ...one })))
      }
    }
    const insert: History["insert"] = (rows) =>
      history.insert(rows).pipe(Effect.retry({ schedule: Schedule.spaced(INSERT_PAUSE), times: INSERT_TRIES }))
    await quietly(Effect.forEach(inserts, insert, { concurrency: INSERTS_AT_ONCE, discard: true }))
  }

  const fold = (events: ReadonlyArray<Envelope<string, unknown>>): void => {
    for (const { bench } of benches) bench.fold(...events.map((event) => (id: string) => ({ ...event, id })))
  }

  const pollAt: WorldHistory["pollAt"] = async (atMs, takes = () => true) => {
    const observed: Array<LogRecord> = []
    if (clock.nowMs === 0)
      fold([
        makeEvent(feedsDeclared, {
          id: "declared",
          source: "ingest",
          subject: "ingest",
          time: instant(atMs),
          data: { feeds: declared },
        }),
      ])
    clock.nowMs = atMs
    for (const instance of scheduled.filter(({ feed }) => takes(feed.name))) {
      const { recorded } = await polls.poll(instance)
      const records = recorded.records.filter(({ topic }) => topic === "observations")
      observed.push(...records)
      fold(
        records.map(({ value }) => {
          const read = eventReader.decodeEvent(value ?? new Uint8Array())
          if (read._tag === "Failure") throw read.failure
          return read.success
        }),
      )
    }
    // Verdicts are given at the boundaries of five minutes.
    clock.nowMs = atMs + 5 * MINUTE_MS
    for (const { bench } of benches) bench.fold(tick(atMs), tick(clock.nowMs))
    const derived: Array<LogRecord> = []
    for (const one of benches) {
      const problems = one.bench.problems()
      if (problems.length > 0) throw new Error(JSON.stringify(problems))
      const texts = one.bench.checkpoint().derived
      for (const text of texts.slice(one.taken)) {
        const event: Envelope<string, unknown> = JSON.parse(text)
        derived.push({ topic: "deltas", key: event.type, value: encoder.encode(text) })
        derivedSoFar.push(event)
      }
      one.taken = texts.length
    }
    await write([...observed, ...derived])
  }

  return {
    history,
    nowMs: () => clock.nowMs,
    pollAt,
    write,
    events: () => derivedSoFar,
    query: (sql) => quietly(history.query(sql, Schema.Record(Schema.String, Schema.Unknown))),
    reply: (key) => {
      const endpoint = endpoints.filter(isView).find(({ path }) => path === key.split("?")[0])
      const bodies = benches.map(({ bench }) => [bench.view(key), bench.view(freshnessKey(key))] as const)
      const [body, freshness] = bodies.find(([one]) => one !== undefined) ?? []
      if (endpoint === undefined || body === undefined || freshness === undefined) throw new Error(`no reply of ${key}`)
      const { changedAt, data } = body as ViewBody
      const bytes = Buffer.from(JSON.stringify(data))
      const reply = compose(endpoint, { changedAt, bytes }, freshness as ViewFreshness, clock.nowMs)
      const { _meta, ...members } = JSON.parse(decoder.decode(reply.bytes))
      return { data: members.data ?? members, meta: _meta }
    },
  }
}
