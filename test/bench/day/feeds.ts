import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { sources } from "../../../ingestors/registry.ts"
import { listSource, type Source } from "../../../ingestors/source.ts"
import { openTerms } from "../../../ingestors/terms.ts"
import { from, fromEvery, type View, view } from "../../../processors/view/view.ts"
import { endpoint } from "../../../schemas/contract/endpoint.ts"
import { type Feed, instanceKey, listFeed, type Parameters } from "../../../schemas/feed.ts"
import { feeds } from "../../../schemas/registry.ts"

// The simulated world is small: a day of it alone would be too. Of the feeds whose real answers are larger than the world's,
// or change otherwise, a model is polled in place of the feed: with its instances and intervals, and with the measured sizes
// and rates of change that stand here. Any other feed is polled from the world.

/** What was measured of a feed's answers. Rates are items a poll, and may be below 1. */
interface Measured {
  readonly items: number
  readonly itemBytes: number
  /** New items, which come first; as many of the oldest go. */
  readonly added: number
  readonly revised: number
  /** Items that change in members that their revision does not speak of, such as a price beside a rate. */
  readonly touched?: number
  /** Rows of its view, from the first on; all where it is not said. */
  readonly rows?: number
}

/** A share of the day in which markets trade, so that a quote changes. */
const TRADING = 0.27

const measured: Readonly<Record<string, Measured>> = {
  "weather-alerts": { items: 1_000, itemBytes: 690, added: 4, revised: 2 },
  "known-exploited": { items: 1_400, itemBytes: 520, added: 0.05, revised: 0.05, rows: 60 },
  "malware-urls": { items: 200, itemBytes: 300, added: 15, revised: 5, rows: 60 },
  "threat-indicators": { items: 200, itemBytes: 300, added: 15, revised: 5, rows: 60 },
  "disaster-alerts": { items: 100, itemBytes: 800, added: 0.05, revised: 1 },
  "stock-quotes": { items: 1, itemBytes: 260, added: 0, revised: TRADING },
  coins: { items: 100, itemBytes: 350, added: 0, revised: 100, rows: 15 },
  "funding-rates": { items: 53, itemBytes: 150, added: 0, revised: 8, touched: 53, rows: 20 },
  "trade-halts": { items: 100, itemBytes: 250, added: 0.1, revised: 0.1 },
  "faa-status": { items: 40, itemBytes: 300, added: 0.3, revised: 1 },
  "economic-series": { items: 260, itemBytes: 60, added: 0.02, revised: 0, rows: 2 },
  launches: { items: 25, itemBytes: 900, added: 0.01, revised: 0.3, rows: 20 },
  repositories: { items: 50, itemBytes: 600, added: 0.2, revised: 25, rows: 25 },
  "game-platform-top": { items: 100, itemBytes: 150, added: 0, revised: 100, rows: 25 },
  "model-hub-trending": { items: 30, itemBytes: 300, added: 0.2, revised: 30, rows: 15 },
  harnesses: { items: 60, itemBytes: 250, added: 0, revised: 0.1 },
  "chain-network": { items: 1, itemBytes: 300, added: 0, revised: 1 },
  "ai-stack-cves": { items: 60, itemBytes: 500, added: 0.1, revised: 0.5, rows: 5 },
  "air-quality": { items: 1, itemBytes: 400, added: 0, revised: 1 },
  volcanoes: { items: 30, itemBytes: 700, added: 0.02, revised: 0.02 },
  reactors: { items: 95, itemBytes: 80, added: 0, revised: 10 },
  "chess-tv": { items: 6, itemBytes: 200, added: 0, revised: 2 },
  "event-market": { items: 100, itemBytes: 350, added: 0.2, revised: 60, rows: 10 },
}

/** A modelled feed: what was measured, and the feed that it stands for. */
interface Model extends Measured {
  readonly name: string
  readonly of: Feed
}

const models: ReadonlyArray<Model> = Object.entries(measured).map(([name, one]) => {
  const of = feeds.get(name)
  if (of === undefined) throw new Error(`${name} is measured, and there is no such feed`)
  return { ...one, name, of }
})

const Item = Schema.Struct({
  id: Schema.String,
  revision: Schema.Int,
  price: Schema.Int,
  at: Schema.String,
  words: Schema.String,
})
type Item = typeof Item.Type
/** What the members of an item take beside its words. */
const MEMBER_BYTES = 100

const modelledName = (name: string): string => `modelled-${name}`

const feedOf = ({ name, items, of }: Model) =>
  listFeed({
    name: modelledName(name),
    description: "",
    item: Item,
    itemsMax: items,
    key: ({ id }) => id,
    revision: ({ revision }) => revision,
    contentAgeMax: "1 hour",
    instances: of.instances,
    publishesGone: of.publishesGone,
  })

const Rows = Schema.Struct({ count: Schema.Int, rows: Schema.Array(Schema.Json) })

