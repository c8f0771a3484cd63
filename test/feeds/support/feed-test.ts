import * as Exit from "effect/Exit"
import { describe, expect, it } from "vitest"
import { Undecodable, UpstreamError } from "../../../ingestors/document.ts"
import type { Source } from "../../../ingestors/source.ts"
import { foreignAnswers, spoiledDocuments } from "../../../ingestors/testing/spoil.ts"
import { type Table, tableOfFeed } from "../../../processors/table.ts"
import type { View } from "../../../processors/view/view.ts"
import { type Endpoint, isView, type ViewEndpoint } from "../../../schemas/contract/endpoint-kinds.ts"
import type { Headline } from "../../../schemas/contract/glance.ts"
import { isTagged, loadDirectory } from "../../../schemas/directory.ts"
import type { Feed, Parameters } from "../../../schemas/feed.ts"
import type { Row } from "../../../schemas/ports/history.ts"
import { hostile } from "../../world/faults.ts"
import { bytesOf, type SimulatedUpstream } from "../../world/upstream.ts"
import { worldAt } from "../../world/world.ts"
import { normalised, readBy, refusedBy } from "./read.ts"
import { type ChangeKind, expectRow, rowsOfItems } from "./rows.ts"
import { collect, type UpstreamTrouble, upstreamOf } from "./world.ts"
import { readingsAt, viewsShown } from "./world-views.ts"

const HOUR_MS = 3_600_000
const NOW_MS = Date.parse("2026-11-20T12:34:56.789Z")
/** Now, some polls later, and in another season. */
const INSTANTS: ReadonlyArray<number> = [NOW_MS, NOW_MS + 7 * HOUR_MS, NOW_MS + 2_400 * HOUR_MS]

/** What no payload and no reply may hold: control, direction and zero-width characters, halves of characters. */
const HIDDEN = /[\p{Cc}\p{Bidi_Control}\u200b\ufeff\ufff9-\ufffb]/u
const TEXT_LENGTH_MAX = 10_000
/** Part of the hostile text that survives cleaning. */
const HOSTILE_WORDS = "DROP TABLE"

/** How a source of the feed is polled in the world. */
export interface PolledSource {
  readonly source: Source
  readonly world: SimulatedUpstream
  readonly instances: ReadonlyArray<Parameters>
  readonly freeText: boolean
  readonly breakRow: ((collected: unknown) => unknown) | null
  readonly refused: ReadonlyArray<readonly [what: string, collected: unknown, because: RegExp]>
}

/** Declares how a source of the feed is polled in the world, and what it refuses. */
export const polled = <Collected, Payload>(definition: {
  readonly source: Source<Collected, Payload>
  readonly world: SimulatedUpstream
  /** Those that are polled by the test; all of the source's by default. */
  readonly instances?: ReadonlyArray<Parameters>
  /** Whether what is appended to sentences of the upstream reaches items: hostile text must then arrive cleaned. */
  readonly freeText: boolean
  /**
   * Breaks one row of a collected answer, or adds a broken one to enough others; null for one value, and for rows that
   * are always readable.
   */
  readonly breakRow: ((collected: NoInfer<Collected>) => NoInfer<Collected>) | null
  /** Collected answers that are refused, by what they are, with the words of the refusal. */
  readonly refused: ReadonlyArray<readonly [what: string, collected: NoInfer<Collected>, because: RegExp]>
}): PolledSource => ({
  source: definition.source as unknown as Source,
  world: definition.world,
  instances: definition.instances ?? definition.source.instances,
  freeText: definition.freeText,
  // The test gives it what the same source has collected.
  breakRow: definition.breakRow as PolledSource["breakRow"],
  refused: definition.refused,
})

const strings = (value: unknown): ReadonlyArray<string> => {
  if (typeof value === "string") return [value]
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(strings) : []
}

const expectClean = (value: unknown): void =>
  expect(
    strings(value)
      .filter((text) => HIDDEN.test(text) || !text.isWellFormed() || text.length > TEXT_LENGTH_MAX)
      .map((text) => text.slice(0, 200)),
  ).toEqual([])

