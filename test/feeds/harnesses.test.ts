import { describe, expect, it } from "vitest"
import board from "../../ingestors/sources/harness-leaderboard.ts"
import harnessScores from "../../processors/tables/harness_scores/table.ts"
import harnessesView from "../../processors/views/harnesses.ts"
import { type Harnesses, type HarnessScore, harnesses } from "../../schemas/feeds/harnesses.ts"
import simulated from "../world/upstreams/harness-leaderboard.ts"
import { capturesAbsent, decodedCapture } from "./support/captures.ts"
import { feedTest, polled } from "./support/feed-test.ts"
import { normalised, readBy, refusedBy } from "./support/read.ts"
import { OBSERVED_AT } from "./support/rows.ts"
import { reading, shown } from "./support/shown.ts"
import { observed } from "./support/world.ts"

const NOW_MS = Date.parse("2026-11-20T12:34:56.789Z")
const CURRENT = { revision: "4.0" }
const OLDER = { revision: "2.1" }

const row = (metadata: object = {}, metrics: object = {}, members: object = {}) => ({
  rank: 1,
  metadata: {
    agent_display: { label: "Lantern" },
    model_display: { label: "Tern" },
    reasoning_effort: "high",
    ...metadata,
  },
  metrics: { accuracy: 50, accuracy_ci95_half_width: 2.5, ...metrics },
  status: "display",
  ...members,
})
const context = { parameters: CURRENT, observedAtMs: NOW_MS }
const payloadOf = (rows: ReadonlyArray<unknown>) => normalised(board, { rows }, context).payload
const itemsOf = (...rows: ReadonlyArray<unknown>) => payloadOf(rows).items
const showing = <View extends Harnesses["view"]>(
  view: View,
  ...boards: ReadonlyArray<readonly [parameters: { readonly revision: string }, rows: ReadonlyArray<unknown>]>
) =>
  shown(
    harnessesView,
    boards.map(([parameters, rows]) => reading(payloadOf(rows), parameters)),
    { nowMs: NOW_MS, parameters: { view } },
  ) as Extract<Harnesses, { readonly view: View }>

const item: HarnessScore = {
  rank: 3,
  harness: "Lantern",
  model: "Tern",
  reasoningEffort: null,
  score: 50,
  ciLow: null,
  ciHigh: null,
  tokens: 1_000_000_000_000,
  costUsd: 12.5,
}
const tableRow = {
  revision: "2.1",
  model: "Tern",
  harness: "Lantern",
  reasoning_effort: "",
  rank: 3,
  score: 50,
  ci_low: null,
  ci_high: null,
  tokens: 1_000_000_000_000,
  cost_usd: 12.5,
  listed: true,
  observed_at: OBSERVED_AT,
}

feedTest({
  feed: harnesses,
  glances: {
    harnesses: [51.52, "%", "Lantern Code with Meridian 6, best on Terminal-Bench 4.0"],
  },
  polls: [
    polled({
      source: board,
      world: simulated,
      freeText: true,
      breakRow: ({ rows }) => ({ rows: [...rows, row({}, { accuracy: 100.1 })] }),
      refused: [
        ["a board without rows", { rows: [] }, /has no items/],
        ["a board of withdrawn rows", { rows: [row({}, {}, { status: "hidden" })] }, /has no items/],
      ],
    }),
  ],
  views: [harnessesView],
  table: harnessScores,
  rows: [
    { kind: "changed", item, parameters: OLDER, makes: tableRow },
    { kind: "gone", item, parameters: OLDER, makes: { ...tableRow, listed: false } },
  ],
})

