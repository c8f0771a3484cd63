import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import { instant } from "../../schemas/event.ts"
import type { Parameters } from "../../schemas/feed.ts"
import {
  boardPage,
  EFFORT_MAX_CHARACTERS,
  HARNESS_NAME_MAX_CHARACTERS,
  type HarnessRevision,
  harnesses,
  harnessRevisions,
} from "../../schemas/feeds/harnesses.ts"
import { rounded } from "../../schemas/number.ts"
import { type CollectFailed, document, type Upstream, UpstreamError } from "../document.ts"
import { notOurs, unreadable } from "../poll/read.ts"
import { harnessLeaderboard } from "../providers/harness-leaderboard.ts"
import { flightObjects } from "../readers/flight.ts"
import { jsonProblemOf } from "../readers/json-bounds.ts"
import { within } from "../readers/numbers.ts"
import { cleanText, cleanTextOrNull } from "../readers/text.ts"
import { Decimal, isoMs, maybe } from "../readers/wire.ts"
import { listSource } from "../source.ts"
import { termsOf } from "../terms.ts"

/** A board: one page of it in the JSON, all of it in a page of the site. */
const Board = Schema.Struct({
  leaderboard: Schema.Struct({ package: Schema.String, name: Schema.String }),
  rows: Schema.Array(Schema.Unknown),
  pagination: maybe(Schema.Struct({ page: Schema.Natural, total_pages: Schema.Natural })),
})
type Board = typeof Board.Type

/** Labels are objects on newer boards, texts on older ones. */
const Label = Schema.Union([Schema.String, Schema.Struct({ label: Schema.String })])

/** A row of a board. */
const Row = Schema.Struct({
  rank: maybe(Decimal),
  metadata: Schema.Struct({
    agent_display: Label,
    model_display: Label,
    reasoning_effort: maybe(Schema.String),
  }),
  metrics: Schema.Struct({
    /** Percent. */
    accuracy: Decimal,
    /** Half the width of the interval, in percentage points: boards from 3.0 on. */
    accuracy_ci95_half_width: maybe(Decimal),
    /** The standard error, in percentage points: board 2.1. */
    accuracy_stderr: maybe(Decimal),
    total_tokens: maybe(Decimal),
    total_cost_usd: maybe(Decimal),
  }),
  /** Rows that are not for display are of tests, and of entries that were withdrawn. */
  status: maybe(Schema.String),
  updated_at: maybe(Schema.String),
})

/** The name of each revision's board at Harbor Hub. */
const boards: Readonly<Record<HarnessRevision, { readonly package: string; readonly name: string }>> = {
  "4.0": { package: "terminal-bench/terminal-bench", name: "4-0-0" },
  "2.1": { package: "terminal-bench/terminal-bench-2-1", name: "main" },
}

const revisionIn = ({ revision }: Parameters): HarnessRevision => {
  const known = harnessRevisions.find((one) => one === revision)
  if (known === undefined) throw new TypeError("not a revision of this feed")
  return known
}

const revisionOf = ({ leaderboard }: Board): HarnessRevision | undefined =>
  harnessRevisions.find((one) => boards[one].package === leaderboard.package && boards[one].name === leaderboard.name)

const objectsIn = (text: string): ReadonlyArray<unknown> => {
  if (!text.trimStart().startsWith("{")) return flightObjects(text, "leaderboard")
  const problem = jsonProblemOf(Buffer.from(text))
  if (problem !== null) throw new Error(problem)
  return [JSON.parse(text)]
}

const isBoard = Schema.is(Board)

/** The boards in a text: it is the JSON itself, or a page whose data holds it, perhaps among other objects. */
const boardsIn = (text: string): ReadonlyArray<Board> => objectsIn(text).filter(isBoard)

const Boards = Schema.Array(Board).check(Schema.isMinLength(1))

const PAGE_ROWS = 100
const PAGES_MAX = 5

/** What the site itself requests; undocumented, and without a key. */
const board = document({
  format: "json",
  method: "POST",
  wire: Board,
  url: "https://ofhuhcpkvzjlejydnvyd.supabase.co/functions/v1/leaderboard-read",
  body: ({ revision, page }: { readonly revision: HarnessRevision; readonly page: number }) => ({
    ...boards[revision],
    page,
    page_size: PAGE_ROWS,
  }),
})
/** A page of the site, or what an operator's address holds. The tables of pages are skeletons without rows. */
const page = document({
  format: "text",
  wire: Schema.Unknown.pipe(
    Schema.decodeTo(Boards, {
      decode: SchemaGetter.transform((text: unknown) => boardsIn(String(text))),
      encode: SchemaGetter.transform((given): unknown => given),
    }),
  ),
  url: (address: string) => address,
})

interface Collected {
  readonly rows: ReadonlyArray<unknown>
}

const anotherBoard = () => new UpstreamError({ message: "the answer is of another board" })
const anotherPage = () => new UpstreamError({ message: "the answer is of another page of the board" })

