import { Schema } from "effect"
import { makeLatest } from "../../processors/folds/latest.ts"
import { makeReliability } from "../../processors/folds/reliability.ts"
import { fromEvery, series, type View, view } from "../../processors/view.ts"
import { endpoint } from "../../schemas/endpoint.ts"
import { type Feed, feed } from "../../schemas/feed.ts"

/** The feeds of the crash tests. */
export const crashFeeds = ["red", "green", "blue"] as const

const Item = Schema.Struct({ id: Schema.String, rev: Schema.Int })
const definitions = crashFeeds.map((name) =>
  feed({
    name,
    description: "",
    payload: Schema.Struct({ items: Schema.Array(Item) }),
    items: (payload) => payload.items,
    key: (item) => item.id,
    revision: (item) => item.rev,
  }),
)

const views = definitions.map((one) =>
  view({
    endpoint: endpoint({
      path: `/api/${one.name}`,
      name: one.name,
      kind: "prepared",
      tier: "free",
      ttl: "1 minute",
      summary: "",
      description: "",
      parameters: {},
      data: Schema.Array(Item),
      example: [],
    }),
    reads: { all: fromEvery(one, [{}]) },
    followsClock: one.name === "red",
    build: ({ all }, { nowMs }) =>
      all.flatMap(({ reading }) => reading?.payload.items.map(({ id, rev }) => ({ id, rev: rev + (nowMs % 2) })) ?? []),
  }),
)

/** A window over each feed, as they are polled. */
const windows = definitions.map((one) =>
  view({
    endpoint: endpoint({
      path: `/api/${one.name}-series`,
      name: `${one.name}_series`,
      kind: "prepared",
      tier: "free",
      ttl: "1 minute",
      summary: "",
      description: "",
      parameters: {},
      data: Schema.Array(Schema.Array(Schema.Finite)),
      example: [],
    }),
    reads: { points: series(one, { windowMs: 20_000, everyMs: 100, value: ({ items }) => items.length }) },
    build: ({ points }) => points.map((point) => [...point]),
  }),
)

const feeds = new Map(definitions.map((one) => [one.name, one as Feed]))

/** The processors of the crash tests: the real folds over small feeds. */
export const crashProcessors = [
  makeLatest([...views, ...windows] as ReadonlyArray<View>, feeds),
  makeReliability(feeds),
] as const
