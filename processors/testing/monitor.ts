import * as Schema from "effect/Schema"
import { FeedReliability } from "../../schemas/endpoints/feed-reliability.ts"
import { ProFeedReliability, proFeedReliabilityEndpoint } from "../../schemas/endpoints/pro-feed-reliability.ts"
import { type Feed, valueFeed } from "../../schemas/feed.ts"
import { eventReader } from "../../schemas/registry.ts"
import { makeReliability } from "../folds/reliability.ts"
import { type FoldingBench, foldingBench, type GivenEvent, observed } from "./folding.ts"

// The monitor over a few feeds, for tests of it.

const plain = { description: "", value: Schema.Json, key: "x" }
const feeds = new Map<string, Feed>(
  [
    valueFeed({ ...plain, name: "things" }),
    valueFeed({ ...plain, name: "dated", contentAgeMax: "10 minutes" }),
    valueFeed({ ...plain, name: "windows", judgedAs: "one" }),
    valueFeed({ ...plain, name: "hosts" }),
    // Its monthly series may be ten times as old as its daily ones.
    valueFeed({
      ...plain,
      name: "figures",
      judgedAs: "one",
      contentAgeMax: ({ every }) => (every === "month" ? "100 minutes" : "10 minutes"),
    }),
  ].map((one) => [one.name, one as Feed]),
)
/** A monitor that has folded nothing. */
export const bench = (): FoldingBench => foldingBench(makeReliability(feeds), eventReader)

export const MINUTE = 60_000
export const HOUR = 60 * MINUTE
export const KEY = "/api/feed-reliability"
/** The declaration of two feeds that are judged apart. */
export const two = [
  { feed: "things", provider: "A.things" },
  { feed: "hosts", parameters: { host: "x" }, provider: "X.status" },
] as const
/** A poll that succeeded. */
export const good = (atMs: number, name: string, freshForMs = 120_000): GivenEvent =>
  observed(atMs, name, null, { freshForMs, parameters: name === "hosts" ? { host: "x" } : {} })
/** The free table, as its schema has it. */
export const table = (made: FoldingBench) =>
  Schema.decodeUnknownSync(FeedReliability)((made.view(KEY) as { readonly data: unknown }).data)

/** The premium table, as its schema has it. */
export const detailed = (made: FoldingBench) =>
  Schema.decodeUnknownSync(ProFeedReliability, { onExcessProperty: "error" })(
    (made.view(proFeedReliabilityEndpoint.path) as { readonly data: unknown }).data,
  )
