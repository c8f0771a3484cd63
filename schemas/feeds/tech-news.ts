import * as Schema from "effect/Schema"
import { endpoint } from "../contract/endpoint.ts"
import { clause, counted, itemWords, none } from "../contract/glance.ts"
import { Instant } from "../event.ts"
import { listFeed } from "../feed.ts"
import { HttpUrl, NonEmptyTextUpTo } from "../values.ts"

/** How many stories of the front page are served. */
export const STORIES_MAX = 30
export const TITLE_MAX_CHARACTERS = 300
export const AUTHOR_MAX_CHARACTERS = 60

/** A story on the front page of a site where readers vote. */
export const Story = Schema.Struct({
  id: Schema.Natural,
  kind: Schema.Literals(["story", "poll"]),
  title: NonEmptyTextUpTo(TITLE_MAX_CHARACTERS),
  /** What the story links to; null where it is a text of its own. */
  url: Schema.NullOr(HttpUrl),
  discussionUrl: HttpUrl,
  author: Schema.NullOr(NonEmptyTextUpTo(AUTHOR_MAX_CHARACTERS)),
  /** Votes. Null where the upstream leaves them out; a story may be voted below zero. */
  score: Schema.NullOr(Schema.Int),
  /** Comments at all depths. */
  comments: Schema.NullOr(Schema.Natural),
  postedAt: Instant,
})
export type Story = typeof Story.Type

export const techNews = listFeed({
  name: "tech-news",
  description: "Stories on the front page of Hacker News, in its order, job advertisements left out.",
  item: Story,
  facts: Schema.Struct({
    /** `rank`: the site's own order. `score`: most votes first, where only the search index answered. */
    order: Schema.Literals(["rank", "score"]),
  }),
  itemsMax: STORIES_MAX,
  keepsFirst: true,
  key: (item) => String(item.id),
  happenedAt: (item) => item.postedAt,
  mayBeEmpty: false,
  // The content's time is that of the newest story; the front page always has one of the last hours.
  contentAgeMax: "12 hours",
})

/** One story as replies state it. */
export const StoryRow = Schema.Struct({
  id: Schema.Natural.annotate({ description: "Number of the story at Hacker News" }),
  title: NonEmptyTextUpTo(TITLE_MAX_CHARACTERS),
  url: Schema.NullOr(HttpUrl).annotate({ description: "What the story links to; null where it is a text of its own" }),
  discussion_url: HttpUrl,
  score: Schema.NullOr(Schema.Int).annotate({ description: "Votes" }),
  comment_count: Schema.NullOr(Schema.Natural).annotate({ description: "Comments at all depths" }),
  author: Schema.NullOr(NonEmptyTextUpTo(AUTHOR_MAX_CHARACTERS)),
  posted_at: Instant,
})
export type StoryRow = typeof StoryRow.Type

export const techNewsEndpoint = endpoint({
  path: "/api/tech-news",
  name: "tech_news",
  kind: "prepared",
  tier: "free",
  subject: "technology",
  ttl: "60 seconds",
  summary: "Trending technology stories with scores and comment counts",
  description: [
    "The front page of Hacker News (up to 30 stories) in its own order, without job advertisements. When the site's data",
    "store does not answer, its search index does: the same stories then stand by their votes.",
  ].join(" "),
  parameters: {},
  data: Schema.Array(StoryRow).check(Schema.isMaxLength(STORIES_MAX)),
  changes: [{ feed: techNews, title: ({ title }) => itemWords(title) }],
  glance: {
    title: "Tech news",
    headline: ([first]) =>
      first === undefined
        ? none("No story is listed")
        : {
            value: first.title,
            unit: null,
            note: clause(
              "first on Hacker News",
              first.score === null ? null : counted(first.score, "point"),
              first.comment_count === null ? null : counted(first.comment_count, "comment"),
            ),
          },
  },
  example: [
    {
      id: 21299546,
      title: "Structure and Interpretation of Computer Programs (1996) [pdf]",
      url: "https://opendocs.github.io/sicp/sicp.pdf",
      discussion_url: "https://news.ycombinator.com/item?id=21299546",
      score: 661,
      comment_count: 142,
      author: "susam",
      posted_at: "2019-10-19T17:21:08.000Z",
    },
  ],
})
