import * as Schema from "effect/Schema"
import { makeLatest } from "../../processors/folds/latest.ts"
import { makeReliability } from "../../processors/folds/reliability.ts"
import { fromEvery, series, until, type View, view } from "../../processors/view/view.ts"
import { endpoint } from "../../schemas/contract/endpoint.ts"
import { type Feed, listFeed } from "../../schemas/feed.ts"

/** The feeds of the crash tests. */
export const crashFeeds = ["red", "green", "blue"] as const

const Item = Schema.Struct({ id: Schema.String, rev: Schema.Int })
const definitions = crashFeeds.map((name) =>
  listFeed({ name, description: "", item: Item, itemsMax: 1_000, key: (item) => item.id }),
)

/** A prepared endpoint for a view. */
const shows = <One>(name: string, data: Schema.Codec<ReadonlyArray<One>, unknown>) =>
  endpoint({
    path: `/api/${name}`,
    name: name.replaceAll("-", "_"),
    kind: "prepared",
    tier: "free",
    ttl: "1 minute",
    summary: "",
    description: "",
    parameters: {},
    data,
    example: [],
  })

/** The views of the feeds; that of `red` differs in each millisecond. */
const views = definitions.map((one) =>
  view({
    endpoint: shows(one.name, Schema.Array(Item)),
    reads: { all: fromEvery(one, [{}]) },
    clock: true,
    build: ({ all }, { nowMs }) =>
      until(
        all.flatMap(
          ({ reading }) => reading?.payload.items.map(({ id, rev }) => ({ id, rev: rev + (nowMs % 2) })) ?? [],
        ),
        one.name === "red" ? nowMs + 1 : null,
      ),
  }),
)

/** A window over each polled feed. */
const windows = definitions.map((one) =>
  view({
    endpoint: shows(`${one.name}-series`, Schema.Array(Schema.Array(Schema.Finite))),
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
