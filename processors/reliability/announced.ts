import type { FeedBreakdown } from "../../schemas/endpoints/pro-feed-reliability.ts"
import { ANNOUNCEMENTS_MAX, type Announcement } from "../../schemas/events/observations.ts"

/** What the upstreams of an instance announce, each with the time of the event that brought it first. */
export type AnnouncedSince = ReadonlyArray<Announcement & { readonly since: string }>

const identity = ({ provider, document, header, at, text }: Announcement): string =>
  JSON.stringify([provider, document, header, at, text])

/** The announcements after an event that brought the whole list: what stood before keeps its time. */
export const announcedAfter = (
  before: AnnouncedSince,
  announced: ReadonlyArray<Announcement>,
  time: string,
): AnnouncedSince => {
  const since = new Map(before.map((one) => [identity(one), one.since]))
  return announced.map((one) => ({ ...one, since: since.get(identity(one)) ?? time }))
}

/** The announcements of a row: those of its instances, each once, since the first of them. */
export const announcedInRow = (instances: ReadonlyArray<AnnouncedSince>): FeedBreakdown["announced"] => {
  const earliest = new Map<string, AnnouncedSince[number]>()
  for (const one of instances.flat()) {
    const known = earliest.get(identity(one))
    if (known === undefined || one.since < known.since) earliest.set(identity(one), one)
  }
  return [...earliest.values()]
    .slice(0, ANNOUNCEMENTS_MAX)
    .map(({ provider, ...rest }) => ({ name: provider, ...rest }))
}
