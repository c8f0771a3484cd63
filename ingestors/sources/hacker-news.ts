import { Effect, Result, Schema } from "effect"
import { HttpFailed } from "../../infra/http/http-client.port.ts"
import { instant } from "../../schemas/event.ts"
import {
  AUTHOR_CHARACTERS_MAX,
  STORIES_MAX,
  type Story,
  stories,
  TITLE_CHARACTERS_MAX,
} from "../../schemas/feeds/stories.ts"
import { type CollectFailed, document, source, type Upstream, UpstreamError } from "../source.ts"
import { cleanText, cleanTextOrNull, httpUrl } from "../text.ts"
import { EpochSeconds, maybe } from "../wire.ts"

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
const updates = document({
  format: "json",
  wire: Schema.Struct({ items: Schema.Array(Id), profiles: Schema.Array(Schema.String) }),
  url: `${FIREBASE}/updates.json`,
})
const frontPage = document({
  format: "json",
  wire: Schema.Struct({ hits: Schema.Array(Hit) }),
  url: `${ALGOLIA}/search?tags=front_page&hitsPerPage=${STORIES_MAX}`,
})

/** How long the data store may take for everything, so that time is left to ask the search index. */
const FIREBASE_TIMEOUT_MS = 25_000
/** Items asked for at a time. */
const ITEMS_CONCURRENCY = 6
/** So many items of the front page may fail before the whole is called failed: one broken item is not an outage. */
const ITEMS_FAILED_MAX = 3

type Collected =
  | { readonly order: "rank"; readonly items: ReadonlyArray<Item> }
  | { readonly order: "score"; readonly hits: ReadonlyArray<Hit> }

const fromFirebase = Effect.fnUntraced(function* (upstream: Upstream) {
  const ids = yield* upstream.get(topStories, undefined)
  const results = yield* Effect.forEach(
    [...new Set(ids)].slice(0, STORIES_MAX),
    (id) => Effect.result(upstream.get(item, id)),
    { concurrency: ITEMS_CONCURRENCY },
  )
  const failures = results.filter(Result.isFailure)
  const [first] = failures
  if (first !== undefined && failures.length > ITEMS_FAILED_MAX) return yield* first.failure
  return { order: "rank", items: results.filter(Result.isSuccess).map(({ success }) => success) } satisfies Collected
})

const tooSlow = new HttpFailed({
  reason: "timeout",
  host: new URL(FIREBASE).host,
  status: null,
  retryAfterMs: null,
  message: `nothing whole within ${FIREBASE_TIMEOUT_MS} ms`,
})

const fromAlgolia = (upstream: Upstream) =>
  Effect.map(upstream.get(frontPage, undefined), ({ hits }): Collected => ({ order: "score", hits }))

// One file for both: the search index is the same provider's own, and tells the same stories by the same ids.
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
}): ReadonlyArray<Story> => {
  const title = cleanText(fields.title ?? "", TITLE_CHARACTERS_MAX)
  if (title === "" || fields.postedAtS === null || fields.postedAtS === undefined) return []
  return [
    {
      id: fields.id,
      kind: fields.kind,
      title,
      url: httpUrl(fields.url),
      discussionUrl: `https://news.ycombinator.com/item?id=${fields.id}`,
      author: cleanTextOrNull(fields.author, AUTHOR_CHARACTERS_MAX),
      score: fields.score ?? null,
      comments: count(fields.comments),
      postedAt: instant(fields.postedAtS * 1000),
    },
  ]
}

// Job advertisements stand on the front page too, unvoted and without a discussion: no stories.
const storyOfItem = (one: Item): ReadonlyArray<Story> =>
  one === null || one.deleted === true || one.dead === true || (one.type !== "story" && one.type !== "poll")
    ? []
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

const storyOfHit = (hit: Hit): ReadonlyArray<Story> => {
  const id = Number(hit.objectID)
  const tags = hit._tags ?? []
  if (!Number.isSafeInteger(id) || id < 0 || tags.includes("job") || tags.includes("comment")) return []
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

const byScore = (a: Story, b: Story): number => (b.score ?? 0) - (a.score ?? 0) || b.id - a.id

export default source({
  name: "hacker-news",
  provider: "HackerNews.stories",
  fills: stories,
  every: "1 minute",
  documents: { topStories, item, updates, frontPage },
  collect,
  normalise: (collected) => {
    const found =
      collected.order === "rank"
        ? collected.items.flatMap(storyOfItem)
        : collected.hits.flatMap(storyOfHit).sort(byScore)
    const items = [...new Map(found.map((one) => [one.id, one])).values()].slice(0, STORIES_MAX)
    // The front page is never empty: an empty one is a fault of the upstream, not news.
    if (items.length === 0) return new UpstreamError({ message: "the front page holds no story" })
    return {
      payload: { order: collected.order, items },
      contentAtMs: Math.max(...items.map(({ postedAt }) => Date.parse(postedAt))),
    }
  },
  attribution: {
    provider: "Hacker News (Y Combinator), search by Algolia",
    licence: "MIT (API)",
    url: "https://github.com/HackerNews/API",
  },
})
