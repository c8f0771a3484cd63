import {
  boardPage,
  CURRENT_REVISION,
  HARNESS_GAPS_SHOWN_MAX,
  HARNESS_NOTE,
  HARNESS_RANKING_MAX,
  type Harnesses,
  type HarnessGap,
  type HarnessRevision,
  type HarnessScore,
  harnesses,
  harnessesEndpoint,
  harnessRevisions,
  harnessViews,
} from "../../schemas/feeds/harnesses.ts"
import { rounded } from "../../schemas/number.ts"
import { changesOf, fromEvery, type InstanceReading, view } from "../view/view.ts"

/** A board that was read; the best score is its first row. */
interface Board {
  readonly revision: HarnessRevision
  readonly checkedAt: string
  readonly scores: ReadonlyArray<HarnessScore>
}

type Payload = { readonly items: ReadonlyArray<HarnessScore>; readonly facts: { readonly checkedAt: string } }

const boardsOf = (readings: ReadonlyArray<InstanceReading<Payload>>): ReadonlyArray<Board> =>
  harnessRevisions.flatMap((revision) => {
    const payload = readings.find(({ parameters }) => parameters.revision === revision)?.reading?.payload
    return payload === undefined ? [] : [{ revision, checkedAt: payload.facts.checkedAt, scores: payload.items }]
  })

const scoreRow = (score: HarnessScore) => ({
  harness: score.harness,
  model: score.model,
  reasoning_effort: score.reasoningEffort,
  score: score.score,
  ci_low: score.ciLow,
  ci_high: score.ciHigh,
  tokens: score.tokens,
  cost_usd: score.costUsd,
})

const rankedRows = (scores: ReadonlyArray<HarnessScore>) =>
  scores.map((score) => ({
    // Without a rank of the board it follows from the scores: one more than the number of better ones.
    rank: score.rank ?? 1 + scores.filter((one) => one.score > score.score).length,
    ...scoreRow(score),
  }))

const sideOf = ({ harness, reasoningEffort, score }: HarnessScore) => ({
  harness,
  reasoning_effort: reasoningEffort,
  score,
})

const overlap = (best: HarnessScore, worst: HarnessScore): boolean | null =>
  best.ciLow === null || worst.ciHigh === null ? null : best.ciLow <= worst.ciHigh

/** The first score of each group, in the order of the scores. */
const firstOfEach = (scores: ReadonlyArray<HarnessScore>, groupOf: (score: HarnessScore) => string) => {
  const first = new Map<string, HarnessScore>()
  for (const score of scores) if (!first.has(groupOf(score))) first.set(groupOf(score), score)
  return [...first.values()]
}

/** What boards call the model of an entry that used several: such entries have no model in common. */
const SEVERAL_MODELS = /^multiple$/i

/**
 * How far harnesses are apart with the same model on one board, the largest difference first. Each harness counts with its
 * best score, at whatever effort.
 */
const gapsOf = ({ revision, scores }: Board): ReadonlyArray<HarnessGap> =>
  [...Map.groupBy(scores, ({ model }) => model)].flatMap(([model, ofModel]): ReadonlyArray<HarnessGap> => {
    // Scores are in their order, so that the first of each harness is its best one.
    const bests = firstOfEach(ofModel, ({ harness }) => harness)
    const [best, worst] = [bests[0], bests.at(-1)]
    if (best === undefined || worst === undefined || best === worst || SEVERAL_MODELS.test(model)) return []
    const delta = rounded(best.score - worst.score, 2)
    return [{ revision, model, best: sideOf(best), worst: sideOf(worst), delta, overlap: overlap(best, worst) }]
  })

const relative = (scores: ReadonlyArray<HarnessScore>) => {
  const top = scores[0]?.score ?? 0
  return rankedRows(scores).map((row) => ({
    ...row,
    normalized: top === 0 ? null : rounded((100 * row.score) / top, 2),
  }))
}

const shownAs = (name: string | undefined, boards: ReadonlyArray<Board>): Harnesses => {
  const current = boards.find(({ revision }) => revision === CURRENT_REVISION)?.scores ?? null
  const gaps = boards.flatMap(gapsOf).sort((one, other) => other.delta - one.delta)
  const revisionsRead = boards.map(({ revision }) => revision)
  switch (name) {
    case "summary":
      return {
        view: "summary",
        revision: CURRENT_REVISION,
        ranking: current === null ? null : rankedRows(current).slice(0, HARNESS_RANKING_MAX),
        biggest_gaps: gaps.slice(0, HARNESS_GAPS_SHOWN_MAX),
        revisions_read: revisionsRead,
      }
    case "gaps":
      return { view: "gaps", gaps, revisions_read: revisionsRead }
    case "combined":
      return {
        view: "combined",
        revision: CURRENT_REVISION,
        leaderboard: current === null ? null : relative(current),
      }
    default:
      return {
        view: "raw",
        current: CURRENT_REVISION,
        note: HARNESS_NOTE,
        revisions: boards.map(({ revision, checkedAt, scores }) => ({
          revision,
          comparable: false,
          checked_at: checkedAt,
          source_url: boardPage(revision),
          rows: rankedRows(scores),
        })),
      }
  }
}

export default view({
  endpoint: harnessesEndpoint,
  instances: harnessViews.map((name) => ({ view: name })),
  reads: { boards: fromEvery(harnesses) },
  changes: [changesOf(harnesses, scoreRow)],
  build: ({ boards }, { parameters }) => shownAs(parameters.view, boardsOf(boards)),
})
