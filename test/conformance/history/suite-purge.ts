import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { expect, it } from "vitest"
import { archivedChanges } from "../../../processors/changes/archived-changes.ts"
import { makeChangeLog } from "../../../processors/changes/change-log.ts"
import type { StatingRules } from "../../../processors/changes/stated.ts"
import { rebuildTables } from "../../../processors/history/rebuild.ts"
import { readStates } from "../../../processors/history/state.ts"
import { targetsOf } from "../../../processors/history/targets.ts"
import { pastViews } from "../../../processors/past/past-views.ts"
import { pastProcessors } from "../../../processors/past/processors.ts"
import { versionsRecord } from "../../../processors/past/versions.ts"
import { keyDigest } from "../../../processors/purges/item-purge.ts"
import { makePurgeList, pathsDrawingOn } from "../../../processors/purges/purge-list.ts"
import { makeValueStore } from "../../../processors/run/stored-values.ts"
import { withSequence } from "../../../schemas/change.ts"
import { type Envelope, encodeEvent, instant, makeEvent } from "../../../schemas/event.ts"
import { itemAppeared, itemChanged, itemGone } from "../../../schemas/events/deltas.ts"
import { feedObserved, feedPatched } from "../../../schemas/events/observations.ts"
import { feedPurged } from "../../../schemas/events/purges.ts"
import { documentQuarantined } from "../../../schemas/events/quarantine.ts"
import { deltaPublished } from "../../../schemas/events/world-deltas.ts"
import { DAILY, type Earthquake } from "../../../schemas/feeds/earthquakes.ts"
import type { LogRecord } from "../../../schemas/ports/event-log.ts"
import type { Topic } from "../../../schemas/topics.ts"
import { everythingShown, LOG_NAME } from "../../changes/numbered-changes.ts"
import { eventually } from "../../support/eventually.ts"
import type { Stage } from "./harness.ts"
import { tables } from "./workload.ts"

// What an operator takes out of the past of a feed: it is in no table, no view and no payload of the archive any more, whatever is
// written again; and everything else is there as before.

const BEGIN_MS = Date.parse("2026-01-31T23:50:00.000Z")
const MINUTE_MS = 60_000
/** A word that only what is taken out holds. */
const SECRET = "Secretville"
const PLAIN_VIEW = "/api/earthquake"
const OTHER_VIEW = "/api/tech-news"

const at = (minute: number): string => instant(BEGIN_MS + minute * MINUTE_MS)

const quake = (id: string, minute: number, place: string): Earthquake =>
  ({
    id,
    type: "earthquake",
    magnitude: 4.5,
    magnitudeType: "mww",
    place,
    time: at(minute),
    revisedAt: at(minute),
    latitude: 35.5,
    longitude: -120.25,
    depthKm: 10.5,
    tsunami: false,
    alert: null,
    significance: 300,
    status: "automatic",
    url: null,
  }) as unknown as Earthquake

/** The targets that the hour has rows for. */
const filled = [
  ...["events/observations", "events/deltas", "events/versions", "events/quarantine"],
  ...["earthquakes", "item_changes", "view_versions"],
]

const placeOf = (key: string, minute: number): string => `${minute} km of ${key === "q1" ? SECRET : key}`

/** The records of a commit whose event has a number in its log. */
const numbered = (event: Envelope<string, unknown>, ordinal: number): LogRecord => ({
  topic: "deltas",
  key: event.type,
  value: new TextEncoder().encode(withSequence(JSON.stringify(event), { log: LOG_NAME, ordinal })),
})

const plain = (topic: Topic, event: Envelope<string, unknown>): LogRecord => ({
  topic,
  key: event.subject,
  value: encodeEvent(event),
})

/** An integer of more than 64 bits, with which ClickHouse reads nothing of a JSON text. */
const HUGE = 900_000_000_000_000_000_000
const isHuge = (minute: number): boolean => minute % 15 === 0

