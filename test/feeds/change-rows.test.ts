import { existsSync } from "node:fs"
import { isDeepStrictEqual } from "node:util"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { describe, expect, it } from "vitest"
import {
  type DecodedCaptures,
  decodedCapturesOf,
  instanceOfCapture,
  judgeCapture,
  listCaptures,
  recordedUpstream,
  sourcesRecordedIn,
} from "../../ingestors/captures.ts"
import { sources } from "../../ingestors/registry.ts"
import type { Source } from "../../ingestors/source.ts"
import { views } from "../../processors/registry.ts"
import type { View } from "../../processors/view/view.ts"
import { filterNames } from "../../schemas/change.ts"
import { historiesOf } from "../../schemas/contract/item-history.ts"
import { type Feed, instanceKey, type Parameters } from "../../schemas/feed.ts"
import type { RowObject } from "../../schemas/formats/table.ts"
import { feeds } from "../../schemas/registry.ts"
import { simulatedUpstreams } from "../world/server.ts"
import { capturesDirectory } from "./support/captures.ts"
import { readBy } from "./support/read.ts"
import { keyOf, observed } from "./support/world.ts"
import { type InstancePayload, viewsShown } from "./support/world-views.ts"

const OBSERVED_AT_MS = Date.parse("2026-11-20T12:34:56.789Z")
/** Items of an answer are many and alike: these are enough of each. */
const ITEMS_MAX = 60

/** Feeds of whose items some are stated in changes and never listed by the endpoint, and why. */
const statedUnlisted: Readonly<Record<string, string>> = {
  reactors: "replies count the units at full power, and a return to it is a change that readers wait for",
}

const freeViews = views.filter(({ endpoint }) => endpoint.tier === "free")
const changing = freeViews.flatMap((view) =>
  view.changes.map((rows, at) => ({ view, rows, facts: view.endpoint.changes[at] })),
)

/** Why a feed rightly has no changes; null where it has to have some. */
const withoutChanges = (feed: Feed): string | null => {
  if (feed.unlogged) return "requests leave no trace"
  const isRead = freeViews.some(({ reads }) => Object.values(reads).some((input) => input.feed === feed))
  return isRead ? null : "premium endpoints alone serve it"
}

it.each([...feeds.values()].map((feed) => [feed.name, feed] as const))(
  "the changes of %s are stated by one endpoint, or by none where they may not be shown",
  (_, feed) => {
    const by = changing.filter(({ rows }) => rows.feed === feed).map(({ view }) => view.endpoint.path)
    expect(by, withoutChanges(feed) ?? "a free endpoint serves it").toHaveLength(withoutChanges(feed) === null ? 1 : 0)
  },
)

/** The payload of what a source collects; none where it refuses that. */
const payloadsOf = async (source: Source, wires: DecodedCaptures, parameters: Parameters) => {
  const { upstream } = recordedUpstream(wires)
  const context = { parameters, observedAtMs: OBSERVED_AT_MS, key: keyOf(source) }
  const exit = await Effect.runPromiseExit(source.collect(upstream, context))
  if (Exit.isFailure(exit)) return []
  const { outcome } = readBy(source, exit.value, context)
  return "payload" in outcome ? [{ parameters, payload: outcome.payload }] : []
}

/** The payloads of a source's recorded answers, each answer by itself and all together. */
const recordedPayloads = async (source: Source): Promise<ReadonlyArray<InstancePayload>> => {
  const folder = existsSync(capturesDirectory)
    ? listCaptures(capturesDirectory).find(({ name }) => sourcesRecordedIn(name, [source]).length > 0)
    : undefined
  if (folder === undefined) return []
  const judged = folder.files.map(folder.read).map((capture) => ({ capture, verdict: judgeCapture(source, capture) }))
  const all = decodedCapturesOf(
    source,
    judged.map(({ verdict }) => verdict),
  )
  const single = judged.flatMap(({ capture, verdict }) =>
    verdict.decoded.flatMap(({ document, wire }) => {
      const declared = source.documents[document]
      const parameters = instanceOfCapture(source, capture.file, wire)
      return declared === undefined ? [] : [{ wires: new Map([...all, [declared, [wire]]]), parameters }]
    }),
  )
  const together = source.instances.map((parameters) => ({ wires: all, parameters }))
  const payloads = await Promise.all(
    [...together, ...single].map(({ wires, parameters }) => payloadsOf(source, wires, parameters)),
  )
  return payloads.flat()
}

/** The payloads of a source in the world. */
const simulatedPayloads = (source: Source): Promise<ReadonlyArray<InstancePayload>> => {
  const world = simulatedUpstreams.find(({ name }) => name === source.name)
  return Promise.all(
    (world === undefined ? [] : source.instances).map(async (parameters) => ({
      parameters,
      payload: (await observed(source, world as NonNullable<typeof world>, OBSERVED_AT_MS, parameters)).payload,
    })),
  )
}