describe.skipIf(capturesAbsent)("captured boards", () => {
  type Boards = ReadonlyArray<{ readonly rows: ReadonlyArray<unknown> }>
  const ofPage = () => {
    const [only] = decodedCapture<Boards>(board, "page", "terminal-bench-4.0-page-2026-09-08.html")
    if (only === undefined) throw new Error("no board")
    return only.rows
  }
  it("of 8 September 2026, in the data of the page: 18 rows, three of which share the second rank", () => {
    const { payload, contentAtMs } = normalised(board, { rows: ofPage() }, context)
    expect(contentAtMs).toBe(Date.parse("2026-09-03T21:34:07.080Z"))
    expect(payload.facts).toEqual({ checkedAt: "2026-11-20T12:34:56.789Z" })
    expect(payload.items).toHaveLength(18)
    expect(payload.items[0]).toEqual({
      rank: 1,
      harness: "Codex",
      model: "GPT-6 Astra",
      reasoningEffort: "max",
      score: 58.18,
      // 58.18 -+ 2.79
      ciLow: 55.39,
      ciHigh: 60.97,
      tokens: 1529778322,
      costUsd: 3267.18,
    })
    expect(payload.items.map(({ rank }) => rank)).toEqual([
      1, 2, 2, 2, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 16, 18,
    ])
    expect(payload.items.filter(({ model }) => model === "GPT-6 Astra").map((one) => one.reasoningEffort)).toEqual([
      "max",
      "high",
      "xhigh",
      "medium",
      "low",
    ])
    expect(payload.items.at(-1)).toMatchObject({ harness: "mini-SWE-agent", model: "Gemini 3.7 Flash", ciLow: 8.76 })
  })
  it("are shown in four views", () => {
    const boards = [CURRENT, ofPage()] as const
    const raw = showing("raw", boards)
    expect(raw.revisions).toHaveLength(1)
    expect(raw.revisions[0]).toMatchObject({
      revision: "4.0",
      comparable: false,
      checked_at: "2026-11-20T12:34:56.789Z",
      source_url: "https://www.tbench.ai/leaderboard/terminal-bench/4.0",
    })
    expect(raw.revisions[0]?.rows).toHaveLength(18)
    // No model of this board has two harnesses.
    expect(showing("gaps", boards)).toEqual({ view: "gaps", gaps: [], revisions_read: ["4.0"] })
    const summary = showing("summary", boards)
    expect(summary.ranking?.map(({ model }) => model).slice(4, 10)).toEqual([
      "GPT-6 Astra",
      "Opus 5",
      "GPT-6 Astra",
      "Fable 5",
      "GLM-5.3",
      "GPT-5.6 Sol",
    ])
    expect(summary.biggest_gaps).toEqual([])
    const combined = showing("combined", boards).leaderboard
    // 100 x 57.88 / 58.18 and 100 x 11.21 / 58.18
    expect(combined?.map(({ normalized }) => normalized)).toEqual(expect.arrayContaining([100, 99.48, 19.27]))
    expect(combined?.at(-1)).toMatchObject({ score: 11.21, normalized: 19.27 })
  })
  it("as a public ranking repeats them: ties, texts with units, and no model on two harnesses", () => {
    const ranking = decodedCapture<string>(board, "ranking", "terminal-bench-4.0-published-rows-2026.md")
    const lines = ranking.split("\n").filter((line) => line.startsWith("|"))
    // Below the header and the line of dashes.
    const table = lines.slice(2).map((line) =>
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
    const rows = table.map(([rank, model = "", agent = "", rate = ""]) => {
      const [, accuracy, half] = /^([\d.]+)% ± ([\d.]+)%$/.exec(rate) ?? []
      return row(
        { agent_display: agent, model_display: model, reasoning_effort: "" },
        { accuracy, accuracy_ci95_half_width: half },
        { rank },
      )
    })
    const items = itemsOf(...rows)
    expect(items.map(({ rank }) => rank)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 13, 15])
    expect(items[0]).toMatchObject({ harness: "Codex", reasoningEffort: null, score: 58.2, ciLow: 55.4, ciHigh: 61 })
    expect(showing("gaps", [CURRENT, rows]).gaps).toEqual([])
  })
  it("of 2.0, computed of trials: a model has several harnesses, and single trials have no interval", () => {
    const { rows: submissions } = decodedCapture<{
      readonly rows: ReadonlyArray<Readonly<Record<string, string | number | null>>>
    }>(board, "submissions", "derived-terminal-bench-2.0-submissions-2026-08.json")
    const rows = submissions.map((one) => {
      const [agent = "", model = ""] = String(one.submission).split("__")
      return row(
        { agent_display: agent, model_display: model, reasoning_effort: null },
        { accuracy: one.resolution_rate_pct, accuracy_ci95_half_width: one.ci95_half_width_pct },
        { rank: null },
      )
    })
    const { gaps } = showing("gaps", [OLDER, rows])
    expect(gaps.length).toBeGreaterThan(5)
    expect(gaps.every(({ revision, delta }) => revision === "2.1" && delta >= 0)).toBe(true)
    expect(showing("raw", [OLDER, rows]).revisions[0]?.rows[0]).toMatchObject({
      rank: 1,
      harness: "vix",
      model: "claude-opus-4-7",
      score: 89.89,
      ci_low: 87.78,
      ci_high: 92,
    })
    expect(itemsOf(...rows).some(({ ciLow, ciHigh }) => ciLow === null && ciHigh === null)).toBe(true)
  })
})