/** The whole board by its pages: a part of it would look as if the other rows were gone. */
const pagesOf = Effect.fnUntraced(function* (
  upstream: Upstream,
  revision: HarnessRevision,
): Effect.fn.Return<Collected, CollectFailed> {
  const rows: Array<unknown> = []
  for (let number = 1; number <= PAGES_MAX; number++) {
    const read = yield* upstream.fetch(board, { revision, page: number })
    if (revisionOf(read) !== revision) return yield* anotherBoard()
    rows.push(...read.rows)
    const { pagination } = read
    if (pagination === null || pagination === undefined) return { rows }
    if (pagination.page !== number) return yield* anotherPage()
    if (number >= pagination.total_pages) return { rows }
  }
  return yield* new UpstreamError({ message: `the board has more than ${PAGES_MAX} pages` })
})

const pageOf = (
  upstream: Upstream,
  revision: HarnessRevision,
  address: string,
): Effect.Effect<Collected, CollectFailed> =>
  Effect.flatMap(upstream.fetch(page, address), (read) => {
    const found = read.find((one) => revisionOf(one) === revision)
    return found === undefined ? Effect.fail(anotherBoard()) : Effect.succeed({ rows: found.rows })
  })

/** Standard errors on either side of the mean within which 95 % of a normal distribution lie. */
const STANDARD_ERRORS = 1.96

const halfWidthOf = ({ accuracy_ci95_half_width: half, accuracy_stderr: error }: (typeof Row.Type)["metrics"]) => {
  const standardError = within(error, 0, 100)
  return within(half, 0, 100) ?? (standardError === null ? null : standardError * STANDARD_ERRORS)
}

const labelOf = (label: typeof Label.Type): string =>
  cleanText(typeof label === "string" ? label : label.label, HARNESS_NAME_MAX_CHARACTERS)

const wholeOrNull = (value: number | null | undefined, minimum: number, maximum: number): number | null => {
  const whole = within(value, minimum, maximum)
  return whole === null ? null : Math.round(whole)
}

export default listSource({
  name: "harness-leaderboard",
  provider: (parameters) => `TerminalBench.harnesses_${revisionIn(parameters).replace(".", "_")}`,
  fills: harnesses,
  every: "6 hours",
  access: harnessLeaderboard,
  documents: { board, page },
  collect: (upstream, { parameters, addresses }) => {
    const revision = revisionIn(parameters)
    const named = addresses?.[revision]
    if (named !== undefined) return pageOf(upstream, revision, named)
    return pagesOf(upstream, revision).pipe(
      Effect.catch((failed) => pageOf(upstream, revision, boardPage(revision)).pipe(Effect.mapError(() => failed))),
    )
  },
  rows: ({ rows }) => rows,
  row: Row,
  toItem: ({ rank, metadata, metrics, status }) => {
    if (status !== undefined && status !== null && status !== "display") return notOurs
    const [harness, model] = [labelOf(metadata.agent_display), labelOf(metadata.model_display)]
    const score = within(metrics.accuracy, 0, 100)
    if (harness === "" || model === "" || score === null) return unreadable("it has no harness, model or score")
    const halfWidth = halfWidthOf(metrics)
    const cost = within(metrics.total_cost_usd, 0, 1e12)
    return {
      rank: wholeOrNull(rank, 1, 1_000_000),
      harness,
      model,
      reasoningEffort: cleanTextOrNull(metadata.reasoning_effort, EFFORT_MAX_CHARACTERS),
      score: rounded(score, 2),
      ciLow: halfWidth === null ? null : rounded(Math.max(0, score - halfWidth), 2),
      ciHigh: halfWidth === null ? null : rounded(Math.min(100, score + halfWidth), 2),
      tokens: wholeOrNull(metrics.total_tokens, 0, Number.MAX_SAFE_INTEGER),
      costUsd: cost === null ? null : rounded(cost, 2),
    }
  },
  facts: (_, __, { observedAtMs }) => ({ checkedAt: instant(observedAtMs) }),
  contentAtMs: (_, read) => {
    const times = read.flatMap(({ row }) => isoMs(row.updated_at) ?? [])
    return times.length === 0 ? null : Math.max(...times)
  },
  recordedParameters: (wire) => {
    const read = Schema.decodeUnknownOption(Schema.Union([Board, Boards]))(wire)
    const [first] = Option.isNone(read) ? [] : "rows" in read.value ? [read.value] : read.value
    const revision = first === undefined ? undefined : revisionOf(first)
    return revision === undefined ? null : { revision }
  },
  attribution: {
    provider: "Terminal-Bench (Harbor Hub)",
    licence: "Terms of the boards are not stated; the repositories are under the Apache License 2.0",
    url: "https://www.tbench.ai/leaderboard",
  },
  terms: termsOf({ use: "provider", url: "https://www.tbench.ai/" }),
})