type Members = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Every object in some data, itself included. */
const objectsIn = (data: unknown): ReadonlyArray<Members> => {
  if (typeof data !== "object" || data === null) return []
  const inside = Object.values(data).flatMap(objectsIn)
  return isObject(data) ? [data, ...inside] : inside
}

/** The members of items that the table of an endpoint's history has columns for. */
const historyColumns = ({ endpoint }: View): ReadonlyArray<string> =>
  historiesOf(endpoint).flatMap(({ table }) =>
    (table ?? []).flatMap(({ columns }) =>
      columns.flatMap(({ path: [member, name = ""] }) => (member === "item" ? [name] : [])),
    ),
  )

/** The payload with these items alone. */
const alone = (feed: Feed, payload: unknown, items: ReadonlyArray<unknown>): unknown =>
  feed.list === null ? payload : { ...(payload as Members), items }

/** The objects of the endpoint's replies to these items alone. */
const shownAlone = (
  view: View,
  feed: Feed,
  one: InstancePayload,
  items: ReadonlyArray<unknown>,
  nowMs: number,
): ReadonlyArray<Members> =>
  viewsShown([view], feed, [{ ...one, payload: alone(feed, one.payload, items) }], nowMs).flatMap(objectsIn)

describe.each(changing.map((one) => ({ ...one, name: one.rows.feed.name, path: one.view.endpoint.path })))(
  "changes of $name, as rows of $path",
  ({ view, rows, facts = { feed: rows.feed } }) => {
    const { feed } = rows
    const { without = [] } = facts
    const scheduled = new Set(feed.instances.map((parameters) => instanceKey(feed.name, parameters)))
    const stated = (row: Members): Members =>
      Object.fromEntries(Object.entries(row).filter(([name]) => !without.includes(name)))

    it("are the rows of its replies, with the members that filters read", async () => {
      const polled = sources.filter(({ fills }) => fills === feed)
      const payloads = (
        await Promise.all(polled.flatMap((one) => [recordedPayloads(one), simulatedPayloads(one)]))
      ).flat()
      const listed = new Set<string>()
      const unlisted: Array<ReadonlyArray<Members>> = []
      const members = new Set<string>()
      for (const one of payloads) {
        // What was brought by a request alone is not shown.
        if (!feed.publishesChanges(one.parameters) || !scheduled.has(instanceKey(feed.name, one.parameters))) continue
        const items = feed.items(one.payload)
        expect(new Set(items.map((item) => feed.key(item))).size).toBe(items.length)
        for (const item of items.slice(0, ITEMS_MAX)) {
          const happenedAt = feed.happenedAt(item)
          // What is over by now stood in the reply when it happened.
          const instants = [OBSERVED_AT_MS, ...(happenedAt === null ? [] : [Date.parse(happenedAt)])]
          const shown = instants.map((nowMs) => ({
            row: rows.row(item, { parameters: one.parameters, nowMs }),
            objects: shownAlone(view, feed, one, [item], nowMs),
          }))
          // A list names its items in a line, for which the members that the line is made of have to be there.
          for (const { row } of shown) {
            const title =
              row === null ? null : facts.title?.(row as RowObject, { key: feed.key(item), parameters: one.parameters })
            if (feed.list !== null && title !== null) expect(title).toMatch(/[\p{L}\p{N}]{2}/u)
            expect(title ?? "").not.toMatch(/undefined|\[object|null/)
          }
          const found = shown.flatMap(({ row, objects }) =>
            objects.filter((other) => isDeepStrictEqual(stated(other), row)),
          )
          if (found.length === 0) {
            // Members for an item may stand in the reply without one.
            const vacant = instants.flatMap((nowMs) => shownAlone(view, feed, one, [], nowMs))
            const own = shown.flatMap(({ objects }) => objects)
            if (!(feed.name in statedUnlisted)) expect(shown.map(({ row }) => row)).toEqual(shown.map(() => null))
            unlisted.push(own.filter((other) => !vacant.some((empty) => isDeepStrictEqual(empty, other))))
          } else {
            listed.add(instanceKey(feed.key(item), one.parameters))
            for (const name of found.flatMap(Object.keys)) members.add(name)
          }
        }
      }
      expect(listed.size).toBeGreaterThan(0)
      // A history as a table has a column for each of them.
      const columns = historyColumns(view)
      for (const name of [...members].filter((one) => !without.includes(one))) expect(columns).toContain(name)
      // The reply to an item that does not stand in it holds no row at all, rather than another one.
      const isRow = (other: Members) => [...members].every((name) => name in other)
      expect(unlisted.flatMap((objects) => objects.filter(isRow))).toEqual([])
      for (const name of filterNames) if (facts[name] !== undefined) expect(members).toContain(facts[name])
      for (const name of without) expect(members).toContain(name)
    })
  },
)