const testSource = (
  { source, world, instances, freeText, breakRow, refused }: PolledSource,
  views: ReadonlyArray<View>,
) => {
  const { fills: feed } = source
  const atMs = NOW_MS
  const [first = {}] = instances
  const poll = (trouble: UpstreamTrouble = {}) =>
    collect(source, upstreamOf(world, worldAt("test", atMs), trouble), first, atMs)
  const collected = async (): Promise<unknown> => {
    const exit = await poll()
    if (Exit.isFailure(exit)) throw new Error(String(exit.cause))
    return exit.value
  }
  const context = { parameters: first, observedAtMs: atMs }

  it("reads every row of the world's answers, to equal items each time", async () => {
    for (const observedAtMs of INSTANTS)
      for (const parameters of instances) {
        const exit = await collect(source, upstreamOf(world, worldAt("test", observedAtMs)), parameters, observedAtMs)
        if (Exit.isFailure(exit)) throw new Error(String(exit.cause))
        const one = normalised(source, exit.value, { parameters, observedAtMs })
        expect(readBy(source, exit.value, { parameters, observedAtMs }).unreadable).toEqual([])
        const again = normalised(source, structuredClone(exit.value), { parameters, observedAtMs })
        expect(again).toEqual(one)
        const [before, after] = [feed.items(one.payload), feed.items(again.payload)]
        expect(before.some((item, at) => feed.isRevised(item, after[at]))).toBe(false)
        expect(one.contentAtMs ?? observedAtMs).toBeLessThanOrEqual(observedAtMs)
      }
  })

  it("fails as the upstream does when no host can be reached", async () => {
    const exit = await poll({ unreachable: world.hosts })
    expect(Exit.findErrorOption(exit)).toMatchObject({ value: { _tag: "HttpFailed", reason: "unreachable" } })
  })

  it.each([
    ...Object.entries(spoiledDocuments).filter(([how]) => how !== "full of hostile text"),
    ...Object.entries(foreignAnswers),
  ])("makes nothing up of answers that are %s", async (_, spoil) => {
    const exit = await poll({ spoil: (body) => spoil(bytesOf({ body })) })
    if (Exit.isFailure(exit)) {
      expect(Exit.findErrorOption(exit)).toMatchObject({ _tag: "Some" })
      return
    }
    if (refusedBy(source, exit.value, context) === undefined)
      expectClean(normalised(source, exit.value, context).payload)
  })

  it("cleans hostile text before it reaches a payload, and views show it clean", async () => {
    const exit = await poll({ spoil: hostile })
    const payload =
      Exit.isSuccess(exit) && refusedBy(source, exit.value, context) === undefined
        ? normalised(source, exit.value, context).payload
        : null
    expectClean(payload)
    expect(strings(payload).some((text) => text.includes(HOSTILE_WORDS))).toBe(freeText)
    if (payload !== null)
      for (const data of viewsShown(views, feed, [{ parameters: first, payload }], atMs)) expectClean(data)
  })

  if (breakRow !== null)
    it("counts a row that cannot be read, and keeps the others", async () => {
      const whole = await collected()
      const { unreadable, outcome } = readBy(source, breakRow(whole), context)
      expect(unreadable).toHaveLength(1)
      if (feed.list?.unreadableShare === 0) {
        expect(outcome).toBeInstanceOf(Undecodable)
        return
      }
      expect(outcome).toHaveProperty("payload")
      const rest = "payload" in outcome ? feed.items(outcome.payload).length : 0
      const every = feed.items(normalised(source, whole, context).payload).length
      expect(rest).toBeGreaterThanOrEqual(Math.max(1, every - 1))
    })

  for (const [what, answer, because] of refused)
    it(`refuses ${what}`, () => {
      const refusal = refusedBy(source, answer, context)
      expect(refusal instanceof UpstreamError || refusal instanceof Undecodable).toBe(true)
      expect(refusal?.message).toMatch(because)
    })
}

const feedFiles = await loadDirectory(new URL("../../../schemas/feeds/", import.meta.url))

/** The free views that the file of a feed declares. */
const viewsDeclaredBy = (feed: string): ReadonlyArray<ViewEndpoint> =>
  feedFiles
    .filter(({ name }) => name === feed)
    .flatMap(({ exports }) => exports.filter(isTagged<Endpoint>("Endpoint")))
    .filter(isView)
    .filter(({ tier }) => tier === "free")

/**
 * The routine part of a feed's test: the world's answers become payloads that keep the feed's rules, views show them by
 * their schemas, the table's rows fit its columns and partitions, and broken answers do no harm. What an answer means
 * (recorded answers with values written by hand, rules of its own) is asserted in the feed's own file.
 */
export const feedTest = <Item>(definition: {
  readonly feed: Feed<never, Item> | Feed<unknown, Item>
  readonly polls: ReadonlyArray<PolledSource>
  readonly views: ReadonlyArray<View>
  /** By default that of the feed's own name. Null for a feed that rightly has none (see `every-feed.test.ts`). */
  readonly table?: Table | null
  /** What a glance at the example of each free endpoint in the feed's file shows: value, unit, note. None unless given. */
  readonly glances?: Readonly<Record<string, readonly [Headline["value"], Headline["unit"], string]>>
  /** Items written by hand, and the row that a change of each makes, if any. */
  readonly rows: ReadonlyArray<{
    readonly kind: ChangeKind
    readonly item: Item
    readonly parameters?: Parameters
    readonly makes: Row | null
  }>
}): void => {
  const { polls, views, rows, glances = {} } = definition
  const feed = definition.feed as unknown as Feed
  const table = definition.table === undefined ? tableOfFeed(feed) : definition.table

  describe(`${feed.name}: routine`, () => {
    for (const one of polls) describe(one.source.name, () => testSource(one, views))

    it.each(INSTANTS)("views show the world at %i by their schemas, and make rows that fit the table", async (atMs) => {
      for (const { source, world, instances } of polls) {
        const readings = await readingsAt(source, world, instances, atMs)
        expect(viewsShown(views, feed, readings, atMs).length).toBeGreaterThan(0)
        const items = readings
          .filter(({ parameters }) => feed.publishesChanges(parameters))
          .flatMap(({ parameters, payload }) => feed.items(payload).map((item) => ({ parameters, item })))
        if (table !== null) expect(rowsOfItems(table, feed, source, items, atMs)).toBeGreaterThan(0)
      }
    })

    it("a glance at the example of each of its endpoints shows what an expert of the feed looks for", () => {
      const shown = viewsDeclaredBy(feed.name).flatMap(({ name, glance, example }) => {
        if (glance === null) return []
        const { value, unit, note } = glance.headline(structuredClone(example))
        return [[name, [value, unit, note]] as const]
      })
      expect(Object.fromEntries(shown)).toEqual(glances)
    })

    if (table !== null)
      it.each(rows.map((row, at) => [at + 1, row.kind, row] as const))(
        "row %i: an item that has %s makes the row written by hand",
        (_, __, { kind, item, parameters = {}, makes }) => expectRow(table, feed, { kind, item, parameters, makes }),
      )
  })
}
