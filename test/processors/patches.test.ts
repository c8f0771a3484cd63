import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { InstanceCheckpoint } from "../../ingestors/poll/ingest-log.ts"
import { makePlan } from "../../ingestors/poll/plan.ts"
import { type PollReport, readCollected } from "../../ingestors/poll/poll.ts"
import { type PatchBase, recordPoll } from "../../ingestors/poll/record.ts"
import { listSource } from "../../ingestors/source.ts"
import { openTerms } from "../../ingestors/terms.ts"
import { makeLatest } from "../../processors/folds/latest.ts"
import { makePayloadProof } from "../../processors/run/verify.ts"
import { foldingBench } from "../../processors/testing/folding.ts"
import { from, recent, view } from "../../processors/view/view.ts"
import { endpoint } from "../../schemas/contract/endpoint.ts"
import type { Envelope } from "../../schemas/event.ts"
import { type Feed, listFeed } from "../../schemas/feed.ts"
import { eventReader } from "../../schemas/registry.ts"
import { freshnessKey } from "../../schemas/view-record.ts"

const BEGIN_MS = Date.parse("2026-11-20T10:00:00.000Z")
const MINUTE_MS = 60_000

const Thing = Schema.Struct({ id: Schema.String, rev: Schema.Int, words: Schema.String })
type Thing = typeof Thing.Type
const things = listFeed({
  name: "things",
  description: "",
  item: Thing,
  facts: Schema.Struct({ order: Schema.String }),
  itemsMax: 1_000,
  key: ({ id }) => id,
})
const feeds = new Map<string, Feed>([["things", things as unknown as Feed]])
const thing = (id: number, rev = 1): Thing => ({ id: String(id), rev, words: "a thing of some length ".repeat(4) })

interface Collected {
  readonly items: ReadonlyArray<Thing>
  readonly order: string
}
const source = listSource({
  name: "things",
  provider: "Test.things",
  fills: things,
  every: "1 minute",
  documents: {},
  collect: (): Effect.Effect<Collected> => Effect.die("never collected"),
  candidates: (collected: Collected) => collected.items,
  toItem: (one) => one,
  facts: ({ order }) => ({ order }),
  contentAtMs: () => null,
  attribution: { provider: "Test", licence: "none", url: "https://example.org" },
  terms: openTerms("https://example.org", "none"),
})
const [instance] = makePlan([source as never], () => null, null).scheduled
if (instance === undefined) throw new Error("nothing is polled")

/** Polls the lists in turn, as one ingest process does. Gives its events, patched where that is smaller, or all whole. */
const logged = (lists: ReadonlyArray<Collected>, { whole = false, everyMs = MINUTE_MS } = {}) => {
  let before: InstanceCheckpoint | null = null
  let base: PatchBase | null = null
  return lists.map((collected, index): Envelope<string, unknown> => {
    const timeMs = BEGIN_MS + index * everyMs
    const { outcome } = readCollected(instance, instance.candidates[0], collected, timeMs)
    const polled: PollReport = {
      outcome: outcome._tag === "Success" ? { ...outcome, validators: null } : outcome,
      latencyMs: 5,
      undecoded: [],
      isAsked: true,
      unreadableRows: 0,
      announced: [],
    }
    const recorded = recordPoll(instance, before, polled, {
      timeMs,
      beganMs: timeMs,
      random: 0,
      newId: () => `e${index}`,
      scheduled: true,
      quarantine: () => false,
      base: whole ? null : base,
    })
    before = recorded.checkpoint
    base = recorded.base
    return JSON.parse(new TextDecoder().decode(recorded.records[0]?.value ?? new Uint8Array()))
  })
}
const types = (events: ReadonlyArray<Envelope<string, unknown>>) => events.map(({ type }) => type)

