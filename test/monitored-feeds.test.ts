import { expect, it } from "vitest"
import { sources } from "../ingestors/registry.ts"
import { makeReliability } from "../processors/folds/reliability.ts"
import { declared, foldingBench, tick } from "../processors/testing/folding.ts"
import type { FeedReliability } from "../schemas/endpoints/feed-reliability.ts"
import { proFeedReliabilityHistoryEndpoint } from "../schemas/endpoints/pro-feed-reliability-history.ts"
import { instanceKey } from "../schemas/feed.ts"
import { buildOpenApi } from "../schemas/printers/openapi.ts"
import { eventReader, feeds } from "../schemas/registry.ts"

interface Document {
  readonly paths: Readonly<
    Record<string, { readonly get: { readonly parameters: ReadonlyArray<{ readonly schema: { enum: unknown } }> } }>
  >
}

const polled = sources.flatMap(({ fills, instances }) =>
  instances.map((parameters) => ({ feed: fills.name, parameters, provider: `A.${fills.name}` })),
)

it("the reliability history takes exactly the feeds that the monitor judges, and publishes them", () => {
  const bench = foldingBench(makeReliability(feeds), eventReader)
  bench.fold(declared(0, polled), tick(5 * 60_000), tick(10 * 60_000))
  const { data } = bench.view("/api/feed-reliability") as { readonly data: FeedReliability }
  const judged = [...data.feeds, ...data.low_coverage].map(({ feed }) => feed).sort()
  expect(judged.length).toBeGreaterThan(10)
  const endpoint = proFeedReliabilityHistoryEndpoint
  const { paths } = buildOpenApi({ endpoints: [endpoint], baseUrl: null }) as unknown as Document
  expect(paths[endpoint.path]?.get.parameters[0]?.schema.enum).toEqual(judged)
})

it("a feed names the instances that its sources poll on schedule", () => {
  const keys = new Set(polled.map(({ feed, parameters }) => instanceKey(feed, parameters)))
  const named = [...feeds.values()].flatMap(({ name, instances }) => instances.map((one) => instanceKey(name, one)))
  expect([...keys].sort()).toEqual(named.sort())
})