/** A change of an item, in the place of what it was five minutes before; the first one of it has appeared. */
const changeOf = (key: string, minute: number, ordinal: number, type?: "gone"): LogRecord => {
  const of = { id: `delta-${key}-${minute}`, source: "test", subject: `earthquakes/${key}`, time: at(minute) }
  const data = {
    feed: "earthquakes",
    parameters: DAILY,
    provider: "USGS.earthquakes",
    key,
    observedAt: at(minute),
    item: { ...quake(key, minute, placeOf(key, minute)), ...(isHuge(minute) ? { huge: HUGE } : {}) } as never,
  }
  if (type === "gone") return numbered(makeEvent(itemGone, { ...of, data }), ordinal)
  if (minute === 0) return numbered(makeEvent(itemAppeared, { ...of, data }), ordinal)
  const before = { place: placeOf(key, minute - 5), 'é/"\u2028': [{ before: 1e21 }] }
  return numbered(makeEvent(itemChanged, { ...of, data: { ...data, before, added: ["status"] } }), ordinal)
}

const HASH = "0".repeat(64)
const INSTANCE = "earthquakes?magnitude=all&period=day"

/** An hour of one feed: two items, of which each changes every five minutes, and what follows from them. */
const hour = (): ReadonlyArray<LogRecord> => {
  const store = makeValueStore({})
  const records: Array<LogRecord> = []
  let ordinal = 0
  const head = (name: string, minute: number, subject: string) => ({
    id: `${name}-${minute}`,
    source: "test",
    subject,
    time: at(minute),
  })
  for (let minute = 0; minute < 60; minute += 5) {
    const items = ["q1", "q2"].map((key) => ({
      ...quake(key, minute, placeOf(key, minute)),
      ...(isHuge(minute) ? { huge: HUGE } : {}),
    }))
    const poll = {
      feed: "earthquakes",
      parameters: DAILY,
      provider: "USGS.earthquakes",
      latencyMs: 5,
      hash: HASH,
      contentAt: null,
      freshUntil: at(minute + 5),
      standsInFor: null,
    }
    records.push(
      plain(
        "observations",
        minute % 10 === 0
          ? makeEvent(feedObserved, {
              ...head("whole", minute, INSTANCE),
              data: { ...poll, payload: { items, facts: {} } as never },
            })
          : makeEvent(feedPatched, {
              ...head("patch", minute, INSTANCE),
              data: {
                ...poll,
                base: HASH,
                parts: [
                  { changed: 0, set: { place: placeOf("q1", minute) } },
                  { from: 1, count: 1 },
                ],
              },
            }),
      ),
      // A poll whose news is of the other item alone.
      plain(
        "observations",
        makeEvent(feedPatched, {
          ...head("other", minute, INSTANCE),
          data: { ...poll, base: HASH, parts: [{ from: 0, count: 1 }, { items: [items[1] as never] }] },
        }),
      ),
    )
    for (const item of items) {
      ordinal += 1
      records.push(changeOf(item.id, minute, ordinal))
      if (minute === 20)
        records.push(
          plain(
            "deltas",
            makeEvent(deltaPublished, {
              ...head(`news-${item.id}`, minute, `earthquake/${item.id}`),
              data: {
                type: "earthquake",
                timestamp: at(minute),
                severity: "minor",
                data: {
                  id: item.id,
                  type: "earthquake",
                  magnitude: 4.5,
                  place: placeOf(item.id, minute),
                  depth_km: 1,
                  mag_type: "ml",
                  time: at(minute),
                  url: null,
                },
              },
            }),
          ),
        )
    }
    if (minute === 25)
      records.push(
        plain(
          "quarantine",
          makeEvent(documentQuarantined, {
            ...head("document", minute, INSTANCE),
            data: {
              feed: "earthquakes",
              parameters: DAILY,
              provider: "USGS.earthquakes",
              document: "list",
              problem: "x",
              body: SECRET,
              bodyBytes: 11,
            },
          }),
        ),
      )
    for (const view of [PLAIN_VIEW, OTHER_VIEW]) {
      const filler = Array.from({ length: 200 }, (_, index) => `line ${index} é`).join("|")
      const text = JSON.stringify({ filler, says: view === PLAIN_VIEW ? placeOf("q1", minute) : `news ${minute}` })
      const written = store.recordsOf({ topic: "views", key: view, text })
      const position = { lastEventId: `${view}-${minute}`, nowMs: BEGIN_MS + minute * MINUTE_MS, lastChange: null }
      const record = versionsRecord(written, { processor: "latest", position, settles: false }, () => true)
      if (record !== null) records.push(record)
    }
  }
  return records
}

