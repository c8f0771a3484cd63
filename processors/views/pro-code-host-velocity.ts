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
import { isAiMl } from "../ai-ml-focus.ts"
import { ageDays, byLanguage, byTopic, NO_LANGUAGE, sharePercent } from "../repository-aggregates.ts"
import { optionally, view } from "../view/view.ts"
import { repositoryRows } from "./code-host-trending.ts"

const rowsOf = (items: ReadonlyArray<Repository>, asOf: string): ReadonlyArray<VelocityRow> => {
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
        : rowsOf(active.payload.items.slice(0, AI_ML_REPOSITORIES_SHOWN_MAX), active.payload.facts.asOf)
    const data = {
      window: "7d" as const,
      trending_repos: trending === null ? null : rowsOf(trending.payload.items, trending.payload.facts.asOf),
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
