import { standsReady } from "../../schemas/contract/endpoint-kinds.ts"
import type { RestReason } from "../../schemas/events/observations.ts"
import { instanceKey, type Parameters } from "../../schemas/feed.ts"
import type { Json } from "../../schemas/json.ts"
import type { ViewFreshness, ViewSource } from "../../schemas/view-record.ts"
import type { FeedState } from "../feed-state.ts"
import { rendered } from "../run/digest.ts"
import type { Remembered } from "./memory.ts"
import type { Input, Reading, View } from "./view.ts"

/** The source of an instance, as `feeds.declared` declares it. */
export type DeclaredSource = { readonly provider: string; readonly rests: RestReason | null }

/** Access to the state that views are built from. Keys are `instanceKey(feed.name, parameters)`. */
export interface Readings {
  readonly feed: (key: string) => FeedState | undefined
  readonly payload: (key: string) => Json | undefined
  readonly declared: (key: string) => DeclaredSource | undefined
  /** The entries of the memory of one input, by `memoryKey`, oldest first; undefined before the first poll. */
  readonly remembered: (key: string) => Remembered | undefined
}

/** One input of a view with the instances that it reads. */
export interface ViewInput {
  readonly name: string
  readonly input: Input
  readonly instances: ReadonlyArray<{ readonly key: string; readonly parameters: Parameters }>
}

/** One view at one set of parameters. `key` is the key of its records. */
export interface ViewInstance {
  readonly view: View
  readonly parameters: Parameters
  readonly key: string
  /** Whether it is built because it is requested, instead of standing ready. */
  readonly onDemand: boolean
  readonly parts: ReadonlyArray<ViewInput>
}

/** The key of the memory of a view's input. */
export const memoryKey = (viewKey: string, input: string): string => `${viewKey}#${input}`

/** Resolves the inputs of a view at a set of parameters. Throws what their `instances` throw. */
export const partsOf = ({ reads }: Pick<View, "reads">, parameters: Parameters): ReadonlyArray<ViewInput> =>
  Object.entries(reads).map(([name, input]) => ({
    name,
    input,
    instances: input
      .instances(parameters)
      .map((instance) => ({ key: instanceKey(input.feed.name, instance), parameters: instance })),
  }))

/** Resolves a view at a set of parameters to the instances that it reads. Throws what the view's own `instances` throws. */
export const viewInstance = (view: View, parameters: Parameters): ViewInstance => ({
  view,
  parameters,
  key: instanceKey(view.endpoint.path, parameters),
  onDemand: view.onDemand && !standsReady(view.endpoint, instanceKey(view.endpoint.path, parameters)),
  parts: partsOf(view, parameters),
})

/**
 * The largest data of a view, in UTF-16 units. In UTF-8 that is three times as many bytes at most; with its envelope and
 * its key the record stays below what the log takes.
 */
export const BODY_MAX_UNITS = 4 * 1024 * 1024 - 4 * 1024

/**
 * The result of building a view: `Built` with the digest of the data's text, and when the data next changes without a new
 * observation (null: never); `Missing` while a required input, or every input, has no reading; `Failed` where the view's
 * function threw or its data has no JSON form: the last body then stays.
 */
export type BuildResult =
  | {
      readonly _tag: "Built"
      readonly data: Json
      readonly digest: string
      readonly changesAtMs: number | null
      /** When the newest of its readings was observed, in milliseconds since the epoch. */
      readonly newestMs: number
    }
  | { readonly _tag: "Missing" }
  | { readonly _tag: "Failed"; readonly problem: string }

const MISSING: BuildResult = { _tag: "Missing" }

/** The last good poll of an instance; none where the terms of all of its sources forbid serving it here by now. */
const goodOf = ({ feed, declared }: Pick<Readings, "feed" | "declared">, key: string): FeedState["good"] =>
  isForbidden(declared(key)) ? null : (feed(key)?.good ?? null)

/** Whether the terms of an instance's sources forbid to serve what was read of it before. */
export const isForbidden = (declared: DeclaredSource | undefined): boolean => declared?.rests === "not_licensed"

const readingOf = (readings: Readings, key: string, parameters: Parameters): Reading<unknown> | null => {
  const good = goodOf(readings, key)
  const payload = readings.payload(key)
  if (good === null || payload === undefined) return null
  return {
    parameters,
    payload,
    observedAt: good.observedAt,
    watchedSince: good.watchedSince,
    freshUntil: good.freshUntil,
    contentAt: good.contentAt,
  }
}

/** Whether the data of a view can change without a new observation: it is declared with `clock`, or has a memory with a window. */
export const followsClock = ({ clock, reads }: View): boolean =>
  clock || Object.values(reads).some(({ memory }) => memory !== null)

