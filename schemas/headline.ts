import * as Schema from "effect/Schema"
import { Instant } from "./event.ts"
import { HttpUrl, NonEmptyTextUpTo } from "./values.ts"

/** How many headlines of a feed a payload holds, the newest ones. */
export const HEADLINES_MAX = 100
export const HEADLINE_MAX_CHARACTERS = 200
export const PUBLISHER_MAX_CHARACTERS = 120

/** A headline in a feed of news or of press releases. */
export const Headline = Schema.Struct({
  title: NonEmptyTextUpTo(HEADLINE_MAX_CHARACTERS),
  link: HttpUrl,
  publishedAt: Instant,
  /** The original publisher, where the outlet republishes headlines of others; null where none is stated. */
  publisher: Schema.NullOr(NonEmptyTextUpTo(PUBLISHER_MAX_CHARACTERS)),
})
export type Headline = typeof Headline.Type

/** The newest first. */
const byTime = (one: Headline, other: Headline): number => {
  if (one.publishedAt !== other.publishedAt) return one.publishedAt < other.publishedAt ? 1 : -1
  return one.link < other.link ? -1 : 1
}

/** What all feeds of headlines declare alike. */
export const headlineRules = {
  item: Headline,
  itemsMax: HEADLINES_MAX,
  keepsFirst: true,
  key: ({ link }: Headline): string => link,
  publishesGone: false,
  revision: ({ title }: Headline): string => title,
  order: byTime,
  happenedAt: ({ publishedAt }: Headline): string => publishedAt,
  // A feed of headlines always lists the latest: one without items is a failure of its publisher.
  mayBeEmpty: false,
} as const
