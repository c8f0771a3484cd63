import type { RestReason } from "../schemas/events/observations.ts"
import { instanceKey, type Parameters } from "../schemas/feed.ts"
import type { Json } from "../schemas/json.ts"
import type { ViewFreshness, ViewSource } from "../schemas/view-record.ts"
import type { FeedState } from "./feed-state.ts"
import { rendered } from "./rendered.ts"
import type { Input, Reading, View } from "./view.ts"

/** What `feeds.declared` says of an instance. */
export type Declared = { readonly provider: string; readonly rests: RestReason | null }

/** Where a view finds what it reads. Keys are `instanceKey(feed.name, parameters)`. */
export interface Readings {
  readonly feed: (key: string) => FeedState | undefined
  readonly payload: (key: string) => Json | undefined
  readonly declared: (key: string) => Declared | undefined
  /** What is remembered for one input, by `memoryKey`; undefined before the first poll. */
  readonly remembered: (key: string) => Json | undefined
}

/** One input of a view with the instances that it reads. */
export interface Part {
  readonly name: string
  readonly input: Input
  readonly instances: ReadonlyArray<{ readonly key: string; readonly parameters: Parameters }>
}

/** One view at one set of parameters. `key` is the key of its records. */
export interface ViewInstance {
  readonly view: View
  readonly parameters: Parameters
  readonly key: string
  readonly parts: ReadonlyArray<Part>
}

/** Names the memory of an input of a view. */
export const memoryKey = (viewKey: string, input: string): string => `${viewKey}#${input}`

/** A view at a set of parameters, with what it reads. Throws what the view's own `instances` throws. */
export const viewInstance = (view: View, parameters: Parameters): ViewInstance => ({
  view,
  parameters,
  key: instanceKey(view.endpoint.path, parameters),
  parts: Object.entries(view.reads).map(([name, input]) => ({
    name,
    input,
    instances: input
      .instances(parameters)
      .map((instance) => ({ key: instanceKey(input.feed.name, instance), parameters: instance })),
  })),
})

/** The largest body of a view, in UTF-16 units: its record, in UTF-8, stays below what the log takes. */
export const BODY_UNITS_MAX = 4 * 1024 * 1024

/**
 * The data of a view: `Built` with the digest of its text, and when it would next change without news (null: only by
 * news); `Missing` while a required input, or every input, has no reading; `Failed` where the view's function threw or
 * gave what JSON cannot hold: the last body then stands.
 */
export type Built =
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

const MISSING: Built = { _tag: "Missing" }

const readingOf = (readings: Readings, key: string, parameters: Parameters): Reading<unknown> | null => {
  const good = readings.feed(key)?.good
  const payload = readings.payload(key)
  if (good === undefined || good === null || payload === undefined) return null
  return {
    parameters,
    payload,
    observedAt: good.observedAt,
    watchedSince: good.watchedSince,
    contentAt: good.contentAt,
  }
}

/** Whether the data of a view can change without news: by its own account, or because what it remembers leaves a window. */
export const followsClock = ({ clock, reads }: View): boolean =>
  clock || Object.values(reads).some(({ memory }) => memory !== null)

