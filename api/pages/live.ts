import { defaultTtlMs } from "../../schemas/contract/endpoint-kinds.ts"
import { noProvenance } from "../../schemas/contract/provenance.ts"
import { streamEndpoint } from "../../schemas/endpoints/changes.ts"
import { changingFeeds } from "../changes/filter.ts"
import type { ApiOptions } from "../routes/route.ts"
import { type Html, html } from "./html.ts"

/** A page reads no reply oftener by the clock, however short its reuse is. */
const READ_EVERY_MIN_MS = 15_000

/** How a page that shows the reply of an endpoint is kept current (assets/live/live.js). */
export interface Live {
  /** The feeds with changes that the reply is made of. */
  readonly feeds: ReadonlyArray<string>
  /** How often the reply is read without the stream. */
  readonly ttlMs: number
  /** Whether it is read as often beside the stream: not every change of it is a change of an item of these feeds. */
  readonly followsClock: boolean
}

/** How pages are kept current. */
export interface LivePages {
  /** The path of the stream of changes; null where there is none. */
  readonly stream: string | null
  /** How a reply is kept current, by the path of its endpoint. */
  readonly of: (path: string) => Live
}

/** Reads from contract and views how the pages of an API are kept current. */
export const livePages = ({
  endpoints,
  provenance = () => noProvenance,
  changes = null,
}: Pick<ApiOptions, "endpoints" | "provenance" | "changes">): LivePages => {
  const stated = changingFeeds(endpoints)
  const byPath = new Map(endpoints.map((endpoint) => [endpoint.path, endpoint]))
  const known = new Map<string, Live>()
  const read = (path: string): Live => {
    const endpoint = byPath.get(path)
    const { feeds, changesByItems } = provenance(path)
    return {
      feeds: feeds.filter((feed) => stated.has(feed)),
      ttlMs: Math.max(READ_EVERY_MIN_MS, endpoint === undefined ? 0 : defaultTtlMs(endpoint)),
      followsClock: !changesByItems || !feeds.every((feed) => stated.has(feed)),
    }
  }
  return {
    stream: changes === null || !endpoints.includes(streamEndpoint) ? null : streamEndpoint.path,
    of: (path) => {
      const live = known.get(path) ?? read(path)
      known.set(path, live)
      return live
    },
  }
}

/** What stands in the markup of a page that follows the stream, where there is one. */
export const streamAttribute = ({ stream }: LivePages): Html | null =>
  stream === null ? null : html` data-stream="${stream}"`

/** A live region that says when a page does not follow the stream of changes. It is empty while it does. */
export const saidHtml = (): Html => html`<span class="small soft" role="status" data-live-said></span>`
