import type { DerivedView } from "../../processors/derived-view.ts"
import { VERDICTS } from "../../processors/held-view.ts"
import { feedViews, tables } from "../../processors/registry.ts"
import { endpoints } from "../../schemas/registry.ts"

const FEED_ENDPOINTS = "feed_endpoints"
const FEED_ENDPOINTS_COMMENT =
  "Which endpoint is made of which feeds, one row for each two: joins tables of requests with tables of feeds by endpoint and feed"
const columns = [
  { name: "endpoint", type: "String", comment: "Path of the endpoint, as in requests_by_minute and premium_calls" },
  { name: "name", type: "String", comment: "Name of the endpoint, as in the reports of usage and in tools" },
  { name: "feed", type: "String", comment: "Feed that it is made of, as in feed_probes; empty if there is none" },
  { name: "tier", type: "String", comment: "free or premium" },
  { name: "credits", type: "UInt32", comment: "Credits of a call (1 credit = 0.02 USD); 0 if it is free" },
]

const literal = (value: string | number): string =>
  typeof value === "number" ? String(value) : `'${value.replaceAll("'", "\\'")}'`

const rows = endpoints.flatMap((endpoint) => {
  const { path, name, tier } = endpoint
  const read = feedViews.filter((view) => view.endpoint.path === path)
  const feeds = new Set(read.flatMap(({ reads }) => Object.values(reads).map(({ feed }) => feed.name)))
  const credits = "credits" in endpoint ? (endpoint.credits ?? 0) : 0
  return (feeds.size === 0 ? [""] : [...feeds]).map((feed) => [path, name, feed, tier, credits])
})

/** The view that joins endpoints and feeds. It is made of the contract and of what views read. */
const feedEndpoints: DerivedView = {
  name: FEED_ENDPOINTS,
  comment: FEED_ENDPOINTS_COMMENT,
  columns,
  sql: `CREATE OR REPLACE VIEW ${FEED_ENDPOINTS}
(
${columns.map(({ name, type, comment }) => `    ${name} ${type} COMMENT ${literal(comment)}`).join(",\n")}
)
AS SELECT * FROM values(${literal(columns.map(({ name, type }) => `${name} ${type}`).join(", "))},
${rows.map((row) => `    (${row.map(literal).join(", ")})`).join(",\n")}
)
COMMENT ${literal(FEED_ENDPOINTS_COMMENT)}`,
}

/** A view that no file defines, with the tables that it reads; none for one that holds its own rows. */
interface ViewOver {
  readonly view: DerivedView
  readonly over: ReadonlyArray<string>
}

/** Every view that no file defines. */
export const derivedViews: ReadonlyArray<ViewOver> = [
  ...tables.flatMap(
    ({ name, now, held }): ReadonlyArray<ViewOver> => [
      ...(now === null ? [] : [{ view: now, over: [name] }]),
      ...(held === null ? [] : [{ view: held, over: [name, VERDICTS] }]),
    ],
  ),
  { view: feedEndpoints, over: [] },
]
