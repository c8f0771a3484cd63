import * as Schema from "effect/Schema"
import { endpoint } from "../contract/endpoint.ts"
import { clause, counted, itemWords, none } from "../contract/glance.ts"
import { ranking } from "../contract/plot.ts"
import { Instant } from "../event.ts"
import { listFeed } from "../feed.ts"
import { HttpUrl, NonEmptyTextUpTo } from "../values.ts"

/** How many models are kept and shown. */
export const MODELS_MAX = 15
export const MODEL_WORD_MAX_CHARACTERS = 80
const MODEL_ID_MAX_CHARACTERS = 200

/** Author and name, or a name alone, as addresses of the hub hold them: no part begins with a dot or a hyphen. */
export const MODEL_ID = /^\w[\w.-]*(?:\/\w[\w.-]*)?$/

const ModelId = Schema.String.check(Schema.isPattern(MODEL_ID), Schema.isMaxLength(MODEL_ID_MAX_CHARACTERS))
const Likes = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2 ** 32 - 1 }))
const Word = NonEmptyTextUpTo(MODEL_WORD_MAX_CHARACTERS)
const Score = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1e9 }))

/** A model of the hub, as it stood when the list of trending models was made. */
export const HubModel = Schema.Struct({
  /** Such as "moonshotai/Kimi-K3"; very old models have no author. */
  id: ModelId,
  /** Of all time. */
  likes: Likes,
  /** Of the last 30 days. */
  downloads: Schema.Natural,
  /** Likes of the last seven days, by which the list is ordered. */
  trendingScore: Schema.NullOr(Score),
  /** The task that the model is for, such as text-generation. */
  pipeline: Schema.NullOr(Word),
  library: Schema.NullOr(Word),
  /** By the short name of the hub, such as apache-2.0 or other. */
  licence: Schema.NullOr(Word),
  /** When the model's files last changed. */
  updatedAt: Schema.NullOr(Instant),
})
export type HubModel = typeof HubModel.Type

/** A model without a score comes last; the sort is stable, so equal ones keep the order of the hub. */
const byScore = (one: HubModel, other: HubModel): number => (other.trendingScore ?? -1) - (one.trendingScore ?? -1)

export const modelHubTrending = listFeed({
  name: "model-hub-trending",
  description: "The models of Hugging Face with the most likes of the last seven days, in this order.",
  item: HubModel,
  itemsMax: MODELS_MAX,
  keepsFirst: true,
  key: ({ id }) => id,
  revision: ({ likes, downloads, trendingScore }) => JSON.stringify([likes, downloads, trendingScore]),
  order: byScore,
  happenedAt: ({ updatedAt }) => updatedAt,
  mayBeEmpty: false,
})

export const modelHubTrendingEndpoint = endpoint({
  path: "/api/model-hub-trending",
  name: "model_hub_trending",
  kind: "prepared",
  tier: "free",
  subject: "technology",
  ttl: "10 minutes",
  summary: "Top 15 models of Hugging Face by likes of the last 7 days",
  description: [
    "Ordered by the trending score of the hub, which counts the likes of the last 7 days. `likes` are those of all time,",
    "`downloads` those of the last 30 days. What the hub does not say of a model is null.",
  ].join(" "),
  parameters: {},
  data: Schema.Struct({
    count: Schema.Natural.annotate({ description: "How many models are listed" }),
    models: Schema.Array(
      Schema.Struct({
        id: ModelId.annotate({ description: "Author and name" }),
        author: Schema.NullOr(Schema.NonEmptyString).annotate({
          description: "Person or organisation; null for very old models",
        }),
        name: Schema.NonEmptyString,
        likes: Likes.annotate({ description: "Of all time" }),
        downloads: Schema.Natural.annotate({ description: "Of the last 30 days" }),
        pipeline: Schema.NullOr(Word).annotate({ description: "Task, such as text-generation" }),
        url: HttpUrl,
        updated: Schema.NullOr(Instant).annotate({ description: "When the model's files last changed" }),
        trending_score: Schema.NullOr(Score).annotate({ description: "Likes of the last 7 days" }),
        library: Schema.NullOr(Word),
        license: Schema.NullOr(Word).annotate({ description: "Short name, such as apache-2.0 or other" }),
      }),
    ).check(Schema.isMaxLength(MODELS_MAX)),
  }),
  changes: [{ feed: modelHubTrending, title: ({ id, pipeline }) => itemWords(id, pipeline) }],
  glance: {
    title: "Trending model",
    plots: ({ models }) => [
      ranking(
        "Likes of the last 7 days",
        null,
        models.map(({ id, trending_score }) => ({ label: id, value: trending_score })),
      ),
    ],
    headline: ({ models: [first] }) => {
      if (first === undefined) return none("No model is listed")
      const { id, pipeline, trending_score: score } = first
      return {
        value: id,
        unit: null,
        note: clause(pipeline, score === null ? null : `${counted(score, "like")} in 7 days on Hugging Face`),
      }
    },
  },
  example: {
    count: 1,
    models: [
      {
        id: "heron-ai/Heron-27B",
        author: "heron-ai",
        name: "Heron-27B",
        likes: 1311,
        downloads: 15366,
        pipeline: "text-generation",
        url: "https://huggingface.co/heron-ai/Heron-27B",
        updated: "2026-08-16T07:30:24.000Z",
        trending_score: 1233,
        library: "transformers",
        license: "mit",
      },
    ],
  },
})
