import { type DataOf, type Envelope, instant } from "../../schemas/event.ts"
import { clockTicked, feedsDeclared } from "../../schemas/events/observations.ts"
import { type Feed, instanceKey, parseInstanceKey } from "../../schemas/feed.ts"
import type { Json } from "../../schemas/json.ts"
import { feeds as everyFeed } from "../../schemas/registry.ts"
import {
  buildData,
  type Declared,
  freshnessOf,
  memoryKey,
  NO_STANDING,
  type Readings,
  type Standing,
  standingOf,
  type ViewInstance,
  viewInstance,
} from "../build-view.ts"
import { afterPoll, type FeedState, payloadOf, polled } from "../feed-state.ts"
import { type Change, itemChanges } from "../item-changes.ts"
import type { Poll } from "../memory.ts"
import {
  type DerivedEvent,
  type Problem,
  type Processor,
  processor,
  type State,
  type StateChange,
  type Step,
  unchanged,
  type ViewChange,
} from "../processor.ts"
import { views as everyView } from "../registry.ts"
import type { View } from "../view.ts"

const DAY_MS = 24 * 60 * 60_000
/** How often instances that nobody asks for any more are looked for, in milliseconds of event time. */
const SWEEP_MS = 10 * 60_000

/** What the fold remembers of a view: enough to tell a change of its data, and where its last good build stood. */
type ViewState = {
  /** Digest of the body's data; null while there is no body. */
  readonly data: string | null
  /** Set while the view's function fails: the standing of the body that is served meanwhile. */
  readonly failed: Standing | null
}

/**
 * The state of the fold, by key: `feed/<instance>` (FeedState), `payload/<instance>` (apart, as most polls confirm it),
 * `view/<view key>` (ViewState), `memory/<memory key>` (what an input of a view remembers), `declared` (what `feeds.declared` said last)
 * and `swept`.
 */
const keys = {
  feed: (instance: string) => `feed/${instance}`,
  payload: (instance: string) => `payload/${instance}`,
  view: (view: string) => `view/${view}`,
  memory: (memory: string) => `memory/${memory}`,
  declared: "declared",
  swept: "swept",
} as const

const readingsOf = (get: <Kept>(key: string) => Kept | undefined): Readings => ({
  feed: (key) => get<FeedState>(keys.feed(key)),
  payload: (key) => get<Json>(keys.payload(key)),
  declared: (key) => get<Readonly<Record<string, Declared>>>(keys.declared)?.[key],
  remembered: (key) => get<Json>(keys.memory(key)),
})

/** One step in the making: reads see what the step has already written. */
const draft = (state: State) => {
  const writes = new Map<string, StateChange>()
  const views: Array<ViewChange> = []
  const events: Array<DerivedEvent> = []
  const problems: Array<Problem> = []
  const get = <Kept>(key: string): Kept | undefined => {
    const written = writes.get(key)
    // Every key has one writer, in this file, so the kind of key says what it holds.
    return (written === undefined ? state.get(key) : (written[1] ?? undefined)) as Kept | undefined
  }
  return {
    get,
    set: (...change: StateChange) => writes.set(change[0], change),
    readings: readingsOf(get),
    /** The readings as they were before the step. */
    before: readingsOf(<Kept>(key: string) => state.get(key) as Kept | undefined),
    views,
    events,
    problems,
    done: (): Step => ({ state: [...writes.values()], views, events, problems }),
  }
}
type Draft = ReturnType<typeof draft>

/** What has happened to the inputs of a view. */
interface Cause {
  /** The data may differ: the view is built. */
  readonly rebuild: boolean
  /** What is said of the sources differs for certain, or is to be said again. */
  readonly tell: boolean
  readonly nowMs: number
  readonly eventMs: number
}

const standingIn = (instance: ViewInstance, readings: Readings, state: ViewState | undefined): Standing =>
  state?.failed ?? ((state?.data ?? null) === null ? NO_STANDING : standingOf(instance, readings))

/** Brings a view to where its inputs are. */
const refresh = (to: Draft, instance: ViewInstance, { rebuild, tell, nowMs, eventMs }: Cause): void => {
  const before = to.get<ViewState>(keys.view(instance.key))
  const built = rebuild ? buildData(instance, to.readings, nowMs) : null
  const after: ViewState =
    built?._tag === "Built"
      ? { data: built.digest, failed: null }
      : {
          data: before?.data ?? null,
          failed: built?._tag === "Failed" ? standingIn(instance, to.before, before) : (before?.failed ?? null),
        }
  const wasFailed = (before?.failed ?? null) !== null
  const isFailed = after.failed !== null
  if (built?._tag === "Failed" && !wasFailed) to.problems.push({ subject: instance.key, problem: built.problem })

  const bodyChanged = built?._tag === "Built" && before?.data !== after.data
  const freshness = freshnessOf(instance, to.readings, standingIn(instance, to.readings, after), isFailed)
  const told =
    tell ||
    before === undefined ||
    JSON.stringify(freshness) !==
      JSON.stringify(freshnessOf(instance, to.before, standingIn(instance, to.before, before), wasFailed))
  if (before === undefined || bodyChanged || wasFailed !== isFailed) to.set(keys.view(instance.key), after)
  if (!bodyChanged && !told) return
  // A view on demand is dated by its own observation, so that its bytes do not depend on what else the log holds.
  const changedAt = instant(instance.view.instances === null ? eventMs : nowMs)
  to.views.push({
    key: instance.key,
    ...(bodyChanged ? { body: { v: 2, changedAt, data: built.data } } : {}),
    ...(told ? { freshness } : {}),
  })
}

