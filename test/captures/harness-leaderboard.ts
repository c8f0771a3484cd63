import * as Schema from "effect/Schema"
import { recordedDocuments } from "../../ingestors/captures.ts"
import { document } from "../../ingestors/document.ts"
import { Decimal } from "../../ingestors/readers/wire.ts"
import harnessLeaderboard from "../../ingestors/sources/harness-leaderboard.ts"

/** The rows of board 4.0, as a public ranking in Markdown repeats them. */
const ranking = document({
  format: "text",
  wire: Schema.String.check(Schema.isPattern(/^\|(?: *:?-+:? *\|)+$/m)),
  url: "https://www.tbench.ai/leaderboard/terminal-bench/4.0.md",
})
/** The table of board 2.0, from before it was filled by a script. */
const table = document({
  format: "text",
  wire: Schema.String.check(Schema.isPattern(/<table[\s>]/)),
  url: "https://www.tbench.ai/leaderboard/terminal-bench/2.0",
})
/** Scores that were computed from the trials of submissions. */
const submissions = document({
  format: "json",
  wire: Schema.Struct({
    benchmark: Schema.Literal("terminal-bench"),
    rows: Schema.Array(
      Schema.Struct({
        submission: Schema.NonEmptyString,
        resolution_rate_pct: Decimal,
        ci95_half_width_pct: Schema.NullOr(Decimal),
      }),
    ),
  }),
  url: "https://huggingface.co/datasets/harborframework/terminal-bench-2-leaderboard",
})
/** The result of one job of a submission. */
const job = document({
  format: "json",
  wire: Schema.Struct({ n_total_trials: Schema.Natural, stats: Schema.Struct({ n_trials: Schema.Natural }) }),
  url: "https://huggingface.co/datasets/harborframework/terminal-bench-2-leaderboard/job/result.json",
})
/** The result of one trial; without a result of its verifier it counts as failed. */
const trial = document({
  format: "json",
  wire: Schema.Struct({ task_name: Schema.NonEmptyString, verifier_result: Schema.NullOr(Schema.Unknown) }),
  url: "https://huggingface.co/datasets/harborframework/terminal-bench-2-leaderboard/trial/result.json",
})
/** Coding agents as Artificial Analysis measures them: without intervals. */
const agents = document({
  format: "json",
  wire: Schema.Struct({ schemaVersion: Schema.Natural, source: Schema.Struct({ name: Schema.NonEmptyString }) }),
  url: "https://artificialanalysis.ai/agents/coding-agents",
})

export default recordedDocuments(harnessLeaderboard, { ranking, table, submissions, job, trial, agents })