/** Every fold says that nothing before a minute changes any more. */
const settled = (minute: number): ReadonlyArray<LogRecord> =>
  pastProcessors.flatMap(
    (processor) =>
      versionsRecord(
        [],
        {
          processor,
          position: {
            lastEventId: `settled-${processor}-${minute}`,
            nowMs: BEGIN_MS + minute * MINUTE_MS,
            lastChange: null,
          },
          settles: true,
        },
        () => true,
      ) ?? [],
  )

const purged = (id: string, fromMinute: number, toMinute: number, key: string | null = "q1"): LogRecord => {
  const [from, to] = [at(fromMinute), at(toMinute)]
  const event = makeEvent(feedPurged, {
    id,
    source: "tidewire/operator",
    subject: "earthquakes",
    time: at(70),
    data: {
      feed: "earthquakes",
      ...(key === null ? {} : { key: keyDigest(id, key) }),
      from,
      to,
      shown: [{ from, to }],
      operator: "ann",
      reason: "a place",
    },
  })
  return { topic: "purges", key: "earthquakes", value: encodeEvent(event) }
}

const Stated = Schema.Struct({ q1: Schema.String, q2: Schema.String })

/** What an operator has taken out, of feeds. */
export const purgeTests = (stage: () => Stage): void => {
  const mentions = async (condition = "true") => ({
    events: await stage().count(
      `SELECT count() AS count FROM events WHERE (position(data, '${SECRET}') > 0 OR position(subject, 'q1') > 0) AND ${condition}`,
    ),
    changes: await stage().count("SELECT count() AS count FROM item_changes WHERE key = 'q1'"),
    rows: await stage().count("SELECT count() AS count FROM earthquakes WHERE id = 'q1'"),
    versions: await stage().count(`SELECT count() AS count FROM view_versions WHERE position(value, '${SECRET}') > 0`),
  })
  /** Whether the log is in every table that it concerns, and each of them without the first purges. */
  const isFilled = async (purges: number) => {
    const states = await stage().run(readStates(stage().log))
    for (const { name, topic } of targetsOf(tables).filter((target) => filled.includes(target.name))) {
      const state = states.get(name)
      if ((state?.next ?? 0) < (await stage().run(stage().log.end(topic))) || (state?.purges ?? 0) < purges)
        return false
    }
    return true
  }
  const isWithout = (purges: number) =>
    eventually(`the first ${purges} purges are out of every table`, () => isFilled(purges))
  const bodyAt = async (view: string, minute: number) => {
    const past = pastViews(stage().history, pastProcessors)
    const body = (await stage().run(past.knownAt(view, BEGIN_MS + minute * MINUTE_MS)))?.records.body
    return body == null ? null : JSON.parse(Buffer.from(body).toString()).says
  }
  const rebuilt = () =>
    stage().run(Effect.scoped(rebuildTables({ log: stage().log, history: stage().history, tables })))

  it("removes an item of an interval from every table, view and payload, and nothing else, for ever", async () => {
    expect(pathsDrawingOn("earthquakes").plain).toContain(PLAIN_VIEW)
    await stage().append([...hour(), ...settled(62)])
    const first = stage().consume()
    await isWithout(0)
    const before = await mentions()
    expect(before).toMatchObject({ changes: 12, rows: 12 })
    expect(before.versions).toBeGreaterThan(5)
    const others = await stage().count("SELECT count() AS count FROM item_changes WHERE key = 'q2'")
    const archived = await stage().count("SELECT count() AS count FROM events")
    // From the change of minute 10 to that of minute 40, without the latter.
    await stage().append([purged("purge-1", 10, 40)])
    await isWithout(1)

    const expectGone = async () => {
      const inside = `time >= '2026-02-01 00:00:00' AND time < '2026-02-01 00:30:00' AND topic != 'versions'`
      expect((await mentions(inside)).events).toBe(0)
      expect(await mentions()).toMatchObject({ changes: 6, rows: 6 })
      expect(
        await stage().count(`SELECT count() AS count FROM view_versions WHERE part = 'body' AND view = '${PLAIN_VIEW}'
        AND known_at >= '2026-02-01 00:00:00' AND known_at < '2026-02-01 00:30:00'`),
      ).toBe(0)
      expect(
        await stage().count(`SELECT count() AS count FROM events WHERE topic = 'versions'
        AND time >= '2026-02-01 00:00:00' AND time < '2026-02-01 00:30:00' AND position(data, '${SECRET}') > 0`),
      ).toBe(0)
      expect(await stage().count("SELECT count() AS count FROM item_changes WHERE key = 'q2'")).toBe(others)
      // Polls that brought nothing of the item, and those of other times, are whole.
      expect(
        await stage().count(
          "SELECT count() AS count FROM events WHERE topic = 'observations' AND type = 'event.purged'",
        ),
      ).toBe(6)
      expect(await stage().count("SELECT uniqExact(topic, log_offset) AS count FROM events")).toBeGreaterThanOrEqual(
        archived,
      )
      for (const [minute, says] of [
        [5, placeOf("q1", 5)],
        [40, placeOf("q1", 40)],
        [47, placeOf("q1", 45)],
        [55, placeOf("q1", 55)],
      ] as const)
        expect([minute, await bodyAt(PLAIN_VIEW, minute)]).toEqual([minute, says])
      for (const minute of [5, 12, 38, 55])
        expect(await bodyAt(OTHER_VIEW, minute)).toBe(`news ${Math.floor(minute / 5) * 5}`)
    }
    await expectGone()
    await stage().verify()

    // The numbers of the changes are dense as before.
    const archive = archivedChanges(stage().history)
    const behind = await stage().run(archive.behind({ log: LOG_NAME, ordinal: 0 }, 100))
    expect(behind.map(({ cursor }) => cursor.ordinal)).toEqual(Array.from({ length: 24 }, (_, index) => index + 1))
    await first.crash()

    // Rows that are lost are written again without it.
    await stage().run(stage().history.execute("ALTER TABLE item_changes DELETE WHERE ordinal > 20"))
    await stage().run(
      stage().history.execute("ALTER TABLE view_versions DELETE WHERE known_at > '2026-02-01 00:20:00'"),
    )
    const second = stage().consume()
    await eventually("lost rows are back", async () => {
      const rows = await stage().count("SELECT count() AS count FROM item_changes WHERE ordinal > 20")
      return rows === 4 && (await bodyAt(PLAIN_VIEW, 55)) === placeOf("q1", 55)
    })
    await expectGone()
    await second.crash()

    await rebuilt()
    await expectGone()
    await stage().verify()

    // Another one over the same time, of the whole feed, and the log is gone: what the archive holds is all that there is.
    await stage().append([purged("purge-2", 0, 61, null), ...settled(64)])
    const third = stage().consume()
    await isWithout(2)
    await stage().verify()
    await third.crash()
    for (const topic of ["deltas", "observations", "versions", "quarantine"] as const)
      await stage().run(stage().log.trim(topic, await stage().run(stage().log.end(topic))))
    await rebuilt()
    await stage().verify()
    expect(await mentions("topic != 'versions'")).toMatchObject({ events: 0, changes: 0, rows: 0 })
    expect(await stage().count("SELECT count() AS count FROM earthquakes")).toBe(0)
    expect(await bodyAt(PLAIN_VIEW, 61)).toBe(placeOf("q1", 55))
    expect(await bodyAt(OTHER_VIEW, 55)).toBe("news 55")
  })

  it("shows nothing of it in pages of changes, from log and archive alike, with dense numbers", async () => {
    await stage().append([...hour(), ...settled(62)])
    const consumer = stage().consume()
    await isWithout(0)
    await stage().append([purged("purge-1", 0, 61)])
    await isWithout(1)
    await consumer.crash()
    const archive = archivedChanges(stage().history)
    const isPurged = (_: string, key: string) => key === "q1"
    const read = (rules: typeof everythingShown) =>
      stage().run(makeChangeLog({ log: stage().log, archive, ...rules }).read({ log: LOG_NAME, ordinal: 0 }, 100))
    const logged = await read({ ...everythingShown, isPurged } as never)
    expect(logged.reached).toBe(24)
    expect(logged.changes.length).toBe(12)
    expect(JSON.stringify(logged)).not.toContain(SECRET)
    await stage().run(stage().log.trim("deltas", await stage().run(stage().log.end("deltas"))))
    // The archive holds nothing of it, so that no rule is needed to withhold it.
    expect(await read(everythingShown)).toEqual(logged)
  })

  it("takes out what items were before later changes, of one item for ever and of a whole feed for a day", async () => {
    // Per item, the minutes of its changes that say what it was before: by the table, and by the archive.
    const stated = async () => {
      const minutes = (column: string, key: string) => `arrayStringConcat(arraySort(groupUniqArrayIf(
        toString(intDiv(toUnixTimestamp64Milli(${column}) - ${BEGIN_MS}, ${MINUTE_MS})), ${key})), ' ')`
      const texts = async (from: string, column: string, key: string) =>
        stage().run(
          stage().history.query(
            `SELECT ${minutes(column, `${key} = 'q1'`)} AS q1, ${minutes(column, `${key} = 'q2'`)} AS q2 FROM ${from}`,
            Stated,
          ),
        )
      const table = await texts("item_changes WHERE before != '' OR notEmpty(added)", "known_at", "key")
      const archive = await texts(
        `events WHERE type = 'item.changed' AND (position(data, '"before":{"place"') > 0 OR position(data, '"added"') > 0)`,
        "time",
        "splitByChar('/', subject)[2]",
      )
      expect(archive).toEqual(table)
      return table.map(({ q1, q2 }) => [q1, q2].map((text) => text.split(" ").filter(Boolean).map(Number)))[0]
    }
    const everyFive = (from: number, to: number) =>
      Array.from({ length: Math.max(0, (to - from) / 5) }, (_, index) => from + index * 5).sort((a, b) =>
        `${a}` < `${b}` ? -1 : 1,
      )
    await stage().append([...hour(), ...settled(62)])
    const first = stage().consume()
    await isWithout(0)
    expect(await stated()).toEqual([everyFive(5, 60), everyFive(5, 60)])

    await stage().append([purged("purge-1", 10, 40)])
    await isWithout(1)
    expect(await stated()).toEqual([everyFive(5, 10), everyFive(5, 60)])
    await stage().verify()
    // What is written from then on is without it, too.
    await stage().append([changeOf("q1", 60, 25), changeOf("q2", 60, 26)])
    await isWithout(1)
    expect(await stated()).toEqual([everyFive(5, 10), everyFive(5, 65)])
    await stage().verify()

    await stage().append([purged("purge-2", 0, 50, null), ...settled(64)])
    await isWithout(2)
    expect(await stated()).toEqual([[], []])
    // A day behind, all of them have been seen since.
    const [within, behind] = [50 + 24 * 60 - 5, 50 + 24 * 60]
    await stage().append([
      ...[changeOf("q1", 65, 27, "gone"), changeOf("q2", 65, 28, "gone")],
      ...[
        changeOf("q1", within, 29),
        changeOf("q2", within, 30),
        changeOf("q1", behind, 31),
        changeOf("q2", behind, 32),
      ],
    ])
    await isWithout(2)
    expect(await stated()).toEqual([[], [behind]])
    await stage().verify()
    await first.crash()

    const list = makePurgeList(stage().log)
    await stage().run(list.read)
    const archive = archivedChanges(stage().history)
    const rules = {
      ...everythingShown,
      isPurged: list.covers,
      isPurgedBefore: list.coversBefore,
      isPurgedUntilGone: list.coversUntilGone,
    }
    const read = (given: StatingRules) =>
      stage().run(makeChangeLog({ log: stage().log, archive, ...given }).read({ log: LOG_NAME, ordinal: 0 }, 100))
    const logged = await read(rules)
    const facts = logged.changes.map(({ change }) => [change.known_at, change.key, change.type, "before" in change])
    expect(facts).toEqual([
      ...[50, 55, 60].flatMap((minute) => ["q1", "q2"].map((key) => [at(minute), key, "changed", false])),
      // That one item is gone would say what it was; who keeps the items of a whole feed learns it.
      [at(65), "q2", "gone", false],
      ...["q1", "q2"].map((key) => [at(within), key, "changed", false]),
      ...["q1", "q2"].map((key) => [at(behind), key, "changed", key === "q2"]),
    ])

    // The archive alone says the same, and rebuilds the table.
    await stage().run(stage().log.trim("deltas", await stage().run(stage().log.end("deltas"))))
    expect(await read(rules)).toEqual(logged)
    const unruled = await read(everythingShown)
    expect(unruled.changes.filter(({ change }) => "before" in change).map(({ ordinal }) => ordinal)).toEqual([32])
    await rebuilt()
    expect(await stated()).toEqual([[], [behind]])
    await stage().verify()
  })
}