describe("a row", () => {
  it("has the interval that its board gives: half a width, a standard error times 1.96, or none", () => {
    const interval = (metrics: object) => {
      const [{ ciLow, ciHigh }] = itemsOf(row({}, { accuracy_ci95_half_width: null, ...metrics }))
      return [ciLow, ciHigh]
    }
    expect(interval({ accuracy_ci95_half_width: 2.5, accuracy_stderr: 1 })).toEqual([47.5, 52.5])
    expect(interval({ accuracy_stderr: 1.46 })).toEqual([47.14, 52.86])
    expect(interval({ accuracy: 0.61, accuracy_ci95_half_width: 0.84 })).toEqual([0, 1.45])
    expect(interval({ accuracy: 99.5, accuracy_stderr: 1 })).toEqual([97.54, 100])
    expect(itemsOf(row({}, { accuracy: 79.32584269662921, accuracy_stderr: 1.4 }))[0]).toMatchObject({ score: 79.33 })
    expect(interval({})).toEqual([null, null])
    expect(interval({ accuracy_stderr: -1 })).toEqual([null, null])
  })
  it("is known by harness, model and effort, the first of each", () => {
    const items = itemsOf(
      row({}, { accuracy: 40 }),
      row({}, { accuracy: 60 }),
      row({ reasoning_effort: "max" }, { accuracy: 30 }),
      row({ reasoning_effort: null }, { accuracy: 20 }),
      row({ agent_display: 'Lantern","Tern' }, { accuracy: 10 }),
    )
    expect(items.map(({ score }) => score)).toEqual([40, 30, 20, 10])
  })
  it("is left out where it was withdrawn, and counted where it has no score, model or harness", () => {
    const { unreadable, outcome } = readBy(
      board,
      {
        rows: [
          row(),
          ...Array.from({ length: 8 }, (_, at) => row({ reasoning_effort: `effort ${at}` })),
          row({ model_display: "Hidden" }, {}, { status: "hidden" }),
          row({}, { accuracy: null }),
          row({}, { accuracy: -1 }),
          row({ model_display: { label: " " } }),
          row({ agent_display: null }),
        ],
      },
      context,
    )
    expect(unreadable).toHaveLength(4)
    expect("payload" in outcome ? outcome.payload.items : []).toHaveLength(9)
  })
  it("changes with its score or its interval, not with its cost", () => {
    const differs = (members: Partial<HarnessScore>) => harnesses.isRevised(item, { ...item, ...members })
    expect(differs({ costUsd: 1, tokens: 2, rank: 4 })).toBe(false)
    expect(differs({ score: 50.1 })).toBe(true)
    expect(differs({ ciLow: 48, ciHigh: 52 })).toBe(true)
  })
  it("without a rank on the board has that of its score", () => {
    const rows = [60, 50, 50, 40].map((accuracy, at) =>
      row({ reasoning_effort: `${at}` }, { accuracy }, { rank: null }),
    )
    expect(showing("raw", [CURRENT, rows]).revisions[0]?.rows.map(({ rank }) => rank)).toEqual([1, 2, 2, 4])
  })
})

