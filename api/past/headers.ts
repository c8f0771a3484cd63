import { NOW } from "../../schemas/contract/past.ts"
import type { PastMeta } from "../../schemas/contract/reply.ts"
import { instanceKey, type Parameters } from "../../schemas/feed.ts"

/** A past reply does not change; but what it holds may have to be withdrawn. */
const SETTLED = "public, max-age=86400"
const MOVING = "no-cache"

/** How long caches may reuse a past reply. */
export const pastCacheControl = ({ requested }: PastMeta): string => (requested === NOW ? MOVING : SETTLED)

/** The headers of a past reply, beside those of any. */
export const pastHeaders = (path: string, parameters: Parameters, { known_at }: PastMeta): ReadonlyArray<string> => [
  "Content-Location",
  instanceKey(path, { ...parameters, at: known_at }),
  "Memento-Datetime",
  new Date(known_at).toUTCString(),
  "Link",
  `<${instanceKey(path, parameters)}>; rel="original"`,
]
