import * as Schema from "effect/Schema"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { endpoint } from "../../schemas/contract/endpoint.ts"
import { wordList } from "../../schemas/contract/parameters.ts"
import { type Feed, instanceKey, type Parameters, valueFeed } from "../../schemas/feed.ts"
import { eventReader } from "../../schemas/registry.ts"
import { freshnessKey } from "../../schemas/view-record.ts"
import { DEMANDED_VIEWS_MAX, makeLatest } from "../folds/latest.ts"
import {
  declared,
  demanded,
  type FoldingBench,
  failed,
  foldedInPieces,
  foldingBench,
  type GivenEvent,
  observed,
  tick,
} from "../testing/folding.ts"
import { viewInstance } from "./build-view.ts"
import { buildDemanded, isNamedByObservation, readsOf } from "./demanded-view.ts"
import { from, fromEvery, optionally, type View, view } from "./view.ts"

const HOUR = 3_600_000
const PATH = "/api/quotes"

const value = Schema.Struct({ price: Schema.Int })
const quotes = valueFeed({
  name: "quotes",
  description: "",
  value,
  key: "quote",
  instances: [{ symbol: "a" }],
  publishesChanges: () => false,
})
const market = valueFeed({ name: "market", description: "", value: Schema.Struct({ open: Schema.Boolean }), key: "m" })
const symbols = { schema: wordList(["a", "b", "c", "d"]), description: "Symbols", example: "a,b" }
const facts = { tier: "free", ttl: "1 minute", summary: "", description: "", kind: "on-demand" } as const
const quotesView = view({
  endpoint: endpoint({
    ...facts,
    path: PATH,
    name: "quotes",
    parameters: { symbols },
    data: Schema.Struct({ open: Schema.NullOr(Schema.Boolean), prices: Schema.Array(Schema.String) }),
    example: { open: null, prices: [] },
  }),
  reads: {
    quotes: fromEvery(quotes, ({ symbols: list = "" }) => list.split(",").map((symbol) => ({ symbol }))),
    market: optionally(market),
  },
  build: ({ quotes: read, market: state }) => ({
    open: state?.payload.open ?? null,
    prices: read.map(({ parameters, reading }) => `${parameters.symbol} ${reading?.payload.price ?? "unknown"}`),
  }),
}) as View
/** Reads one instance, under the view's own parameters. */
const quoteView = view({
  endpoint: endpoint({
    ...facts,
    path: "/api/quote",
    name: "quote",
    parameters: { symbol: symbols },
    data: value,
    example: { price: 1 },
  }),
  reads: { quote: from(quotes, ({ symbol = "" }) => ({ symbol })) },
  build: ({ quote }) => ({ price: quote.payload.price }),
}) as View
const feeds = new Map<string, Feed>([
  ["quotes", quotes as Feed],
  ["market", market as Feed],
])
const latest = makeLatest([quotesView, quoteView], feeds)
const bench = (): FoldingBench => foldingBench(latest, eventReader)

const keyOf = (list: string): string => instanceKey(PATH, { symbols: list })
const request = (atMs: number, list: string): GivenEvent => demanded(atMs, PATH, { symbols: list })
const quote = (atMs: number, symbol: string, price: number): GivenEvent =>
  observed(atMs, "quotes", { price }, { parameters: { symbol } })
const prices = (made: FoldingBench, list: string) =>
  (made.view(keyOf(list)) as { data: { prices: ReadonlyArray<string> } } | undefined)?.data.prices

