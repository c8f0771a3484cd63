import type { Story } from "../../schemas/feeds/tech-news.ts"
import { type KnownItems, type Learnt, storySeverity } from "./news.ts"

const DAY_MS = 86_400_000
/** Stories that have left the front page and are kept, at most: some hundreds leave it in a day. */
const LEFT_MAX = 5_000

/** When each story left the front page, in milliseconds; null while it is there. */
export type KnownStories = KnownItems<number | null>

/**
 * The stories that are on the front page for the first time in 24 hours, in its order. Without `known` the payload is the
 * first one: its stories are a backlog.
 */
export const learnStories = (
  stories: ReadonlyArray<Story>,
  known: KnownStories | undefined,
  nowMs: number,
): Learnt<KnownStories> => {
  const before = new Map((known ?? []).filter(([, leftMs]) => leftMs === null || leftMs > nowMs - DAY_MS))
  const onPage = new Set(stories.map(({ id }) => String(id)))
  const left = [...before].flatMap(([id, leftMs]) => (onPage.has(id) ? [] : [[id, leftMs ?? nowMs] as const]))
  return {
    news:
      known === undefined
        ? []
        : stories
            .filter(({ id }) => !before.has(String(id)))
            .map(({ id, title, url, score, comments, author, postedAt }) => ({
              type: "tech_news_story",
              severity: storySeverity(score),
              data: { id, title, url, points: score, num_comments: comments, author, time: postedAt },
            })),
    known: [
      ...left.sort(([one, oneMs], [other, otherMs]) => oneMs - otherMs || (one < other ? -1 : 1)).slice(-LEFT_MAX),
      ...[...onPage].sort().map((id) => [id, null] as const),
    ],
  }
}
