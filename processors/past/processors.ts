import { hasPast } from "../../schemas/contract/past.ts"
import { feedReliabilityEndpoint } from "../../schemas/endpoints/feed-reliability.ts"
import { foldedViews } from "../registry.ts"

/** The folds that build views with a past: `latest`, the monitor, and those that build a view of their own. */
export const pastProcessors: ReadonlyArray<string> = [
  ...new Set([
    "latest",
    ...foldedViews.flatMap(({ endpoint, processor }) => (hasPast(endpoint) ? [processor] : [])),
    ...(hasPast(feedReliabilityEndpoint) ? ["reliability"] : []),
  ]),
]
