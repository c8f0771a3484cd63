import {
  AI_ML_REPOSITORIES_SHOWN_MAX,
  type ProCodeHostVelocity,
  proCodeHostVelocityEndpoint,
  VELOCITY_TOPICS_SHOWN_MAX,
  type VelocityRow,
  velocityNotes,
  velocityNullReasons,
} from "../../schemas/endpoints/pro-code-host-velocity.ts"
import { type Repository, repositories } from "../../schemas/feeds/repositories.ts"
import { nullNotes } from "../../schemas/null-notes.ts"
import { rounded } from "../../schemas/number.ts"
import { aiMlTerms } from "../../schemas/published/ai-ml-terms.ts"
import { optionally, view } from "../view/view.ts"
import { repositoryRows } from "./code-host-trending.ts"

/** The language of repositories whose main language is not known. */
const NO_LANGUAGE = "none"

const byText = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)

/** Languages by the number of repositories, then by their stars, then by name. */
export const byLanguage = (
  items: ReadonlyArray<Pick<Repository, "language" | "stars">>,
): ReadonlyArray<{ readonly language: string; readonly count: number; readonly total_stars: number }> => {
  const groups = new Map<string, { count: number; total_stars: number }>()
  for (const { language, stars } of items) {
    const group = groups.get(language ?? NO_LANGUAGE) ?? { count: 0, total_stars: 0 }
    groups.set(language ?? NO_LANGUAGE, { count: group.count + 1, total_stars: group.total_stars + stars })
  }
  return [...groups]
    .map(([language, group]) => ({ language, ...group }))
    .sort(
      (one, other) =>
        other.count - one.count || other.total_stars - one.total_stars || byText(one.language, other.language),
    )
}

/** Topics by the number of repositories that have them, then by name. A topic counts once for a repository. */
export const byTopic = (
  items: ReadonlyArray<Pick<Repository, "topics">>,
): ReadonlyArray<{ readonly topic: string; readonly count: number }> => {
  const counts = new Map<string, number>()
  for (const { topics } of items) for (const topic of new Set(topics)) counts.set(topic, (counts.get(topic) ?? 0) + 1)
  return [...counts]
    .map(([topic, count]) => ({ topic, count }))
    .sort((one, other) => other.count - one.count || byText(one.topic, other.topic))
}

/** A part of a whole in percent, with one decimal: 100 part / whole. Null where the whole is 0. */
export const sharePercent = (part: number, whole: number): number | null =>
  whole === 0 ? null : rounded((100 * part) / whole, 1)

const DAY_MS = 86_400_000

/** Days from the creation of a repository to `asOf`, with one decimal; 0 where the clocks of the two differ. */
export const ageDays = (createdAt: string, asOf: string): number =>
  rounded(Math.max(Date.parse(asOf) - Date.parse(createdAt), 0) / DAY_MS, 1)

/**
 * A word: Latin letters and digits, with the apostrophes inside it, so that French "j'ai" is one word. Letters of another
 * script end a word, as Chinese text has no spaces around "AI".
 */
const WORD = /[\p{Script=Latin}\p{M}\p{Nd}]+(?:['\u2019][\p{Script=Latin}\p{M}\p{Nd}]+)*/gu
const POSSESSIVE = /['\u2019]s$/

/** The words of a text, lower case, each between blanks. Hyphens, dots, slashes and underscores separate words. */
const wordsOf = (text: string): string => {
  const words = text.normalize("NFKC").toLowerCase().match(WORD) ?? []
  return ` ${words.map((word) => word.replace(POSSESSIVE, "")).join(" ")} `
}

const terms = aiMlTerms.map((term) => ` ${term} `)

/** Whether a text holds a term of the list, in whole words. */
export const hasAiMlTerm = (text: string): boolean => {
  const words = wordsOf(text)
  return terms.some((term) => words.includes(term))
}

/** Whether a repository is about artificial intelligence or machine learning, by its name, description and topics. */
export const isAiMl = ({
  fullName,
  description,
  topics,
}: Pick<Repository, "fullName" | "description" | "topics">): boolean =>
  [fullName.slice(fullName.indexOf("/") + 1), description ?? "", ...topics].some(hasAiMlTerm)

const velocityRows = (items: ReadonlyArray<Repository>, asOf: string): ReadonlyArray<VelocityRow> => {
  const rows = repositoryRows(items, asOf)
  return items.flatMap((item, at) => {
    const row = rows[at]
    return row === undefined ? [] : [{ ...row, age_days: ageDays(item.createdAt, asOf), is_ai_ml: isAiMl(item) }]
  })
}

/** What is said of the trending repositories; all of it null while they were never read. */
const trendingOf = (items: ReadonlyArray<Repository> | null) => {
  if (items === null)
    return {
      by_language: null,
      by_topic: null,
      aggregate: {
        trending_count: null,
        total_stars: null,
        ai_ml_in_trending_count: null,
        ai_ml_share_pct: null,
        languages: null,
      },
    }
  const languages = byLanguage(items)
  const aiMlCount = items.filter(isAiMl).length
  return {
    by_language: languages,
    by_topic: byTopic(items).slice(0, VELOCITY_TOPICS_SHOWN_MAX),
    aggregate: {
      trending_count: items.length,
      total_stars: items.reduce((sum, { stars }) => sum + stars, 0),
      ai_ml_in_trending_count: aiMlCount,
      ai_ml_share_pct: sharePercent(aiMlCount, items.length),
      languages: languages.filter(({ language }) => language !== NO_LANGUAGE).length,
    },
  }
}

export default view({
  endpoint: proCodeHostVelocityEndpoint,
  reads: {
    trending: optionally(repositories, { set: "trending" }),
    active: optionally(repositories, { set: "llm" }),
  },
  build: ({ trending, active }): ProCodeHostVelocity => {
    const { by_language, by_topic, aggregate } = trendingOf(trending?.payload.items ?? null)
    const activeRows =
      active === null
        ? null
        : velocityRows(active.payload.items.slice(0, AI_ML_REPOSITORIES_SHOWN_MAX), active.payload.facts.asOf)
    const data = {
      window: "7d" as const,
      trending_repos: trending === null ? null : velocityRows(trending.payload.items, trending.payload.facts.asOf),
      ai_ml_repos_active_30d: activeRows,
      by_language,
      by_topic,
      aggregate: {
        trending_count: aggregate.trending_count,
        total_stars: aggregate.total_stars,
        ai_ml_in_trending_count: aggregate.ai_ml_in_trending_count,
        ai_ml_share_pct: aggregate.ai_ml_share_pct,
        ai_ml_active_30d_count: activeRows?.length ?? null,
        languages: aggregate.languages,
      },
    }
    return {
      ...data,
      sample_size: {
        ...(trending === null ? {} : { trending: trending.payload.items.length }),
        ...(active === null ? {} : { ai_ml_active_30d: active.payload.items.length }),
      },
      notes: { ...velocityNotes, ...nullNotes(data, velocityNullReasons) },
    }
  },
})
