import { type Endpoint, type Subject, subjectNames, subjects } from "../../../schemas/contract/endpoint-kinds.ts"
import { feedPagePath } from "../../../schemas/contract/pages.ts"
import { noProvenance } from "../../../schemas/contract/provenance.ts"
import type { FeedStatus } from "../../../schemas/endpoints/status.ts"
import { isData } from "../../../schemas/printers/tools.ts"
import type { ApiOptions } from "../../routes/route.ts"

/** What a reader knows a judged feed by. */
export interface FeedName {
  readonly title: string
  readonly subject: Subject | null
  /** The page of the endpoint that it belongs to; null where none is offered. */
  readonly page: string | null
}

/** The feeds of a subject. */
interface FeedGroup {
  readonly heading: string
  readonly feeds: ReadonlyArray<FeedStatus>
}

/** Feeds that no endpoint of a subject is made of. */
const OTHERS = "Others"

const titleOf = (endpoint: Endpoint): string =>
  ("glance" in endpoint ? endpoint.glance?.title : undefined) ?? endpoint.summary

/**
 * Makes the function that names a judged feed by the endpoint which is made of it: of several that which is made of the fewest,
 * so that a briefing names none of its parts. Reads the provenance of every endpoint: not for every request.
 */
export const feedNames = ({
  endpoints,
  provenance,
}: Pick<ApiOptions, "endpoints" | "provenance">): ((feed: string) => FeedName) => {
  const made = endpoints
    .filter(isData)
    .map((endpoint) => ({ endpoint, monitored: (provenance?.(endpoint.path) ?? noProvenance).monitored }))
    .sort((one, other) => one.monitored.length - other.monitored.length)
  const names = new Map<string, FeedName>()
  for (const { endpoint, monitored } of made)
    for (const feed of monitored)
      if (!names.has(feed))
        names.set(feed, { title: titleOf(endpoint), subject: endpoint.subject, page: feedPagePath(endpoint) })
  return (feed) => names.get(feed) ?? { title: feed, subject: null, page: null }
}

/** Feeds by subject, in the order in which they stand. */
export const groupsOf = (
  feeds: ReadonlyArray<FeedStatus>,
  nameOf: (feed: string) => FeedName,
): ReadonlyArray<FeedGroup> => {
  const bySubject = Map.groupBy(feeds, ({ feed }) => nameOf(feed).subject)
  return [...subjectNames, null].flatMap((subject) => {
    const own = bySubject.get(subject) ?? []
    return own.length === 0 ? [] : [{ heading: subject === null ? OTHERS : subjects[subject], feeds: own }]
  })
}
