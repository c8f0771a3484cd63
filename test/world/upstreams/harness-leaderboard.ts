import { simulatedUpstream } from "../upstream.ts"
import type { World } from "../world.ts"

const DAY_MS = 86_400_000
const TRIALS = 330

/** A row of a board as it begins: harness, model, effort, score in percent, half the width of its interval in points. */
type Entry = readonly [harness: string, model: string, effort: string | null, score: number, half: number | null]

// Of board 4.0 no model has two harnesses, and two rows share the third rank. Board 2.1 has models with several.
const entries: Readonly<Record<"4-0-0" | "main", ReadonlyArray<Entry>>> = {
  "4-0-0": [
    ["Lantern Code", "Meridian 6", "max", 57.27, 2.9],
    ["Lantern Code", "Meridian 6", "high", 55.76, 2.81],
    ["Beacon CLI", "Halyard 3", "max", 48.18, 3.4],
    ["Driftwood", "Sextant 2", "high", 48.18, 3.22],
    ["Lantern Code", "Meridian 6 Small", "low", 31.82, 3.05],
    ["Beacon CLI", "Halyard 3 Flash", "high", 22.42, 3.31],
    ["mini-agent", "Tern 1", "high", 0.61, 0.84],
  ],
  main: [
    ["Lantern Code", "Meridian 5", "high", 78.2, 1.4],
    ["Beacon CLI", "Meridian 5", null, 66.07, 1.6],
    ["Driftwood", "Meridian 5", null, 71.69, 1.5],
    ["Beacon CLI", "Halyard 2", null, 64.94, 1.7],
    ["Driftwood", "Halyard 2", null, 63.6, 1.7],
    ["mini-agent", "Multiple", null, 40.45, null],
    ["Driftwood", "Multiple", null, 38.2, 1.8],
  ],
}

const uuid = (world: World, ...labels: ReadonlyArray<string | number>): string =>
  `00000000-0000-4000-8000-${Math.floor(world.random("board", ...labels) * 2 ** 48)
    .toString(16)
    .padStart(12, "0")}`

const label = (text: string) => ({
  url: `https://${text.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-")}.example/`,
  label: text,
})

/** A submission is added each day and stays for a week; the score of the best row is corrected each day. */
const entriesNow = (world: World, name: keyof typeof entries): ReadonlyArray<Entry> => {
  const today = Math.floor(world.nowMs / DAY_MS)
  const [best, ...others] = entries[name]
  if (best === undefined) return []
  const [harness, model, effort, score, half] = best
  const corrected: Entry = [harness, model, effort, score + (today % 3) * 0.3, half]
  const added = name === "main" ? [] : Array.from({ length: 7 }, (_, index) => today - index)
  return [
    corrected,
    ...others,
    ...added.map(
      (day): Entry => ["Driftwood", `Petrel ${day % 100}`, "high", 5 + world.random("score", day) * 20, 2.5],
    ),
  ].sort((one, other) => other[3] - one[3])
}

const boardOf = (world: World, packageName: string, name: keyof typeof entries) => {
  const listed = entriesNow(world, name)
  const updated = new Date(Math.floor(world.nowMs / DAY_MS) * DAY_MS).toISOString().replace("Z", "000+00:00")
  const rows = listed.map(([harness, model, effort, score, half], at) => {
    const accuracy = Number(score.toFixed(2))
    const tokens = Math.round(1e9 + world.random("tokens", harness, model) * 1e10)
    const shown = `**${accuracy.toFixed(1)}%** ± ${(half ?? 0).toFixed(1)}%`
    return {
      id: uuid(world, name, harness, model, effort ?? ""),
      leaderboard_id: uuid(world, name),
      rank: listed.findIndex((one) => one[3].toFixed(2) === score.toFixed(2)) + 1,
      metadata: {
        date: "2026-09-03",
        agent_org: label("Harbour Works"),
        model_org: label("Northern Models"),
        agent_display: label(harness),
        // Older boards have plain texts.
        model_display: name === "main" && at % 2 === 1 ? model : label(model),
        ...(effort === null ? {} : { reasoning_effort: effort }),
      },
      metrics: {
        accuracy,
        n_trials: TRIALS,
        display_accuracy: shown,
        ...(name === "main" ? { accuracy_stderr: half } : { accuracy_ci95_half_width: half }),
        ...(name === "main"
          ? {}
          : {
              total_tokens: tokens,
              display_total_tokens: `${(tokens / 1e9).toFixed(1)}B`,
              total_cost_usd: Number((tokens / 4e5).toFixed(2)),
              display_cost: `$${(tokens / 4e8).toFixed(1)}k`,
            }),
      },
      status: "display",
      created_at: updated,
      updated_at: updated,
      n_trials: TRIALS,
    }
  })
  const [first] = rows
  const withdrawn =
    first === undefined
      ? []
      : [
          {
            ...first,
            id: uuid(world, name, "hidden"),
            rank: 1,
            metrics: { ...first.metrics, accuracy: 99.9 },
            status: "hidden",
          },
        ]
  return {
    leaderboard: {
      id: uuid(world, name),
      package: packageName,
      name,
      title: name === "main" ? "Terminal-Bench 2.1" : "Terminal-Bench 4.0",
      rank_by: [{ accessor: "metrics.accuracy", direction: "desc" }],
      updated_at: updated,
    },
    rows: [...withdrawn, ...rows],
  }
}