const Lines = Schema.Struct({ lines: Schema.Array(Schema.String) })
const thingsView = view({
  endpoint: endpoint({
    kind: "prepared",
    tier: "free",
    ttl: "1 minute",
    summary: "",
    description: "",
    path: "/api/things",
    name: "things",
    parameters: {},
    data: Lines,
    example: { lines: [] },
  }),
  reads: {
    now: from(things),
    changes: recent(things, { windowMs: 3_600_000, kinds: ["appeared", "changed", "gone"], max: 200 }),
  },
  build: ({ now, changes }) => ({
    lines: [
      now.payload.facts.order,
      ...now.payload.items.map(({ id, rev }) => `${id}.${rev}`),
      ...changes.map(({ atMs, kind, key }) => `${atMs} ${kind} ${key}`),
    ],
  }),
})
const folded = (events: ReadonlyArray<Envelope<string, unknown>>) => {
  const bench = foldingBench(makeLatest([thingsView], feeds), eventReader)
  bench.fold(...events.map((event) => () => event))
  return bench
}
const many = (count: number): ReadonlyArray<Thing> => Array.from({ length: count }, (_, index) => thing(index))
const list = (items: ReadonlyArray<Thing>, order = "rank"): Collected => ({ items, order })

describe("a list that differs little from the one before", () => {
  it("is logged as a patch of it", () => {
    const events = logged([list(many(20)), list([thing(99), ...many(20).slice(1)]), list(many(20))])
    expect(types(events)).toEqual(["feed.observed", "feed.patched", "feed.patched"])
    expect(events[1]?.data).toMatchObject({ parts: [{ items: [thing(99)] }, { from: 1, count: 19 }] })
    expect(events[1]?.data).not.toHaveProperty("facts")
    const [, second, third] = events.map(({ data }) => data as { readonly base?: string; readonly hash: string })
    expect(third?.base).toBe(second?.hash)
  })
  it("is logged whole where the patch would not be half as large, or nothing is held to compare it with", () => {
    expect(types(logged([list(many(4)), list(many(4).map(({ id }) => thing(Number(id) + 10)))]))).toEqual([
      "feed.observed",
      "feed.observed",
    ])
    expect(types(logged([list(many(20)), list(many(21))], { whole: true }))).toEqual(["feed.observed", "feed.observed"])
  })
  it("is logged as a patch where every item changed in a member", () => {
    const lists = [
      list(many(20)),
      list(
        many(20)
          .map(({ id }) => thing(Number(id), 2))
          .reverse(),
      ),
    ]
    const events = logged(lists)
    expect(types(events)).toEqual(["feed.observed", "feed.patched"])
    expect(events[1]?.data).toMatchObject({ parts: many(20).map((_, at) => ({ changed: 19 - at, set: { rev: 2 } })) })
  })
  it("is logged whole after 200 patches, and once a day", () => {
    const lists = Array.from({ length: 203 }, (_, n) => list([thing(0, n), ...many(20).slice(1)]))
    const quick = types(logged(lists, { everyMs: 1_000 }))
    expect(quick.flatMap((type, index) => (type === "feed.observed" ? [index] : []))).toEqual([0, 201])
    const slow = types(logged(lists.slice(0, 30), { everyMs: 60 * MINUTE_MS }))
    expect(slow.flatMap((type, index) => (type === "feed.observed" ? [index] : []))).toEqual([0, 14])
  })
  it("carries the facts of the list as a whole only where they differ", () => {
    const events = logged([list(many(20)), list(many(20), "score"), list(many(19), "score")])
    expect(events[1]?.data).toMatchObject({ facts: { order: "score" }, parts: [{ from: 0, count: 20 }] })
    expect(events[2]?.data).not.toHaveProperty("facts")
    expect(folded(events).view("/api/things")).toMatchObject({ data: { lines: expect.arrayContaining(["score"]) } })
  })
  it("folds to the same bytes as if each list were logged whole, and each payload has its hash", () => {
    const item = fc.record({ id: fc.nat(12), rev: fc.nat(2) }).map(({ id, rev }) => thing(id, rev))
    const lists = fc.array(
      fc.record({
        items: fc.uniqueArray(item, { selector: ({ id }) => id, maxLength: 12 }),
        order: fc.constantFrom("rank", "score"),
      }),
      { minLength: 2, maxLength: 8 },
    )
    fc.assert(
      fc.property(lists, (some) => {
        const patched = logged(some)
        const proof = makePayloadProof()
        expect(patched.map(proof)).toEqual(patched.map(() => null))
        const [one, other] = [folded(patched), folded(logged(some, { whole: true }))]
        expect(one.view("/api/things")).toEqual(other.view("/api/things"))
        expect(one.view(freshnessKey("/api/things"))).toEqual(other.view(freshnessKey("/api/things")))
        expect(one.derived()).toEqual(other.derived())
        expect(one.checkpoint().checkpoints.get("latest/1/payload/things")).toBe(
          other.checkpoint().checkpoints.get("latest/1/payload/things"),
        )
      }),
      { numRuns: 200 },
    )
  })
})

