import { existsSync } from "node:fs"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import {
  type CaptureFolder,
  decodedCapturesOf,
  instanceOfCapture,
  judgeCapture,
  listCaptures,
  loadRecordedDocuments,
  recordedUpstream,
  reportCaptures,
  sourcesRecordedIn,
  withRecordedDocuments,
} from "../../ingestors/captures.ts"
import { Undecodable, UpstreamError } from "../../ingestors/document.ts"
import { makePlan } from "../../ingestors/poll/plan.ts"
import { readCollected } from "../../ingestors/poll/poll.ts"
import { runSteps } from "../../ingestors/poll/steps.ts"
import { sources } from "../../ingestors/registry.ts"
import type { Source } from "../../ingestors/source.ts"
import { makeLatest } from "../../processors/folds/latest.ts"
import { stateIn } from "../../processors/processor.ts"
import { views } from "../../processors/registry.ts"
import { buildDemanded } from "../../processors/view/demanded-view.ts"
import type { View } from "../../processors/view/view.ts"
import { type Envelope, instant, makeEvent } from "../../schemas/event.ts"
import { feedObserved } from "../../schemas/events/observations.ts"
import { type Feed, instanceKey, type Parameters } from "../../schemas/feed.ts"
import type { Json } from "../../schemas/json.ts"
import { DONE, FAILED, WrongUsage } from "./arguments.ts"

/** Shortens every list of a value to its first rows, and adds the number of the rest. */
const shorten = (value: unknown, rowsMax: number): unknown => {
  if (Array.isArray(value)) {
    const rows = value.slice(0, rowsMax).map((row) => shorten(row, rowsMax))
    return value.length > rows.length ? [...rows, `... ${value.length - rows.length} more`] : rows
  }
  return typeof value === "object" && value !== null
    ? Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shorten(member, rowsMax)]))
    : value
}

/** Documents that are recorded and never requested: declared with the tests, which an installation may lack. */
const RECORDED_DOCUMENTS = new URL("../../test/captures/", import.meta.url)

/** The results of every capture, by its path in the report. */
const resultsByPath = (
  directory: string,
  sources: ReadonlyArray<Source>,
): ReadonlyMap<string, ReadonlyArray<Shown>> => {
  const shown = new Map<string, ReadonlyArray<Shown>>()
  for (const folder of listCaptures(directory))
    for (const source of sourcesRecordedIn(folder.name, sources))
      for (const [file, results] of showCaptures(source, folder)) {
        const path = `${folder.name}/${file}`
        shown.set(path, [...(shown.get(path) ?? []), ...results])
      }
  return shown
}

export const run = async ({
  positionals: [directory = ""],
  values,
}: {
  readonly positionals: ReadonlyArray<string>
  readonly values: { readonly show: boolean; readonly rows: string }
}): Promise<number> => {
  if (!existsSync(directory)) throw new WrongUsage(`${directory}: there is no such folder`)
  if (!/^\d{1,6}$/.test(values.rows)) throw new WrongUsage("--rows takes a whole number")
  const rowsMax = Number(values.rows) || Number.POSITIVE_INFINITY
  const sourcesRecorded = withRecordedDocuments(sources, await loadRecordedDocuments(RECORDED_DOCUMENTS))
  const shown = values.show ? resultsByPath(directory, sourcesRecorded) : new Map<string, ReadonlyArray<Shown>>()
  const lines = reportCaptures(directory, sourcesRecorded)
  for (const { text, path } of lines) {
    process.stdout.write(`${text}\n`)
    for (const result of shown.get(path) ?? [])
      process.stdout.write(`${JSON.stringify(shorten(result, rowsMax), null, 2)}\n`)
  }
  const failed = lines.filter((line) => line.failed)
  process.stdout.write(`${lines.length} lines, ${failed.length} failed\n`)
  return failed.length === 0 ? DONE : FAILED
}

/** The result of a recorded answer: the items of its feed, and the replies of the endpoints that read this feed only. */
type Shown =
  | {
      readonly instance: string
      /** The time that stands for "now": that of the newest content, where the answer has one. */
      readonly asOf: string
      readonly items: ReadonlyArray<unknown>
      readonly facts: unknown
      readonly unreadable: ReadonlyArray<string>
      readonly replies: Readonly<Record<string, unknown>>
    }
  | { readonly instance: string; readonly refused: string }

const isViewOf =
  (feed: Feed) =>
  ({ reads }: View): boolean =>
    Object.values(reads).every((input) => input.feed.name === feed.name)

const observationOf = (
  source: Source,
  parameters: Parameters,
  payload: Json,
  hash: string,
  contentAtMs: number | null,
  atMs: number,
): Envelope<string, unknown> =>
  makeEvent(feedObserved, {
    id: "capture",
    source: `captures/${source.name}`,
    subject: instanceKey(source.fills.name, parameters),
    time: instant(atMs),
    data: {
      feed: source.fills.name,
      parameters,
      provider: source.provider(parameters),
      latencyMs: 0,
      hash,
      contentAt: contentAtMs === null ? null : instant(contentAtMs),
      freshUntil: instant(atMs + source.everyMs(parameters)),
      standsInFor: null,
      payload,
    },
  })