/** Builds a view's data. `nowMs` is event time. */
export const buildData = ({ view, parameters, key, parts }: ViewInstance, readings: Readings, nowMs: number): Built => {
  try {
    const inputs: Record<string, unknown> = {}
    let newestMs: number | null = null
    const leaveAtMs: Array<number> = []
    for (const { name, input, instances } of parts) {
      const read = instances.map(({ key: one, parameters: of }) => ({
        parameters: of,
        reading: readingOf(readings, one, of),
      }))
      if (input.required && read.every(({ reading }) => reading === null)) return MISSING
      for (const { reading } of read)
        if (reading !== null) newestMs = Math.max(newestMs ?? 0, Date.parse(reading.observedAt))
      const { memory } = input
      if (memory === null) inputs[name] = input.value(read)
      else {
        const kept = readings.remembered(memoryKey(key, name))
        inputs[name] = input.value(read, memory.within(kept, nowMs))
        leaveAtMs.push(memory.changesAtMs(kept, nowMs) ?? Number.POSITIVE_INFINITY)
      }
    }
    if (newestMs === null) return MISSING
    const { data, changesAtMs } = view.build(inputs, { parameters, nowMs })
    const nextMs = Math.min(changesAtMs ?? Number.POSITIVE_INFINITY, ...leaveAtMs)
    // A view's function names the members of its data in one order, so equal data has equal text; the canonical form
    // would say the same at three times the price.
    const { text, digest } = rendered(data)
    if (text.length > BODY_UNITS_MAX)
      return { _tag: "Failed", problem: `the data has ${text.length} characters; ${BODY_UNITS_MAX} are allowed` }
    return { _tag: "Built", data: data as Json, digest, changesAtMs: Number.isFinite(nextMs) ? nextMs : null, newestMs }
  } catch (cause) {
    return { _tag: "Failed", problem: cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause) }
  }
}

/** The reason of every source of a view whose function failed on what they said. */
export const VIEW_FAILED = "view_failed: the data of the last good build is served"

const sourceOf = (state: FeedState | undefined, declared: Declared | undefined): ViewSource | null => {
  const good = state?.good ?? null
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
    staleAfter: good?.freshUntil ?? null,
  }
}

const earliest = (instants: ReadonlyArray<string>): string | null =>
  instants.reduce<string | null>((least, one) => (least === null || one < least ? one : least), null)

/** Since when and until when data is good: that of its oldest part. */
type Span = { readonly asOf: string | null; readonly staleAfter: string | null }

/** Where the data of a view stands, and, where calls select from it, the data of each input. */
export type Standing = Span & { readonly inputs?: Readonly<Record<string, Span>> }

/** A view that has no data. */
export const NO_STANDING: Standing = { asOf: null, staleAfter: null }

const spanOf = (parts: ReadonlyArray<Part>, readings: Readings): Span => {
  const goods = parts.flatMap(({ instances }) =>
    instances.flatMap(({ key }) => {
      const good = readings.feed(key)?.good
      return good === undefined || good === null ? [] : [good]
    }),
  )
  return {
    asOf: earliest(goods.map(({ observedAt }) => observedAt)),
    staleAfter: earliest(goods.map(({ freshUntil }) => freshUntil)),
  }
}

const isSelectedFrom = ({ view }: ViewInstance): boolean => view.endpoint.select !== null

/** The standing of a view that is built from these readings. */
export const standingOf = (instance: ViewInstance, readings: Readings): Standing => ({
  ...spanOf(instance.parts, readings),
  ...(isSelectedFrom(instance)
    ? { inputs: Object.fromEntries(instance.parts.map((part) => [part.name, spanOf([part], readings)])) }
    : {}),
})

/**
 * Where a view stands: one source for each instance that it reads and of which anything is known. When its last build
 * failed, every source that has answered counts as an error, and `standing` is that of the last good build.
 */
export const freshnessOf = (
  instance: ViewInstance,
  readings: Readings,
  standing: Standing,
  failed: boolean,
): ViewFreshness => {
  const sources = new Map<string, ViewSource>()
  for (const { instances } of instance.parts)
    for (const { key } of instances) {
      const source = sourceOf(readings.feed(key), readings.declared(key))
      if (source === null) continue
      const readBy = instance.parts.filter(({ instances: read }) => read.some((one) => one.key === key))
      sources.set(key, {
        ...source,
        ...(failed && source.status !== null ? { status: "error", reason: VIEW_FAILED } : {}),
        ...(isSelectedFrom(instance) ? { inputs: readBy.map(({ name }) => name) } : {}),
      })
    }
  return { v: 1, ...standing, sources: [...sources.values()] }
}