describe("a patch whose base is not at hand", () => {
  const [first, second, third, fourth] = logged([
    list(many(20)),
    list([thing(99), ...many(20)]),
    list([thing(98), thing(99), ...many(20)]),
    list([thing(97), thing(98), thing(99), ...many(20)]),
  ])
  if (first === undefined || second === undefined || third === undefined || fourth === undefined)
    throw new Error("an event is missing")
  const whole = logged([list([thing(97), ...many(3)])], { whole: true }).map((event) => ({ ...event, id: "later" }))

  it("leaves the last good payload, and reports an error; the next whole list repairs it", () => {
    const bench = folded([first, third])
    const good = folded([first])
    expect(bench.view("/api/things")).toEqual(good.view("/api/things"))
    expect(bench.view(freshnessKey("/api/things"))).toMatchObject({
      asOf: first.time,
      sources: [{ status: "error", reason: expect.stringMatching(/^log_gap: /) }],
    })
    bench.fold(() => fourth)
    expect(bench.view(freshnessKey("/api/things"))).toMatchObject({ asOf: first.time, sources: [{ status: "error" }] })
    bench.fold(...whole.map((event) => () => event))
    expect(bench.view(freshnessKey("/api/things"))).toMatchObject({ sources: [{ status: "live" }] })
    expect(bench.view("/api/things")).toMatchObject({ data: { lines: expect.arrayContaining(["97.1"]) } })
  })
  it("is not applied to another list, however well its parts would fit there", () => {
    const [before, lost, after] = logged([
      list(many(20)),
      list([thing(99), ...many(20).slice(1)]),
      list([thing(99), thing(98), ...many(20).slice(2)]),
    ])
    if (before === undefined || lost === undefined || after === undefined) throw new Error("an event is missing")
    expect(types([lost, after])).toEqual(["feed.patched", "feed.patched"])
    const bench = folded([before, after])
    expect(bench.view("/api/things")).toEqual(folded([before]).view("/api/things"))
    expect(bench.view(freshnessKey("/api/things"))).toMatchObject({
      asOf: before.time,
      sources: [{ status: "error", reason: expect.stringMatching(/^log_gap: /) }],
    })
    expect([before, after].map(makePayloadProof())).toEqual([null, expect.stringMatching(/builds on a payload/)])
  })
  it("is nothing good before the first whole list", () => {
    const bench = folded([second])
    expect(bench.view("/api/things")).toBeUndefined()
    expect(bench.view(freshnessKey("/api/things"))).toMatchObject({ asOf: null, sources: [{ status: null }] })
  })
  it("is found by verifying, as is a payload without the hash that its event names", () => {
    const proof = makePayloadProof()
    expect(proof(second)).toBeNull()
    expect(proof(first)).toBeNull()
    expect(proof(third)).toMatch(/builds on a payload/)
    const tampered = { ...first, data: { ...(first.data as object), payload: { items: [], facts: { order: "rank" } } } }
    expect(makePayloadProof()(tampered)).toMatch(/does not have the hash/)
  })
})
