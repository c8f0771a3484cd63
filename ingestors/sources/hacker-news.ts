import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { instant } from "../../schemas/event.ts"
import {
  AUTHOR_MAX_CHARACTERS,
  STORIES_MAX,
  type Story,
  TITLE_MAX_CHARACTERS,
  techNews,
} from "../../schemas/feeds/tech-news.ts"
import { type CollectFailed, document, type Upstream } from "../document.ts"
import { HttpFailed } from "../http-client.port.ts"
import { notOurs, type Unreadable, unreadable } from "../poll/read.ts"
import { newestMs } from "../readers/instants.ts"
import { cleanText, cleanTextOrNull, httpUrl } from "../readers/text.ts"
import { EpochSeconds, maybe } from "../readers/wire.ts"
import { listSource } from "../source.ts"
import { termsOf } from "../terms.ts"

const Id = Schema.Natural

/** https://github.com/HackerNews/API A deleted item keeps little more than its id; an unknown one is `null`. */
const Item = Schema.NullOr(
  Schema.Struct({
    id: Id,
    type: maybe(Schema.String),
    by: maybe(Schema.String),
    time: maybe(EpochSeconds),
    title: maybe(Schema.String),
    url: maybe(Schema.String),
    score: maybe(Schema.Int),
    descendants: maybe(Schema.Int),
    deleted: maybe(Schema.Boolean),
    dead: maybe(Schema.Boolean),
  }),
)
type Item = typeof Item.Type

/** https://hn.algolia.com/api Ids are texts here, and comments are hits too. */
const Hit = Schema.Struct({
  objectID: Schema.NonEmptyString,
  title: maybe(Schema.String),
  url: maybe(Schema.String),
  author: maybe(Schema.String),
  points: maybe(Schema.Int),
  num_comments: maybe(Schema.Int),
  created_at_i: maybe(EpochSeconds),
  _tags: maybe(Schema.Array(Schema.String)),
})
type Hit = typeof Hit.Type

const FIREBASE = "https://hacker-news.firebaseio.com/v0"
const ALGOLIA = "https://hn.algolia.com/api/v1"

const topStories = document({ format: "json", wire: Schema.Array(Id), url: `${FIREBASE}/topstories.json` })
const item = document({ format: "json", wire: Item, url: (id: number) => `${FIREBASE}/item/${id}.json` })
const frontPage = document({
  format: "json",
  wire: Schema.Struct({ hits: Schema.Array(Schema.Unknown) }),
  url: `${ALGOLIA}/search?tags=front_page&hitsPerPage=${STORIES_MAX}`,
})

/** The limit of all requests to the data store, which leaves time for the search index. */
const FIREBASE_TIMEOUT_MS = 25_000
/** Items asked for at a time. */
const ITEMS_CONCURRENCY = 6
/** So many items of the front page may fail, and are counted, before the whole is called failed: one is no outage. */
const ITEMS_FAILED_MAX = 3

type Collected =
  | { readonly order: "rank"; readonly items: ReadonlyArray<Item>; readonly failed: ReadonlyArray<number> }
  | { readonly order: "score"; readonly hits: ReadonlyArray<unknown> }

const fromFirebase = Effect.fnUntraced(function* (upstream: Upstream) {
  const ids = yield* upstream.fetch(topStories, undefined)
  const shown = [...new Set(ids)].slice(0, STORIES_MAX)
  const results = yield* Effect.forEach(shown, (id) => Effect.result(upstream.fetch(item, id)), {
    concurrency: ITEMS_CONCURRENCY,
  })
  const failures = results.filter(Result.isFailure)
  const [first] = failures
  if (first !== undefined && failures.length > ITEMS_FAILED_MAX) return yield* first.failure
  return {
    order: "rank",
    items: results.filter(Result.isSuccess).map(({ success }) => success),
    failed: shown.filter((_, at) => results.slice(at, at + 1).some(Result.isFailure)),
  } satisfies Collected
})

const tooSlow = new HttpFailed({
  reason: "timeout",
  host: new URL(FIREBASE).host,
  status: null,
  retryAfterMs: null,
  message: `no complete answer within ${FIREBASE_TIMEOUT_MS} ms`,
})

const fromAlgolia = (upstream: Upstream) =>
  Effect.map(upstream.fetch(frontPage, undefined), ({ hits }): Collected => ({ order: "score", hits }))

