import type { RestReason } from "../../schemas/events/observations.ts"
import { type Feed, instanceKey, type Parameters, reliabilityId } from "../../schemas/feed.ts"
import type { RestingRow } from "./table.ts"

/** An instance that is polled on schedule, and the row of the table in which it is judged. */
export type DeclaredInstance = {
  /** `instanceKey(feed, parameters)`. */
  readonly key: string
  readonly row: string
  readonly feed: string
  readonly parameters: Parameters
  readonly provider: string
  /** Why it is not polled; null where it is. */
  readonly rests: RestReason | null
  /** When it was first declared, in milliseconds since the epoch. */
  readonly sinceMs: number
}

/** Every declared instance by its key, in the order of their declaration. */
export type DeclaredInstances = Readonly<Record<string, DeclaredInstance>>

/** The row of an instance; an instance of a feed that this release does not have is a row of its own. */
export const rowOf = (feeds: ReadonlyMap<string, Feed>, feed: string, parameters: Parameters): string => {
  const known = feeds.get(feed)
  return known === undefined ? instanceKey(feed, parameters) : reliabilityId(known, parameters)
}

/** The polled instances of each row, and the rows of which every instance rests, with the reason of the first. */
export const rowsByState = (
  declared: ReadonlyArray<DeclaredInstance>,
): {
  readonly polled: ReadonlyMap<string, ReadonlyArray<DeclaredInstance>>
  readonly resting: ReadonlyArray<RestingRow>
} => {
  const polled = Map.groupBy(
    declared.filter(({ rests }) => rests === null),
    ({ row }) => row,
  )
  const resting = new Map<string, RestingRow>()
  for (const { row, provider, rests } of declared)
    if (rests !== null && !polled.has(row) && !resting.has(row))
      resting.set(row, { feed: row, name: provider, reason: rests })
  return { polled, resting: [...resting.values()] }
}