/** Builds a view's data. `nowMs` is event time. */
export const buildData = (
  { view, parameters, key, onDemand, parts }: ViewInstance,
  readings: Readings,
  nowMs: number,
): BuildResult => {
  try {
    const inputs: Record<string, unknown> = {}
    let newestMs: number | null = null
    const leaveAtMs: Array<number> = []
    for (const { name, input, instances } of parts) {
      const read = instances.map(({ key: one, parameters: of }) => ({
        parameters: of,
        reading: readingOf(readings, one, of),
        rests: readings.declared(one)?.rests ?? null,
      }))
      if (input.required && read.every(({ reading }) => reading === null)) return MISSING
      for (const { reading } of read)
        if (reading !== null) newestMs = Math.max(newestMs ?? 0, Date.parse(reading.observedAt))
      const { memory } = input
      if (memory === null) inputs[name] = input.value(read)
      else {
        const isKeptBack = instances.every(({ key: one }) => isForbidden(readings.declared(one)))
        const kept = isKeptBack ? undefined : readings.remembered(memoryKey(key, name))
        inputs[name] = input.value(read, memory.entriesAt(kept, nowMs))
        leaveAtMs.push(memory.changesAtMs(kept, nowMs) ?? Number.POSITIVE_INFINITY)
      }
    }
    if (newestMs === null) return MISSING
    // A view on demand does not follow the clock: its time is that of its own observations, whenever and wherever it is built.
    const timed = view.build(inputs, { parameters, nowMs: onDemand ? newestMs : nowMs })
    const { data, changesAtMs } = onDemand ? { ...timed, changesAtMs: null } : timed
    const nextMs = Math.min(changesAtMs ?? Number.POSITIVE_INFINITY, ...leaveAtMs)
    // A view's function gives the members of its data in one order, so equal data has equal text: the canonical form, which
    // takes three times as long, is not needed.
    const { text, digest } = rendered(data)
    if (text.length > BODY_MAX_UNITS)
      return { _tag: "Failed", problem: `the data has ${text.length} characters; ${BODY_MAX_UNITS} are allowed` }
    return { _tag: "Built", data: data as Json, digest, changesAtMs: Number.isFinite(nextMs) ? nextMs : null, newestMs }
  } catch (cause) {
    return { _tag: "Failed", problem: cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause) }
  }
}

/** The reason in every source of a view whose function failed on their payloads. */
const VIEW_FAILED = "view_failed: the data of the last good build is served"

const sourceOf = (readings: Pick<Readings, "feed" | "declared">, key: string): ViewSource | null => {
  const [state, declared, good] = [readings.feed(key), readings.declared(key), goodOf(readings, key)]
  const last = state?.attempts[0]
  const name = declared?.provider ?? good?.standsInFor ?? good?.provider ?? last?.provider
  if (name === undefined) return null
  const rests = declared?.rests ?? null
  const fallback = good !== null && good.standsInFor !== null
  const firstChoice = state?.attempts.find(({ provider }) => provider === name)
  const reason = rests ?? last?.reason ?? (fallback ? firstChoice?.reason : null)
  return {
    name,
    status:
      good === null
        ? null
        : rests !== null || (last !== undefined && last.reason !== null)
          ? "error"
          : fallback
            ? "fallback"
            : "live",
    fetched_at: good?.observedAt ?? null,
    latency_ms: good?.latencyMs ?? null,
    ...(reason === null || reason === undefined ? {} : { reason }),
    ...(fallback ? { fallback_source: good.provider } : {}),
    ...(state?.throttledUntil === undefined ? {} : { throttled_until: state.throttledUntil }),
    staleAfter: good?.freshUntil ?? null,
  }
}

const earlier = (least: string | null, one: string): string => (least === null || one < least ? one : least)

/** The observation time of the oldest part of some data, and the instant from which it is stale. */
type Period = { readonly asOf: string | null; readonly staleAfter: string | null }

/** The period of a view's data, and, for a filtered view, that of the data of each input. */
export type DataPeriod = Period & { readonly inputs?: Readonly<Record<string, Period>> }

/** A view that has no data. */
export const NO_DATA_PERIOD: DataPeriod = { asOf: null, staleAfter: null }

/** The endpoint of a view, and the inputs that its freshness follows from. */
interface FreshView {
  readonly view: Pick<View, "endpoint">
  readonly parts: ReadonlyArray<ViewInput>
}

// A loop, as this is read for every view of every poll.
const periodOf = (parts: ReadonlyArray<ViewInput>, readings: Pick<Readings, "feed" | "declared">): Period => {
  let asOf: string | null = null
  let staleAfter: string | null = null
  for (const { instances } of parts)
    for (const { key } of instances) {
      const good = goodOf(readings, key)
      asOf = good === null ? asOf : earlier(asOf, good.observedAt)
      staleAfter = good === null ? staleAfter : earlier(staleAfter, good.freshUntil)
    }
  return { asOf, staleAfter }
}

const isSelectedFrom = ({ view }: FreshView): boolean => view.endpoint.kind === "filtered"

/** The period of the data of a view that is built from these readings. */
export const dataPeriodOf = (instance: FreshView, readings: Pick<Readings, "feed" | "declared">): DataPeriod => ({
  ...periodOf(instance.parts, readings),
  ...(isSelectedFrom(instance)
    ? { inputs: Object.fromEntries(instance.parts.map((part) => [part.name, periodOf([part], readings)])) }
    : {}),
})

/** The names of the inputs that read an instance. */
const inputsOf = ({ parts }: FreshView, key: string): ReadonlyArray<string> =>
  parts.flatMap(({ name, instances }) => (instances.some((one) => one.key === key) ? [name] : []))

/**
 * The freshness of a view: the period of its data, and one source for each instance that it reads and that has been
 * declared or polled. When its last build failed, every source that has answered has the status `error`, and `period` is
 * that of the last good build.
 */
export const freshnessOf = (
  instance: FreshView,
  readings: Pick<Readings, "feed" | "declared">,
  period: DataPeriod,
  failed: boolean,
): ViewFreshness => {
  const sources = new Map<string, ViewSource>()
  const isSelected = isSelectedFrom(instance)
  for (const { instances } of instance.parts)
    for (const { key } of instances) {
      const source = sourceOf(readings, key)
      if (source === null) continue
      const shown: ViewSource =
        failed && source.status !== null ? { ...source, status: "error", reason: VIEW_FAILED } : source
      sources.set(key, isSelected ? { ...shown, inputs: inputsOf(instance, key) } : shown)
    }
  const isSimulated = instance.parts.some(({ instances }) =>
    instances.some(({ key }) => readings.feed(key)?.good?.simulated === true),
  )
  return { v: 1, ...period, ...(isSimulated ? { simulated: true } : {}), sources: [...sources.values()] }
}