const packages = {
  "terminal-bench/terminal-bench": "4-0-0",
  "terminal-bench/terminal-bench-2-1": "main",
} as const
const isPackage = (text: unknown): text is keyof typeof packages => typeof text === "string" && text in packages

/** What the site itself requests, page by page. */
const read = (world: World, body: string) => {
  const {
    package: packageName,
    name,
    page = 1,
    page_size = 100,
  } = JSON.parse(body) as Readonly<Record<string, unknown>>
  if (!isPackage(packageName) || packages[packageName] !== name)
    return { status: 404, body: { error: "Leaderboard not found" } }
  const { leaderboard, rows } = boardOf(world, packageName, packages[packageName])
  const [number, size] = [Number(page), Number(page_size)]
  return {
    body: {
      leaderboard,
      rows: rows.slice((number - 1) * size, number * size),
      pagination: { total: rows.length, page: number, page_size: size, total_pages: Math.ceil(rows.length / size) },
    },
  }
}

/** Texts that begin with `$` are escaped in the data of a page. */
const escaped = (value: unknown): unknown => {
  if (typeof value === "string") return value.startsWith("$") ? `$${value}` : value
  if (Array.isArray(value)) return value.map(escaped)
  return typeof value === "object" && value !== null
    ? Object.fromEntries(Object.entries(value).map(([key, one]) => [key, escaped(one)]))
    : value
}

/** A page: a table without rows, and the board in pieces of the data, cut wherever they happen to be full. */
const pageWith = (board: unknown): string => {
  const data = `1d:["$","$L1e",null,{"state":{"queries":[{"state":{"data":${JSON.stringify(escaped(board))}}}]}}]\n`
  const pieces = data.match(/[\s\S]{1,2000}/g) ?? []
  const pushes = pieces.map((piece) => `<script>self.__next_f.push([1,${JSON.stringify(piece)}])</script>`)
  return `<!DOCTYPE html><html><head><title>Terminal-Bench</title></head><body><table><tbody><tr><td><div class="skeleton"></div></td></tr></tbody></table>${pushes.join("")}</body></html>`
}

export default simulatedUpstream({
  name: "harness-leaderboard",
  hosts: ["ofhuhcpkvzjlejydnvyd.supabase.co", "www.tbench.ai"],
  answer: ({ host, path, body }, world) => {
    if (host === "www.tbench.ai") {
      const revision = /^\/leaderboard\/terminal-bench\/([\d.]+)$/.exec(path)?.[1]
      if (revision !== "4.0" && revision !== "2.1") return null
      const board =
        revision === "4.0"
          ? boardOf(world, "terminal-bench/terminal-bench", "4-0-0")
          : boardOf(world, "terminal-bench/terminal-bench-2-1", "main")
      return { contentType: "text/html; charset=utf-8", body: pageWith(board) }
    }
    if (path !== "/functions/v1/leaderboard-read") return null
    return typeof body === "string" ? read(world, body) : { status: 405, body: { error: "Method not allowed" } }
  },
})
