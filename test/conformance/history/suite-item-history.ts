import { parse } from "csv-parse/sync"
import * as Result from "effect/Result"
import fc from "fast-check"
import { expect, it } from "vitest"
import { apiUnderTest } from "../../../api/testing/api-under-test.ts"
import { openClickHouse } from "../../../infra/history/clickhouse.ts"
import { itemHistory } from "../../../processors/changes/item-history.ts"
import type { StatingRules } from "../../../processors/changes/stated.ts"
import itemChanges from "../../../processors/tables/item_changes/table.ts"
import { cursorText, withSequence } from "../../../schemas/change.ts"
import type { ItemHistoryReply } from "../../../schemas/contract/item-history.ts"
import { instant, makeEvent } from "../../../schemas/event.ts"
import { itemAppeared, itemChanged, itemGone } from "../../../schemas/events/deltas.ts"
import { instanceKey } from "../../../schemas/feed.ts"
import { DAILY } from "../../../schemas/feeds/earthquakes.ts"
import type { LogRecord } from "../../../schemas/ports/event-log.ts"
import type { History } from "../../../schemas/ports/history.ts"
import { endpoints, eventReader } from "../../../schemas/registry.ts"
import { everythingShown, LOG_NAME, otherEvent } from "../../changes/numbered-changes.ts"
import { eventually } from "../../support/eventually.ts"
import { type Engine, migrations, openLine, type Stage } from "./harness.ts"

const BEGIN_MS = Date.parse("2026-01-31T23:50:00.000Z")
const EARTHQUAKES = "/api/climate/earthquakes/history"
const encoder = new TextEncoder()

/** A change of a test: its number, when it happened and became known in seconds after the beginning, and what it is. */
interface Given {
  readonly ordinal: number
  readonly happened: number
  readonly known: number
  readonly type?: "appeared" | "changed" | "gone"
  readonly provider?: string
  readonly parameters?: Readonly<Record<string, string>>
  readonly log?: string
  readonly place?: string
}

const at = (seconds: number): string => instant(BEGIN_MS + seconds * 1_000)

const record = (given: Given): LogRecord => {
  const { ordinal, happened, known, type = "appeared", provider = "USGS.earthquakes", parameters = DAILY } = given
  const item = {
    id: `quake${ordinal}`,
    type: "earthquake",
    magnitude: 4.5,
    magnitudeType: "mww",
    place: given.place ?? `${ordinal} km of 日本 "O'Brien"`,
    time: at(happened),
    revisedAt: at(known),
    latitude: 35.5,
    longitude: -120.25,
    depthKm: 10.5,
    tsunami: false,
    alert: null,
    significance: 300,
    status: "automatic",
    url: null,
  }
  const data = { feed: "earthquakes", parameters, provider, key: item.id, observedAt: at(known), item }
  const event = { id: `event-${ordinal}`, source: "test", subject: `earthquakes/${item.id}`, time: at(known) }
  const made =
    type === "changed"
      ? makeEvent(itemChanged, { ...event, data: { ...data, before: { magnitude: 4.25 } } })
      : makeEvent(type === "gone" ? itemGone : itemAppeared, { ...event, data })
  const text = withSequence(JSON.stringify(made), { log: given.log ?? LOG_NAME, ordinal })
  return { topic: "deltas", key: made.type, value: encoder.encode(text) }
}