describe("a view on demand of several instances", () => {
  it("given observations and then its request, has the bytes that the request was answered with", () => {
    const made = bench()
    const events = [quote(1000, "a", 1), quote(2000, "b", 2)]
    made.fold(tick(500), ...events)
    const replied = buildDemanded(quotesView, { symbols: "a,b" }, events.map(made.encoded))
    made.fold(tick(60_000), request(61_000, "a,b"))
    expect(JSON.stringify(replied.body)).toBe(JSON.stringify(made.view(keyOf("a,b"))))
    expect(replied.freshness).toEqual(made.view(freshnessKey(keyOf("a,b"))))
    expect(replied.body).toMatchObject({ changedAt: "1970-01-01T00:00:02.000Z", data: { prices: ["a 1", "b 2"] } })
  })

  it("given its request, is refreshed by each of its instances, and by no other", () => {
    const made = bench()
    made.fold(quote(1000, "a", 1), quote(1000, "b", 1), request(2000, "a,b"))
    made.fold(quote(3000, "b", 2))
    expect(prices(made, "a,b")).toEqual(["a 1", "b 2"])
    made.fold(quote(4000, "a", 3))
    expect(prices(made, "a,b")).toEqual(["a 3", "b 2"])
    made.fold(observed(5000, "market", { open: true }))
    expect(made.view(keyOf("a,b"))).toMatchObject({ data: { open: true }, changedAt: "1970-01-01T00:00:05.000Z" })
    made.forgetWrites()
    made.fold(quote(6000, "c", 9))
    expect(made.written().filter((key) => key.includes(PATH))).toEqual([])
  })

  it("given no request for it, is not built by an observation", () => {
    const made = bench()
    made.fold(quote(1000, "a", 1))
    expect(made.view(keyOf("a"))).toBeUndefined()
    expect(made.view("/api/quote?symbol=a")).toMatchObject({ data: { price: 1 } })
  })

  it("given an instance that was never observed, shows it as unknown, with its failure, until it is", () => {
    const made = bench()
    made.fold(failed(500, "quotes", "status", "404", { parameters: { symbol: "d" } }))
    made.fold(request(1000, "d"))
    expect(made.view(keyOf("d"))).toBeUndefined()
    made.fold(quote(2000, "a", 1), request(3000, "a,d"))
    expect(prices(made, "a,d")).toEqual(["a 1", "d unknown"])
    expect(made.view(freshnessKey(keyOf("a,d")))).toMatchObject({
      sources: [{ status: "live" }, { status: null, reason: "status: 404" }],
    })
    made.fold(quote(4000, "d", 4))
    expect([prices(made, "a,d"), prices(made, "d")]).toEqual([["a 1", "d 4"], ["d 4"]])
  })

  it("is dropped a day after its last request, with its state", () => {
    const made = bench()
    made.fold(declared(0, [{ feed: "quotes", parameters: { symbol: "a" }, provider: "B.quotes" }]))
    made.fold(quote(0, "a", 1), request(0, "a,b"), request(0, "a,c"), request(HOUR, "a,c"))
    made.fold(tick(24 * HOUR))
    expect([prices(made, "a,b"), prices(made, "a,c")]).toEqual([undefined, ["a 1", "c unknown"]])
    expect(made.view(freshnessKey(keyOf("a,b")))).toBeUndefined()
    made.fold(tick(25 * HOUR))
    expect(made.stateKeys().filter((key) => key.includes(PATH))).toEqual([])
  })

  it("is kept among so many of its endpoint; the one that was requested longest ago goes first", () => {
    const made = bench()
    const lists = Array.from({ length: DEMANDED_VIEWS_MAX + 1 }, (_, index) => `a,${index}`)
    made.fold(quote(0, "a", 1))
    made.fold(...lists.map((list, index) => request(1000 + index, list)))
    made.fold(request(5000, lists[1] ?? ""))
    expect(lists.filter((list) => prices(made, list) === undefined)).toEqual([lists[0]])
    made.fold(request(6000, lists[0] ?? ""))
    expect(lists.filter((list) => prices(made, list) === undefined)).toEqual([lists[2]])
  })

  it("of a path that this release does not have is ignored, and removed where an earlier one kept it", () => {
    const made = bench()
    made.fold(quote(0, "a", 1), request(0, "a,b"), demanded(0, "/api/other", { symbols: "a" }))
    const without = foldingBench(makeLatest([quoteView], feeds), eventReader, made.checkpoint())
    without.fold(request(1000, "a,c"), declared(2000, []))
    expect(without.stateKeys().filter((key) => key.includes(PATH) || key.includes("other"))).toEqual([])
    expect(without.view(keyOf("a,b"))).toBeUndefined()
  })

  it("gives identical bytes however the events are cut and wherever the process is begun again", () => {
    const happening = fc.record({
      kind: fc.constantFrom("quote", "request", "failed", "tick"),
      list: fc.subarray(["a", "b", "c"], { minLength: 1 }),
      price: fc.integer({ min: 0, max: 3 }),
      gapMs: fc.constantFrom(0, 1000, HOUR, 25 * HOUR),
    })
    fc.assert(
      fc.property(
        fc.array(happening, { minLength: 1, maxLength: 25 }),
        fc.array(fc.boolean(), { minLength: 25, maxLength: 25 }),
        (history, cuts) => {
          let atMs = 0
          const events = history.map(({ kind, list: [first = "a", ...others], price, gapMs }): GivenEvent => {
            atMs += gapMs
            if (kind === "quote") return quote(atMs, first, price)
            if (kind === "request") return request(atMs, [first, ...others].join(","))
            if (kind === "failed") return failed(atMs, "quotes", "status", "503", { parameters: { symbol: first } })
            return tick(atMs)
          })
          const whole = bench()
          whole.fold(...events)
          expect(foldedInPieces(latest, eventReader, events, cuts)).toEqual(whole.everything())
        },
      ),
      { numRuns: 100 },
    )
  })
})