/** Views of the product make a row of each item; so do these, with members of other names. */
const rowOf = ({ id, revision, price, at, words }: Item) => ({
  id,
  number: revision,
  price,
  updated_at: at,
  description: words,
})

const viewsOf = (model: Model, feed: ReturnType<typeof feedOf>): View => {
  const { name, of, rows = Number.POSITIVE_INFINITY } = model
  const modelled = endpoint({
    path: `/api/modelled/${name}`,
    name: `modelled_${name.replaceAll("-", "_")}`,
    kind: "prepared",
    tier: "free",
    ttl: "1 minute",
    summary: "",
    description: "",
    parameters: {},
    data: Rows,
    example: { count: 0, rows: [] },
  })
  if (of.instances.length === 1)
    return view({
      endpoint: modelled,
      reads: { only: from(feed) },
      build: ({ only: { payload } }) => ({
        count: payload.items.length,
        rows: payload.items.slice(0, rows).map(rowOf),
      }),
    })
  return view({
    endpoint: modelled,
    reads: { all: fromEvery(feed) },
    build: ({ all }) => {
      const items = all.flatMap(({ reading }) => reading?.payload.items ?? []).slice(0, rows)
      return { count: items.length, rows: items.map(rowOf) }
    },
  })
}

/** The interval at which an instance of a feed is polled: that of its source of the first rank. */
const everyMs = (of: Feed, parameters: Parameters): number => {
  const own = sources.filter(({ fills, serves }) => fills === of && serves(parameters))
  const [first] = own.toSorted((one, other) => one.rank - other.rank)
  if (first === undefined) throw new Error(`no source fills ${instanceKey(of.name, parameters)}`)
  return first.everyMs(parameters)
}

const sourceOf = ({ name, of }: Model, feed: ReturnType<typeof feedOf>): Source =>
  listSource({
    name,
    provider: `Modelled.${name}`,
    fills: feed,
    every: (parameters) => everyMs(of, parameters),
    documents: {},
    collect: (): Effect.Effect<ReadonlyArray<Item>> => Effect.die("never asked"),
    candidates: (items: ReadonlyArray<Item>) => items,
    toItem: (item) => item,
    contentAtMs: () => null,
    attribution: { provider: "Modelled", licence: "none", url: "https://example.org" },
    terms: openTerms("https://example.org", "none"),
  }) as unknown as Source

const declared = models.map((model) => ({ model, feed: feedOf(model) }))

/** The modelled feeds by name, their views and their sources. */
export const modelledFeeds: ReadonlyMap<string, Feed> = new Map(
  declared.map(({ feed }) => [feed.name, feed as unknown as Feed]),
)
/** Whether a feed of the registry has a model of its real size. */
export const isModelled = ({ name }: Feed): boolean => modelledFeeds.has(modelledName(name))
/** The model of a modelled feed; undefined for any other feed. */
export const modelOf = (feed: Feed): Model | undefined =>
  declared.find((one) => (one.feed as unknown as Feed) === feed)?.model
export const modelledViews: ReadonlyArray<View> = declared.map(({ model, feed }) => viewsOf(model, feed))
export const modelledSources: ReadonlyArray<Source> = declared.map(({ model, feed }) => sourceOf(model, feed))

/** A modelled list, from one poll to the next. `next` gives the items; the same list where nothing has changed. */
export const makeModelledList = (
  model: Model,
  random: () => number,
): { readonly next: (at: string) => ReadonlyArray<Item> } => {
  let ids = 0
  let items: ReadonlyArray<Item> = []
  const words = () => {
    let text = ""
    while (text.length < model.itemBytes - MEMBER_BYTES) text += ` ${Math.floor(random() * 1e9).toString(36)}`
    return text
  }
  const make = (at: string): Item => ({ id: `${model.name}-${ids++}`, revision: 1, price: 1, at, words: words() })
  /** A whole number that is `rate` on average. */
  const drawn = (rate: number): number => Math.floor(rate) + (random() < rate % 1 ? 1 : 0)
  return {
    next: (at) => {
      if (items.length === 0) {
        items = Array.from({ length: model.items }, () => make(at))
        return items
      }
      const [added, revised, touched] = [drawn(model.added), drawn(model.revised), drawn(model.touched ?? 0)]
      if (added + revised + touched === 0) return items
      const changed = items.slice(0, items.length - added)
      for (let n = 0; n < revised; n += 1) {
        const place = revised >= changed.length ? n : Math.floor(random() * changed.length)
        const before = changed[place]
        if (before !== undefined) changed[place] = { ...before, revision: before.revision + 1, at }
      }
      for (const [place, item] of changed.slice(0, touched).entries())
        changed[place] = { ...item, price: item.price + 1 }
      items = [...Array.from({ length: added }, () => make(at)), ...changed]
      return items
    },
  }
}
