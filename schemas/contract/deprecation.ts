import { dayMs } from "../day.ts"

// The notice of what will be removed from the contract: an endpoint, or a field of its replies.

/** Days between a notice and the removal, at the least, as the contract promises. */
export const NOTICE_MIN_DAYS = 90
const DAY_MS = 86_400_000

/** The page that lists notices. */
export const CHANGELOG_PATH = "/changelog"

/** A part of the contract that will be removed. */
export interface Deprecation {
  /** The day of the notice, YYYY-MM-DD. */
  readonly since: string
  /** The day from which on it may be gone, at least 90 days later. */
  readonly until: string
  readonly note: string
  /** The field that is deprecated, as `data.items[].score`; the whole endpoint unless given. */
  readonly field?: string
  /** Path of the endpoint that replaces it. */
  readonly successor?: string
}

/** Whole days from one day to another; null where one of them is not a day. */
export const daysBetween = (since: string, until: string): number | null => {
  const [sinceMs, untilMs] = [dayMs(since), dayMs(until)]
  return sinceMs === null || untilMs === null ? null : (untilMs - sinceMs) / DAY_MS
}

/** Throws where a notice is shorter than the contract promises, or its days do not exist. */
export const assertNotice = (path: string, { since, until }: Deprecation): void => {
  const days = daysBetween(since, until)
  if (days === null || days < NOTICE_MIN_DAYS)
    throw new TypeError(
      `${path}: deprecated from ${since} until ${until}, which is no notice of ${NOTICE_MIN_DAYS} days`,
    )
}

/** What is deprecated, in sentences. */
export const deprecationText = ({ field, until, note }: Deprecation): string =>
  `${field ?? "This endpoint"} is deprecated, and may be gone from ${until} on: ${note}`

const midnightMs = (day: string): number => dayMs(day) ?? Number.NaN

/**
 * The headers of every reply of an endpoint of which something is deprecated. `Deprecation` and `Sunset` speak of the whole
 * resource, so they are sent where the endpoint itself is deprecated. `address` is the public address without a slash at its
 * end, or empty.
 */
export const noticeHeaders = (
  path: string,
  deprecated: ReadonlyArray<Deprecation>,
  address: string,
): ReadonlyArray<string> => {
  const whole = deprecated.find(({ field }) => field === undefined)
  const successors = new Set(deprecated.flatMap(({ successor }) => (successor === undefined ? [] : [successor])))
  const links = [
    `<${address}${CHANGELOG_PATH}>; rel="deprecation"; type="text/html"`,
    ...(whole === undefined ? [] : [`<${address}${CHANGELOG_PATH}>; rel="sunset"; type="text/html"`]),
    ...[...successors].map((successor) => `<${address}${successor}>; rel="successor-version"`),
  ]
  return [
    "X-Service-Deprecation",
    deprecated.map(({ field, until }) => `${field ?? path}; until=${until}`).join(", "),
    ...(whole === undefined
      ? []
      : [
          "Deprecation",
          `@${midnightMs(whole.since) / 1000}`,
          "Sunset",
          new Date(midnightMs(whole.until)).toUTCString(),
        ]),
    "Link",
    links.join(", "),
  ]
}