// One source for both: the search index belongs to the same provider and has the same stories and ids.
const collect = (upstream: Upstream): Effect.Effect<Collected, CollectFailed> =>
  fromFirebase(upstream).pipe(
    Effect.timeoutOrElse({ duration: FIREBASE_TIMEOUT_MS, orElse: () => Effect.fail(tooSlow) }),
    Effect.catch((failed: CollectFailed) => fromAlgolia(upstream).pipe(Effect.mapError(() => failed))),
  )

const count = (value: number | null | undefined): number | null =>
  value === null || value === undefined || value < 0 ? null : value

const story = (fields: {
  readonly id: number
  readonly kind: Story["kind"]
  readonly title: string | null | undefined
  readonly url: string | null | undefined
  readonly author: string | null | undefined
  readonly score: number | null | undefined
  readonly comments: number | null | undefined
  readonly postedAtS: number | null | undefined
}): Story | Unreadable => {
  const title = cleanText(fields.title ?? "", TITLE_MAX_CHARACTERS)
  if (title === "" || fields.postedAtS === null || fields.postedAtS === undefined)
    return unreadable("it has no title or no time")
  return {
    id: fields.id,
    kind: fields.kind,
    title,
    url: httpUrl(fields.url),
    discussionUrl: `https://news.ycombinator.com/item?id=${fields.id}`,
    author: cleanTextOrNull(fields.author, AUTHOR_MAX_CHARACTERS),
    score: fields.score ?? null,
    comments: count(fields.comments),
    postedAt: instant(fields.postedAtS * 1000),
  }
}

// The front page also has job advertisements, which have no votes and no discussion: they are left out.
const storyOfItem = (one: NonNullable<Item>) =>
  one.deleted === true || one.dead === true || (one.type !== "story" && one.type !== "poll")
    ? notOurs
    : story({
        id: one.id,
        kind: one.type,
        title: one.title,
        url: one.url,
        author: one.by,
        score: one.score,
        comments: one.descendants,
        postedAtS: one.time,
      })

const storyOfHit = (hit: Hit) => {
  const id = Number(hit.objectID)
  const tags = hit._tags ?? []
  if (tags.includes("job") || tags.includes("comment")) return notOurs
  if (!Number.isSafeInteger(id) || id < 0) return unreadable("its id is no number")
  return story({
    id,
    kind: tags.includes("poll") ? "poll" : "story",
    title: hit.title,
    url: hit.url,
    author: hit.author,
    score: hit.points,
    comments: hit.num_comments,
    postedAtS: hit.created_at_i,
  })
}

/**
 * A row of the front page, of the data store or of the search index. An unknown item is `null` in the data store. One that
 * could not be fetched is a row by its id, so that it is counted.
 */
const Row = Schema.Union([Schema.Struct({ item: Item }), Schema.Struct({ hit: Hit }), Schema.Struct({ failed: Id })])

const Points = Schema.Struct({ objectID: Schema.String, points: maybe(Schema.Int) })

/** The search index gives its stories in no order that is documented: most votes first, then the newest. */
const byPoints = (one: unknown, other: unknown): number => {
  const [left, right] = [one, other].map((hit) => Option.getOrNull(Schema.decodeUnknownOption(Points)(hit)))
  return (right?.points ?? 0) - (left?.points ?? 0) || Number(right?.objectID ?? 0) - Number(left?.objectID ?? 0)
}

export default listSource({
  name: "hacker-news",
  provider: "HackerNews.stories",
  fills: techNews,
  every: "1 minute",
  documents: { topStories, item, frontPage },
  collect,
  rows: (collected) =>
    collected.order === "rank"
      ? [...collected.items.map((one) => ({ item: one })), ...collected.failed.map((failed) => ({ failed }))]
      : collected.hits.toSorted(byPoints).map((hit) => ({ hit })),
  row: Row,
  toItem: (row) => {
    if ("failed" in row) return unreadable("it could not be fetched")
    if ("hit" in row) return storyOfHit(row.hit)
    return row.item === null ? notOurs : storyOfItem(row.item)
  },
  facts: ({ order }) => ({ order }),
  contentAtMs: (_, read) => newestMs(read.map(({ item }) => item.postedAt)),
  attribution: {
    provider: "Hacker News (Y Combinator), search by Algolia",
    licence: "MIT (API)",
    url: "https://github.com/HackerNews/API",
  },
  terms: termsOf({ use: "provider", url: "https://github.com/HackerNews/API" }),
})