/** The replies of a feed's views to an observation: prepared views by the fold, views on demand by the same build as for a request. */
const repliesOf = (feed: Feed, parameters: Parameters, event: Envelope<string, unknown>, atMs: number) => {
  const own = views.filter(isViewOf(feed))
  const latest = makeLatest(
    own.filter(({ instances }) => instances.length > 0),
    new Map([[feed.name, feed]]),
  )
  const { views: changes = [] } = latest.step(stateIn(new Map()), event, atMs)
  const prepared = changes.flatMap(({ key, body }) => (body == null ? [] : [[key, body.data] as const]))
  const demanded = own
    .filter((view) => view.onDemand)
    .map((view) => {
      const { body } = buildDemanded(view, parameters, [event])
      return [instanceKey(view.endpoint.path, parameters), body?.data ?? null] as const
    })
  return Object.fromEntries([...prepared, ...demanded])
}

/** Reasons that are given for rows of an answer that is refused. */
const ROWS_EXPLAINED_MAX = 3

const DAY = /\d{4}-\d\d(?:-\d\d)?/
const dayMs = (file: string): number => Date.parse(DAY.exec(file)?.[0] ?? "1970-01-01")
const daysApart = (one: string, other: string): number => Math.abs(dayMs(one) - dayMs(other))

/**
 * Shows what each capture of a folder becomes, by the code that would read it from its upstream: one result for each
 * document that accepts it and that the source asks for. Other documents of the source answer with the folder's captures.
 */
export const showCaptures = (source: Source, folder: CaptureFolder): ReadonlyMap<string, ReadonlyArray<Shown>> => {
  const judged = folder.files.map((file) => {
    const capture = folder.read(file)
    return { file, verdict: judgeCapture(source, capture) }
  })
  // Documents that belong together were recorded together: of those beside a capture the nearest in time answer first.
  const wiresBeside = (file: string) =>
    decodedCapturesOf(
      source,
      judged
        .toSorted((one, other) => daysApart(one.file, file) - daysApart(other.file, file))
        .map(({ verdict }) => verdict),
    )
  return new Map(
    judged.map(({ file, verdict }) => [
      file,
      verdict.decoded.flatMap(({ document: name, wire }): ReadonlyArray<Shown> => {
        const document = source.documents[name]
        if (document === undefined) return []
        const parameters = instanceOfCapture(source, file, wire)
        const beside = showOne(source, new Map([...wiresBeside(file), [document, [wire]]]), document, parameters)
        // A fallback document is requested only after the first one has failed.
        return beside.length > 0 ? beside : showOne(source, new Map([[document, [wire]]]), document, parameters)
      }),
    ]),
  )
}

const showOne = (
  source: Source,
  wires: ReturnType<typeof decodedCapturesOf>,
  document: Source["documents"][string],
  parameters: Parameters,
): ReadonlyArray<Shown> => {
  const plan = makePlan([{ ...source, instances: [parameters] }], () => "key", null)
  const instance = plan.scheduled[0]
  if (instance === undefined) return []
  const [candidate] = instance.candidates
  let isAsked = false
  const recorded = recordedUpstream(wires)
  const upstream: typeof recorded.upstream = {
    ...recorded.upstream,
    fetch: (asked, input) => {
      isAsked ||= (asked as unknown) === document
      return recorded.upstream.fetch(asked, input)
    },
  }
  const nowMs = Date.now()
  const exit = Effect.runSyncExit(source.collect(upstream, { parameters, observedAtMs: nowMs, key: candidate.key }))
  // A recorded document that the source never requests has no result.
  if (!isAsked) return []
  if (Exit.isFailure(exit)) {
    const failure = Option.getOrNull(Exit.findErrorOption(exit))
    return [{ instance: instance.key, refused: failure?.message ?? "the source failed" }]
  }
  const { outcome, unreadable } = readCollected(instance, candidate, exit.value, nowMs)
  if (outcome._tag === "Failure") {
    const { outcome: refusal } = runSteps(source.read(exit.value, { parameters, observedAtMs: nowMs }))
    const why = refusal instanceof UpstreamError || refusal instanceof Undecodable ? refusal.message : outcome.message
    const rows = unreadable.map(({ problem }) => problem).slice(0, ROWS_EXPLAINED_MAX)
    return [{ instance: instance.key, refused: [why, ...new Set(rows)].join("; ") }]
  }
  const { payload, hash, contentAtMs } = outcome
  const atMs = contentAtMs === null ? nowMs : Math.min(contentAtMs, nowMs)
  const event = observationOf(source, parameters, payload, hash, contentAtMs, atMs)
  const facts = typeof payload === "object" && payload !== null && "facts" in payload ? payload.facts : null
  return [
    {
      instance: instance.key,
      asOf: instant(atMs),
      items: source.fills.items(payload),
      facts,
      unreadable: unreadable.map(({ problem }) => problem),
      replies: repliesOf(source.fills, parameters, event, atMs),
    },
  ]
}
