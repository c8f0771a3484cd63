import * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"
import { endpoint } from "../../schemas/contract/endpoint.ts"
import { type Feed, listFeed } from "../../schemas/feed.ts"
import { eventReader } from "../../schemas/registry.ts"
import { makeLatest } from "../folds/latest.ts"
import { declared, type FoldingBench, foldingBench, observed, tick, unchangedPoll } from "../testing/folding.ts"
import { RECENT_CHANGES_MAX } from "./memory.ts"
import { from, recent, view } from "./view.ts"

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const Thing = Schema.Struct({ id: Schema.String, rev: Schema.Int })
const feedOf = (name: "things" | "others") =>
  listFeed({ name, description: "", item: Thing, itemsMax: 100, key: ({ id }) => id })
const things = feedOf("things")
const others = feedOf("others")
const feeds = new Map<string, Feed>([["things", things as unknown as Feed]])
const Lines = Schema.Struct({ lines: Schema.Array(Schema.String) })

const changesView = (window: Parameters<typeof recent>[1], beside = things) =>
  view({
    endpoint: endpoint({
      kind: "prepared",
      tier: "free",
      ttl: "1 minute",
      summary: "",
      description: "",
      path: "/api/changes",
      name: "changes",
      parameters: {},
      data: Lines,
      example: { lines: [] },
    }),
    reads: { now: from(beside), changes: recent(things, window) },
    build: ({ changes }) => ({
      lines: changes.map(
        ({ atMs, kind, key, item, initial }) =>
          `${atMs / MINUTE} ${kind} ${key}${item.rev}${initial ? " initial" : ""}`,
      ),
    }),
  })
const all = { windowMs: HOUR, kinds: ["appeared", "changed", "gone"], max: 100 } as const
const bench = (window: Parameters<typeof recent>[1] = all, kept?: ReturnType<FoldingBench["checkpoint"]>) =>
  foldingBench(makeLatest([changesView(window)], feeds), eventReader, kept)
const saw = (minute: number, ...items: ReadonlyArray<readonly [id: string, rev: number]>) =>
  observed(minute * MINUTE, "things", { items: items.map(([id, rev]) => ({ id, rev })), facts: {} })
const lines = (made: FoldingBench) =>
  (made.view("/api/changes") as { data: { lines: ReadonlyArray<string> } }).data.lines

describe("the recent changes of a feed", () => {
  it("given a first payload, then its items are a backlog; what follows is news", () => {
    const made = bench()
    made.fold(saw(1, ["a", 1], ["b", 1]), saw(2, ["a", 2], ["c", 1]))
    expect(lines(made)).toEqual([
      "1 appeared a1 initial",
      "1 appeared b1 initial",
      "2 changed a2",
      "2 appeared c1",
      "2 gone b1",
    ])
  })

  it("given terms that forbid the feed by now, then none of them is shown beside another feed, until they allow it", () => {
    const both = new Map([...feeds, ["others", others as unknown as Feed]])
    const made = foldingBench(makeLatest([changesView(all, others)], both), eventReader)
    const terms = (atMs: number, rests?: "not_licensed") =>
      declared(atMs, [
        { feed: "things", provider: "A.things", ...(rests === undefined ? {} : { rests }) },
        { feed: "others", provider: "B.others" },
      ])
    const other = (minute: number, rev: number) =>
      observed(minute * MINUTE, "others", { items: [{ id: "o", rev }], facts: {} })
    made.fold(terms(0), saw(1, ["a", 1]), other(2, 1))
    expect(lines(made)).toEqual(["1 appeared a1 initial"])
    made.fold(terms(3 * MINUTE, "not_licensed"), other(4, 2))
    expect(lines(made)).toEqual([])
    made.fold(terms(5 * MINUTE), other(6, 3))
    expect(lines(made)).toEqual(["1 appeared a1 initial"])
  })

  it("given a poll that confirms the payload, then nothing is added", () => {
    const made = bench()
    made.fold(saw(1, ["a", 1]), unchangedPoll(2 * MINUTE, "things"))
    expect(lines(made)).toEqual(["1 appeared a1 initial"])
  })
  it("leave the window by the clock, without a poll", () => {
    const made = bench()
    made.fold(saw(1, ["a", 1]), saw(30, ["a", 2]), tick(61 * MINUTE))
    expect(lines(made)).toEqual(["30 changed a2"])
    made.fold(tick(90 * MINUTE))
    expect(lines(made)).toEqual([])
  })
  it("are of the requested kinds, and at most the newest `max` of them", () => {
    const made = bench({ ...all, kinds: ["changed"], max: 2 })
    made.fold(saw(1, ["a", 1]), saw(2, ["a", 2]), saw(3, ["a", 3], ["b", 1]), saw(4, ["a", 4]))
    expect(lines(made)).toEqual(["3 changed a3", "4 changed a4"])
  })
  it("survive a restart, and begin as a backlog in a release that is new to them", () => {
    const made = bench()
    made.fold(saw(1, ["a", 1]))
    const again = bench(all, made.checkpoint())
    again.fold(saw(2, ["a", 2]))
    expect(lines(again)).toEqual(["1 appeared a1 initial", "2 changed a2"])

    const older = foldingBench(makeLatest([], feeds), eventReader)
    older.fold(saw(1, ["a", 1]))
    const newer = bench(all, older.checkpoint())
    newer.fold(declared(2 * MINUTE, []), saw(3, ["a", 1], ["b", 1]))
    expect(lines(newer)).toEqual(["3 appeared a1 initial", "3 appeared b1 initial"])
  })
  it("are bounded", () => {
    for (const wrong of [{ windowMs: 0 }, { max: 0 }, { max: RECENT_CHANGES_MAX + 1 }])
      expect(() => recent(things, { ...all, ...wrong })).toThrow(RangeError)
  })
})
