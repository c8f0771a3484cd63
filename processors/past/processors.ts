import { hasPast } from "../../schemas/contract/past.ts"
import { parseInstanceKey } from "../../schemas/feed.ts"
import { foldedViews } from "../registry.ts"

/** The fold that builds every view but those of `foldedViews`. */
const LATEST = "latest"

const processors = new Map(foldedViews.map(({ endpoint, processor }) => [endpoint.path, processor]))

/** The processor that builds a view, by its key. */
export const processorOf = (viewKey: string): string => processors.get(parseInstanceKey(viewKey).name) ?? LATEST

/** The folds that build views with a past: `latest`, and those that build a view of their own. */
export const pastProcessors: ReadonlyArray<string> = [
  ...new Set([LATEST, ...foldedViews.flatMap(({ endpoint, processor }) => (hasPast(endpoint) ? [processor] : []))]),
]
