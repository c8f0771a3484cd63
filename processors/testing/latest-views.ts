import * as Schema from "effect/Schema"
import { endpoint } from "../../schemas/contract/endpoint.ts"
import { choice } from "../../schemas/contract/parameters.ts"
import { type Feed, listFeed, valueFeed } from "../../schemas/feed.ts"
import { eventReader } from "../../schemas/registry.ts"
import { makeLatest } from "../folds/latest.ts"
import { from, fromEvery, optionally, until, type View, view } from "../view/view.ts"
import { type FoldingBench, foldingBench } from "./folding.ts"

// The fold of the latest readings over two feeds and a view of each kind, for tests of it.

const Thing = Schema.Struct({ id: Schema.String, rev: Schema.Int })
export const things = listFeed({
  name: "things",
  description: "Things.",
  item: Thing,
  itemsMax: 100,
  key: (item) => item.id,
})
const places = valueFeed({
  name: "places",
  description: "A value of a place.",
  value: Schema.Struct({ value: Schema.Int }),
  key: "place",
  publishesChanges: () => false,
})

const Count = Schema.Struct({ count: Schema.Int })
const free = { tier: "free", ttl: "1 minute", summary: "", description: "" } as const
const countView = view({
  endpoint: endpoint({
    ...free,
    path: "/api/count",
    name: "count",
    kind: "prepared",
    parameters: {},
    data: Count,
    example: { count: 1 },
  }),
  reads: { things: from(things), extra: optionally(places, { at: "here" }) },
  build: ({ things: reading }) => {
    if (reading.payload.items.some(({ id }) => id === "poison")) throw new Error("poisoned")
    return { count: reading.payload.items.length }
  },
})
const clockView = view({
  endpoint: endpoint({
    ...free,
    path: "/api/minute",
    name: "minute",
    kind: "prepared",
    parameters: {},
    data: Count,
    example: { count: 1 },
  }),
  reads: { things: from(things) },
  clock: true,
  build: (_, { nowMs }) => {
    const count = Math.floor(nowMs / 60_000)
    return until({ count }, (count + 1) * 60_000)
  },
})
const placesView = view({
  endpoint: endpoint({
    ...free,
    path: "/api/places",
    name: "places",
    kind: "prepared",
    parameters: {},
    data: Count,
    example: { count: 1 },
  }),
  reads: { places: fromEvery(places, [{ at: "north" }, { at: "south" }, { at: "far" }]) },
  build: (read) => ({ count: read.places.filter(({ reading }) => reading !== null).length }),
})
/** A view on demand. */
export const placeView = view({
  endpoint: endpoint({
    ...free,
    path: "/api/place",
    name: "place",
    kind: "on-demand",
    parameters: { at: choice(["here", "there"], { description: "Where" }) },
    data: Schema.Struct({ at: Schema.String, value: Schema.Int, seen: Schema.String }),
    example: { at: "here", value: 1, seen: "" },
  }),
  reads: { place: from(places, (parameters) => parameters) },
  build: ({ place }, { parameters }) => ({
    at: parameters.at ?? "",
    value: place.payload.value,
    seen: place.observedAt,
  }),
})

const feeds = new Map<string, Feed>([
  ["things", things as Feed],
  ["places", places as Feed],
])
/** The fold. */
export const latest = makeLatest([countView, clockView, placesView, placeView] as ReadonlyArray<View>, feeds)
/** The fold before its first event. */
export const bench = (): FoldingBench => foldingBench(latest, eventReader)

/** A payload of things, by their ids and revisions. */
export const items = (...pairs: ReadonlyArray<readonly [string, number]>) => ({
  items: pairs.map(([id, rev]) => ({ id, rev })),
})
/** The item changes that were published: id, type and key. */
export const changesOf = (made: FoldingBench) =>
  made.derived().map(({ id, type, data }) => [id, type, (data as { readonly key: string }).key])
