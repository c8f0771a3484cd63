import type { Repository } from "../schemas/feeds/repositories.ts"
import { rounded } from "../schemas/number.ts"

/** The language of repositories whose main language is not known. */
export const NO_LANGUAGE = "none"

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