/** The history of what happened, in ClickHouse and at the door. */
export const itemHistoryTests = (engine: () => Engine, stage: () => Stage): void => {
  /** Puts changes into the table as the history's consumer does, without a log. */
  const put = async (given: ReadonlyArray<Given>, from = 0): Promise<void> => {
    const rows = given.flatMap((one, index) => {
      const event = Result.getOrThrow(eventReader.readEvent(record(one).value ?? new Uint8Array()))
      return itemChanges.rows(event).map((row) => ({ ...row, event_id: event.id, log_offset: from + index }))
    })
    for (const [partition, some] of Map.groupBy(rows, itemChanges.partitions.of))
      await stage().run(
        stage().history.insert({ table: "item_changes", rows: some, token: `${partition} ${from} ${Math.random()}` }),
      )
  }
  const api = async (history: History = stage().history, rules: Partial<StatingRules> = {}) => {
    const { app } = await apiUnderTest({
      endpoints,
      itemHistory: itemHistory({ history, ...everythingShown, ...rules }),
    })
    return async (path: string) => {
      const reply = await app.inject(path)
      // A time before the first change became known, of which nothing is held.
      if (reply.statusCode === 404) expect(reply.json()).toMatchObject({ error: "before_history" })
      else expect(reply.statusCode, `${path}: ${reply.body.slice(0, 400)}`).toBe(200)
      return reply
    }
  }
  type Get = Awaited<ReturnType<typeof api>>

  /** The cursors of all pages, following `next`. */
  const walked = async (get: Get, path: string, between = async () => {}): Promise<ReadonlyArray<string>> => {
    const found: Array<string> = []
    for (let next: string | null = path; next !== null; ) {
      const reply = await get(next)
      if (reply.statusCode === 404) return found
      const page: ItemHistoryReply = reply.json()
      found.push(...page.changes.map(({ cursor }) => cursor))
      next = page.next
      await between()
      if (found.length > 10_000) throw new Error("the pages do not end")
    }
    return found
  }

  const cursorOf = ({ log = LOG_NAME, ordinal }: Given) => cursorText({ log, ordinal })
  /** What a range of these changes must give. */
  const expected = (given: ReadonlyArray<Given>, order: "asc" | "desc", from = -1e9, to = 1e9) => {
    const cursors = given
      .filter(({ happened }) => happened >= from && happened < to)
      .toSorted((one, other) => one.happened - other.happened || (cursorOf(one) < cursorOf(other) ? -1 : 1))
      .map(cursorOf)
    return order === "asc" ? cursors : cursors.toReversed()
  }

  it("gives the changes by event time, each once, through the log, the consumer and its table", async () => {
    const given = Array.from({ length: 300 }, (_, index): Given => {
      const type = (["appeared", "changed", "gone"] as const)[index % 3] ?? "appeared"
      // Twenty changes an instant, across the end of a month, known in another order than they happened.
      return { ordinal: index + 1, happened: Math.floor(((index * 37) % 300) / 20) * 60, known: 900 + index, type }
    })
    // Each table of the stage has rows: without any, its progress is noted later.
    await stage().append(given.flatMap((one) => [record(one), otherEvent(one.ordinal)]))
    const { crash } = stage().consume()
    await eventually("the changes are in their table", async () => {
      return (await stage().count("SELECT count() AS count FROM item_changes")) === 300 && (await stage().written())
    })
    await crash()
    await stage().verify()
    const get = await api()
    for (const order of ["asc", "desc"] as const)
      expect(await walked(get, `${EARTHQUAKES}?order=${order}&limit=17`)).toEqual(expected(given, order))

    const { changes, ...page }: ItemHistoryReply = (
      await get(`${EARTHQUAKES}?limit=1&from=${at(0)}&to=${at(1)}&order=asc`)
    ).json()
    const [first] = expected(given, "asc", 0, 1)
    expect(page).toMatchObject({ feed: "earthquakes", endpoint: "climate/earthquakes", ordered_by: "happened_at" })
    expect(changes).toMatchObject([{ cursor: first, happened_at: at(0), type: expect.any(String) }])
    expect(changes[0]?.at).toBe(instanceKey("/api/climate/earthquakes", { ...DAILY, at: first ?? "" }))
    const changed = (await get(`${EARTHQUAKES}?limit=300`))
      .json()
      .changes.filter(({ type }: Given) => type === "changed")
    expect(changed).toHaveLength(100)
    expect(changed[0]).toMatchObject({ item: { magnitude: 4.5 }, before: { magnitude: 4.25 } })
  })

  it("has no seam between pages, whatever the times, the range, the order and the size of a page", async () => {
    const get = await api()
    const seconds = fc.integer({ min: -3, max: 3 })
    // Few times, so that many are equal; two logs, as a log that lost its end has another name.
    const given = fc
      .array(fc.record({ happened: seconds, log: fc.constantFrom("aaaaaaaa", "zzzzzzzz") }), { maxLength: 40 })
      .map((list): ReadonlyArray<Given> => list.map((one, index) => ({ ...one, ordinal: index + 1, known: index })))
    const range = fc.record({
      order: fc.constantFrom("asc" as const, "desc" as const),
      limit: fc.integer({ min: 1, max: 15 }),
      bounds: fc.tuple(seconds, seconds).map(([one, other]) => [Math.min(one, other), Math.max(one, other)] as const),
      isBounded: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(given, fc.array(range, { minLength: 1, maxLength: 4 }), async (changes, ranges) => {
        await stage().run(stage().history.execute("TRUNCATE TABLE item_changes"))
        if (changes.length > 0) await put(changes)
        for (const { order, limit, bounds, isBounded } of ranges) {
          const [from, to] = isBounded ? bounds : [undefined, undefined]
          const bound = isBounded ? `&from=${at(bounds[0])}&to=${at(bounds[1])}` : ""
          expect(await walked(get, `${EARTHQUAKES}?order=${order}&limit=${limit}${bound}`)).toEqual(
            expected(changes, order, from, to),
          )
        }
      }),
      { numRuns: 25 },
    )
  })

  it("gives each change that was there once, while others come before, between and behind", async () => {
    const old = Array.from(
      { length: 60 },
      (_, index): Given => ({ ordinal: index + 1, happened: index % 7, known: index }),
    )
    await put(old)
    const get = await api()
    let ordinal = 60
    const news = async () => {
      const come = [0, 3, 6].map((happened): Given => ({ ordinal: ++ordinal, happened, known: ordinal }))
      await put(come, ordinal)
    }
    for (const order of ["asc", "desc"] as const) {
      const found = await walked(get, `${EARTHQUAKES}?order=${order}&limit=11&to=${at(7)}`, news)
      expect(new Set(found).size).toBe(found.length)
      const known = new Set(old.map(cursorOf))
      expect(found.filter((cursor) => known.has(cursor))).toEqual(expected(old, order))
    }
  })

  it("withholds what may not be shown today, and goes on behind it", async () => {
    const given = Array.from({ length: 900 }, (_, index): Given => {
      const provider = index % 300 === 150 ? "USGS.earthquakes" : "Closed.quakes"
      return { ordinal: index + 1, happened: index, known: index, provider }
    })
    // What only a request has brought would show what others ask for.
    const asked = { ordinal: 901, happened: 900, known: 901, parameters: { magnitude: "all", period: "asked" } }
    await put([...given, asked])
    const get = await api(stage().history, { isShown: (_, provider) => provider === "USGS.earthquakes" })
    const open = given.filter(({ provider }) => provider === "USGS.earthquakes")
    expect(await walked(get, `${EARTHQUAKES}?limit=2`)).toEqual(expected(open, "desc"))
    expect((await get(EARTHQUAKES)).body).not.toContain("Closed")
    const all = await api()
    expect(await walked(all, `${EARTHQUAKES}?limit=1000`)).toEqual(expected(given, "desc"))
    // A page ends where it has looked at enough, though it found nothing.
    const closed = await api(stage().history, { isShown: () => false })
    expect(await walked(closed, `${EARTHQUAKES}?limit=1`)).toEqual([])
    const { body, headers } = await closed(`${EARTHQUAKES}?limit=1&format=csv`)
    expect([body.trim().split("\r\n").length, headers.link]).toEqual([1, undefined])
  })

  it("ends a page that grows too large, and goes on behind it", async () => {
    const long = "x".repeat(400_000)
    const given = Array.from(
      { length: 30 },
      (_, index): Given => ({ ordinal: index + 1, happened: 0, known: index, place: long }),
    )
    for (const [index, one] of given.entries()) await put([one], index)
    const get = await api()
    const { body } = await get(`${EARTHQUAKES}?limit=1000`)
    expect(body.length).toBeGreaterThan(4_000_000)
    expect(body.length).toBeLessThan(5_500_000)
    expect(await walked(get, `${EARTHQUAKES}?limit=1000`)).toEqual(expected(given, "desc"))
  })

  it("is a table too, with the next page in a header", async () => {
    const given = [1, 2, 3].map(
      (ordinal): Given => ({
        ordinal,
        happened: ordinal,
        known: 10,
        type: ordinal === 2 ? "changed" : "appeared",
        place: "=1+1",
      }),
    )
    await put(given)
    const get = await api()
    const first = await get(`${EARTHQUAKES}?format=csv&limit=2&order=asc`)
    expect(first.headers["content-type"]).toContain("text/csv")
    expect(first.headers["content-disposition"]).toContain("climate-earthquakes-history.csv")
    const rows: ReadonlyArray<Record<string, string>> = parse(first.body, { columns: true })
    expect(rows).toMatchObject([
      {
        cursor: cursorText({ log: LOG_NAME, ordinal: 1 }),
        type: "appeared",
        happened_at: at(1),
        known_at: at(10),
        "item.id": "quake1",
        "item.place": "'=1+1",
        before: "",
      },
      { type: "changed", "item.magnitude": "4.5", "item.depth_km": "10.5" },
    ])
    expect(rows[0]?.at).toContain("/api/climate/earthquakes?at=")
    expect(JSON.parse(rows[1]?.before ?? "")).toMatchObject({ magnitude: 4.25 })
    const [, next = ""] = /^<(.*)>; rel="next"$/.exec(String(first.headers.link)) ?? []
    const second = await get(next)
    expect(parse(second.body, { columns: true })).toMatchObject([{ "item.id": "quake3" }])
    expect(second.headers.link).toBeUndefined()
  })

  it("says that it cannot be read while ClickHouse is away or has no tables yet, and is read again afterwards", async () => {
    await put([{ ordinal: 1, happened: 0, known: 1 }])
    const line = await openLine(() => engine().options.url)
    const history = await stage().run(openClickHouse({ ...engine().options, migrations, url: line.url }))
    const { app, errors } = await apiUnderTest({ endpoints, itemHistory: itemHistory({ history, ...everythingShown }) })
    const status = async () => {
      const reply = await app.inject(EARTHQUAKES)
      return [reply.statusCode, reply.json().error, reply.headers["retry-after"], reply.headers["cache-control"]]
    }
    line.cut()
    expect(await status()).toEqual([503, "history_unavailable", "5", "no-store"])
    line.mend()
    expect((await status())[0]).toBe(200)
    await stage().run(stage().history.execute("DROP TABLE item_changes SYNC"))
    expect(await status()).toEqual([503, "history_unavailable", "5", "no-store"])
    // Both pass by themselves.
    expect(errors).toEqual([])
    await line.close()
  })
}