describe("gaps", () => {
  const scored = (agent: string, model: string, accuracy: number, metrics: object = {}, effort = "high") =>
    row({ agent_display: agent, model_display: model, reasoning_effort: effort }, { accuracy, ...metrics })
  it("compare the best score of each harness with the same model, within one revision", () => {
    const { gaps, revisions_read } = showing(
      "gaps",
      [
        CURRENT,
        [scored("Lantern", "Tern", 55), scored("Lantern", "Tern", 30, {}, "low"), scored("Beacon", "Gull", 20)],
      ],
      [
        OLDER,
        [
          scored("Beacon", "Tern", 70),
          scored("Lantern", "Tern", 62, {}, "max"),
          scored("Lantern", "Tern", 40, {}, "low"),
          scored("Drift", "Tern", 66),
          scored("Beacon", "Gull", 50),
          scored("Drift", "Gull", 47.5),
        ],
      ],
    )
    expect(revisions_read).toEqual(["4.0", "2.1"])
    expect(gaps).toEqual([
      {
        revision: "2.1",
        model: "Tern",
        best: { harness: "Beacon", reasoning_effort: "high", score: 70 },
        worst: { harness: "Lantern", reasoning_effort: "max", score: 62 },
        delta: 8,
        overlap: false,
      },
      {
        revision: "2.1",
        model: "Gull",
        best: { harness: "Beacon", reasoning_effort: "high", score: 50 },
        worst: { harness: "Drift", reasoning_effort: "high", score: 47.5 },
        delta: 2.5,
        overlap: true,
      },
    ])
  })
  it("say nothing of an overlap where an interval is missing", () => {
    const none = { accuracy_ci95_half_width: null }
    const { gaps } = showing("gaps", [CURRENT, [scored("Lantern", "Tern", 55), scored("Beacon", "Tern", 20, none)]])
    expect(gaps.map(({ overlap }) => overlap)).toEqual([null])
  })
  it("are none between entries of several models", () => {
    const rows = [scored("Lantern", "Multiple", 55), scored("Beacon", "Multiple", 20)]
    expect(showing("gaps", [CURRENT, rows]).gaps).toEqual([])
  })
  it("of the summary are the five largest of both boards, under their revisions", () => {
    const models = ["A", "B", "C", "D"]
    const rows = (apart: number) =>
      models.flatMap((model, at) => [scored("Lantern", model, 90), scored("Beacon", model, 90 - apart * (at + 1))])
    const { biggest_gaps, ranking } = showing("summary", [CURRENT, rows(1)], [OLDER, rows(10)])
    expect(biggest_gaps.map(({ revision, delta }) => [revision, delta])).toEqual([
      ["2.1", 40],
      ["2.1", 30],
      ["2.1", 20],
      ["2.1", 10],
      ["4.0", 4],
    ])
    expect(ranking).toHaveLength(8)
  })
})

describe("a board that was never read", () => {
  it("is absent, not empty", () => {
    const older = [OLDER, [row()]] as const
    expect(showing("raw", older).revisions.map(({ revision }) => revision)).toEqual(["2.1"])
    expect(showing("summary", older).ranking).toBeNull()
    expect(showing("combined", older)).toEqual({ view: "combined", revision: "4.0", leaderboard: null })
  })
  it("has no relative scores where all are zero", () => {
    expect(showing("combined", [CURRENT, [row({}, { accuracy: 0 })]]).leaderboard?.[0]?.normalized).toBeNull()
  })
})

describe("the boards of the world", () => {
  it("has a tie, a model on two harnesses, and rows that change from day to day", async () => {
    const current = await observed(board, simulated, NOW_MS, CURRENT)
    const older = await observed(board, simulated, NOW_MS, OLDER)
    const ranks = current.payload.items.map(({ rank }) => rank)
    expect(new Set(ranks).size).toBeLessThan(ranks.length)
    const gaps = shown(harnessesView, [reading(current.payload, CURRENT), reading(older.payload, OLDER)], {
      nowMs: NOW_MS,
      parameters: { view: "gaps" },
    }) as Extract<Harnesses, { readonly view: "gaps" }>
    expect(gaps.gaps.map(({ revision, model, overlap }) => [revision, model, overlap])).toEqual([
      ["2.1", "Meridian 5", false],
      ["2.1", "Halyard 2", true],
    ])
    expect(older.payload.items.find(({ model }) => model === "Multiple")).toMatchObject({ ciLow: null, tokens: null })
    const next = await observed(board, simulated, NOW_MS + 86_400_000, CURRENT)
    expect(next.payload.items.map(({ model }) => model)).not.toEqual(current.payload.items.map(({ model }) => model))
  })
})

it("a board without rows is refused, whichever revision", () => {
  for (const parameters of [CURRENT, OLDER])
    expect(refusedBy(board, { rows: [] }, { parameters, observedAtMs: NOW_MS })?.message).toMatch(/no items/)
  expect(() => board.provider({ revision: "1.0" })).toThrow("not a revision")
})