/** A good poll as memories see it; `initial`: the memory begins with it, or the instance does. */
type PollOf = (initial: boolean) => Poll

/** Brings the memories of a view that read this instance to where a good poll leaves them. Whether one has changed. */
const remember = (to: Draft, instance: ViewInstance, feedKey: string, pollOf: PollOf): boolean => {
  let changed = false
  for (const { name, input, instances } of instance.parts) {
    if (input.memory === null || !instances.some(({ key }) => key === feedKey)) continue
    const key = memoryKey(instance.key, name)
    const before = to.readings.remembered(key)
    try {
      const after = input.memory.after(before, pollOf(before === undefined))
      if (after === before || after === undefined) continue
      to.set(keys.memory(key), after)
      changed = true
    } catch (cause) {
      to.problems.push({ subject: key, problem: `memory: ${String(cause)}` })
    }
  }
  return changed
}

const remove = (to: Draft, viewKey: string): void => {
  to.set(keys.view(viewKey), null)
  to.views.push({ key: viewKey, body: null, freshness: null })
}

/**
 * The fold that keeps the latest of everything: readings of feeds, the views over them, and the changes of items. A view
 * whose function throws keeps its last body, and its freshness says so; the fold itself never fails.
 */
export const makeLatest = (views: ReadonlyArray<View>, feeds: ReadonlyMap<string, Feed>): Processor => {
  const prepared = views.flatMap((view) => (view.instances ?? []).map((parameters) => viewInstance(view, parameters)))
  const preparedKeys = new Set(prepared.map(({ key }) => key))
  /** Every memory that is kept, with the instances of a feed that it is over. */
  const memories = new Map(
    prepared.flatMap(({ key, parts }) =>
      parts.flatMap(
        ({ name, input, instances }): ReadonlyArray<[string, ReadonlyArray<string>]> =>
          input.memory === null ? [] : [[memoryKey(key, name), instances.map((one) => one.key)]],
      ),
    ),
  )
  const clocked = prepared.filter(({ view }) => view.followsClock)
  const onDemand = views.filter(({ instances }) => instances === null)
  const onDemandReaders = new Map<string, Array<View>>()
  for (const one of onDemand)
    for (const feed of new Set(Object.values(one.reads).map(({ feed: { name } }) => name)))
      onDemandReaders.set(feed, [...(onDemandReaders.get(feed) ?? []), one])
  const onDemandPaths = new Set(onDemand.map(({ endpoint }) => endpoint.path))
  const readers = new Map<string, Array<ViewInstance>>()
  for (const instance of prepared)
    for (const key of new Set(instance.parts.flatMap(({ instances }) => instances.map((one) => one.key))))
      readers.set(key, [...(readers.get(key) ?? []), instance])

  /** The views on demand that an observation of this instance feeds: those at the very parameters of the observation. */
  const demandedBy = (
    feed: string,
    parameters: Readonly<Record<string, string>>,
    feedKey: string,
  ): ReadonlyArray<ViewInstance> =>
    (onDemandReaders.get(feed) ?? []).flatMap((view) => {
      const instance = viewInstance(view, parameters)
      return instance.parts.some(({ instances }) => instances.some(({ key }) => key === feedKey)) ? [instance] : []
    })

  const onPoll = (state: State, event: Envelope<string, unknown>, nowMs: number): Step => {
    const data = polled(event)
    if (data === null) return unchanged
    const to = draft(state)
    const key = instanceKey(data.feed, data.parameters)
    const before = to.get<FeedState>(keys.feed(key))
    const kept = to.get<Json>(keys.payload(key))
    const keptHash = before?.good?.hash
    const held = kept === undefined || keptHash === undefined ? null : { payload: kept, hash: keptHash }
    const said = payloadOf(event, held)
    const brought = said._tag === "Brought" ? said : null
    const failed = "reason" in data || said._tag === "Lost"
    const payload = brought?.payload ?? kept
    // What a poll confirms or builds on must be at hand: else the log has lost it, and the last good payload stays.
    let after: FeedState = afterPoll(before, data, event.time, said._tag === "Lost")

    const feed = feeds.get(data.feed)
    if (feed !== undefined && payload !== undefined && (brought !== null || !after.told)) {
      try {
        if (feed.publishesChanges(data.parameters)) {
          const changes = itemChanges(feed, after.told ? kept : undefined, payload)
          to.events.push(...changes.map((change) => derived(change, data, event.time)))
          after = { ...after, told: true }
        }
      } catch (cause) {
        // Told again from the beginning when the feed's functions work again: twice is better than never.
        after = { ...after, told: false }
        to.problems.push({ subject: key, problem: `item changes: ${String(cause)}` })
      }
    }
    to.set(keys.feed(key), after)
    if (brought !== null) to.set(keys.payload(key), brought.payload, brought.hash)

    const eventMs = Date.parse(event.time)
    const cause: Cause = { rebuild: brought !== null, tell: !failed, nowMs, eventMs }
    const good = !failed && payload !== undefined ? payload : null
    const polls = new Map<boolean, Poll>()
    const pollOf: PollOf = (initial) => {
      const isInitial = initial || kept === undefined
      const known = polls.get(isInitial)
      if (known !== undefined) return known
      const isSilent = feed === undefined || good === null || (brought === null && !isInitial)
      const changes = isSilent ? [] : itemChanges(feed, isInitial ? undefined : kept, good)
      const made: Poll = { parameters: data.parameters, atMs: eventMs, payload: good, changes, isInitial }
      polls.set(isInitial, made)
      return made
    }
    for (const instance of readers.get(key) ?? []) {
      const grown = good !== null && remember(to, instance, key, pollOf)
      refresh(to, instance, grown ? { ...cause, rebuild: true } : cause)
    }
    try {
      for (const instance of demandedBy(data.feed, data.parameters, key)) refresh(to, instance, cause)
    } catch (cause) {
      to.problems.push({ subject: key, problem: `instances: ${String(cause)}` })
    }
    return to.done()
  }

  const onDeclared = (state: State, event: Envelope<string, unknown>, nowMs: number): Step => {
    const to = draft(state)
    const declared = (event.data as DataOf<typeof feedsDeclared>).feeds
    to.set(
      keys.declared,
      Object.fromEntries(
        declared.map(({ feed, parameters, provider, rests }) => [instanceKey(feed, parameters), { provider, rests }]),
      ),
    )
    for (const kept of state.keys(keys.memory("")))
      if (!memories.has(kept.slice(keys.memory("").length))) to.set(kept, null)
    // The ingest role has started, perhaps in a new release: views that are new or say something else are built here.
    for (const instance of prepared) refresh(to, instance, { rebuild: true, tell: true, nowMs, eventMs: nowMs })
    for (const key of state.keys(keys.view(""))) {
      const viewKey = key.slice(keys.view("").length)
      if (!preparedKeys.has(viewKey) && !onDemandPaths.has(parseInstanceKey(viewKey).name)) remove(to, viewKey)
    }
    return to.done()
  }

  const onTick = (state: State, nowMs: number): Step => {
    const to = draft(state)
    for (const instance of clocked) refresh(to, instance, { rebuild: true, tell: false, nowMs, eventMs: nowMs })
    const sweep = Math.floor(nowMs / SWEEP_MS)
    if (to.get<number>(keys.swept) !== sweep) {
      to.set(keys.swept, sweep)
      for (const key of state.keys(keys.feed(""))) dropUnused(to, key.slice(keys.feed("").length), nowMs)
    }
    return to.done()
  }

  /** Forgets an instance that is neither polled on schedule nor read by a prepared view, a day after its last use. */
  const dropUnused = (to: Draft, key: string, nowMs: number): void => {
    const last = to.readings.feed(key)?.attempts[0]
    if (readers.has(key) || to.readings.declared(key) !== undefined) return
    if (last !== undefined && Date.parse(last.at) > nowMs - DAY_MS) return
    to.set(keys.feed(key), null)
    if (to.readings.payload(key) !== undefined) to.set(keys.payload(key), null)
    const { name, parameters } = parseInstanceKey(key)
    for (const { endpoint } of onDemand) {
      const viewKey = instanceKey(endpoint.path, parameters)
      if (
        to.get(keys.view(viewKey)) !== undefined &&
        demandedBy(name, parameters, key).some((one) => one.key === viewKey)
      )
        remove(to, viewKey)
    }
  }

  return processor({
    name: "latest",
    step: (state, event, nowMs) => {
      if (event.type === clockTicked.type) return onTick(state, nowMs)
      if (event.type === feedsDeclared.type) return onDeclared(state, event, nowMs)
      return onPoll(state, event, nowMs)
    },
    wanting: (state) =>
      [...memories].flatMap(([memory, feedKeys]) =>
        feedKeys.every((key) => state.get(keys.payload(key)) === undefined) ||
        state.get(keys.memory(memory)) !== undefined
          ? []
          : [`the memory ${memory} begins empty`],
      ),
  })
}

const derived = (
  { type, key, item }: Change,
  { feed, parameters, provider }: { readonly feed: string; readonly parameters: object; readonly provider: string },
  observedAt: string,
): DerivedEvent => ({
  type,
  subject: `${feed}/${key}`,
  data: { feed, parameters, provider, key, item, observedAt },
})

export default makeLatest(everyView, everyFeed)