describe("what a view on demand reads", () => {
  it("is each instance once, and names the view where it is one under the view's own parameters", () => {
    const several = viewInstance(quotesView, { symbols: "a,b,a" })
    expect(readsOf(several)).toEqual([
      { feed: "quotes", parameters: { symbol: "a" } },
      { feed: "quotes", parameters: { symbol: "b" } },
      { feed: "market", parameters: {} },
    ])
    expect(isNamedByObservation(several)).toBe(false)
    expect(isNamedByObservation(viewInstance(quoteView, { symbol: "a" }))).toBe(true)
  })

  it("is by default the instance of the feed, or all of them; of several, one must be named", () => {
    const pair = { ...quotes, instances: [{ symbol: "a" }, { symbol: "b" }] }
    expect(from(quotes).instances({})).toEqual([{ symbol: "a" }])
    expect(fromEvery(pair).instances({})).toEqual(pair.instances)
    expect(() => from(pair)).toThrow("quotes has 2 instances: an input of one must name it")
  })
})

describe("an on-demand endpoint", () => {
  const declaredBy = (unlogged: boolean, feed: Feed, prepared: ReadonlyArray<Parameters> = []) =>
    view({
      endpoint: endpoint({
        ...facts,
        path: "/api/quote",
        name: "quote",
        prepared,
        unlogged,
        parameters: { symbol: { ...symbols, optional: true } },
        data: Schema.Struct({ prices: Schema.Natural }),
        example: { prices: 0 },
      }),
      reads: { quotes: fromEvery(feed, ({ symbol }) => (symbol === undefined ? feed.instances : [{ symbol }])) },
      build: ({ quotes: read }) => ({ prices: read.length }),
    }) as View

  it("is unlogged where its feed is, and only there", () => {
    const secret = { ...(quotes as Feed), unlogged: true }
    expect(declaredBy(true, secret).endpoint).toMatchObject({ unlogged: true })
    for (const [unlogged, feed] of [
      [false, secret],
      [true, quotes as Feed],
    ] as const)
      expect(() => declaredBy(unlogged, feed)).toThrow("must agree on whether requests are unlogged")
  })

  it("builds what stands ready as a prepared one, which no request keeps, beside what observations name", () => {
    const pair = { ...(quotes as Feed), instances: [{ symbol: "a" }, { symbol: "b" }] }
    const made = foldingBench(makeLatest([declaredBy(false, pair, [{}])], feeds), eventReader)
    made.fold(demanded(0, "/api/quote", {}), declared(1, []))
    expect(made.view("/api/quote")).toBeUndefined()
    made.fold(observed(2, "quotes", { price: 1 }, { parameters: { symbol: "b" } }), tick(3 * 24 * HOUR))
    expect(made.view("/api/quote")).toMatchObject({ data: { prices: 2 } })
    expect(made.view("/api/quote?symbol=b")).toMatchObject({ data: { prices: 1 } })
  })
})
