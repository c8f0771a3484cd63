import type { Envelope } from "../../schemas/event.ts"
import { type Feed, instanceKey } from "../../schemas/feed.ts"
import type { Json } from "../../schemas/json.ts"
import {
  afterPoll,
  type Change,
  changeEvents,
  differingMembers,
  type FeedState,
  itemChanges,
  type PollData,
  payloadOf,
  pollDataOf,
} from "../feed-state.ts"
import { type DerivedEvent, type State, type Step, unchanged } from "../processor.ts"
import { memoryKey, type ViewInstance } from "../view/build-view.ts"
import type { Poll } from "../view/memory.ts"
import { type Draft, draft, setEntries, stateKeys, type ViewState } from "./state.ts"
import { type Cause, refresh, type ViewIndex } from "./views.ts"

/** Gives the input of a memory; `isInitial`: the memory, or the instance, begins with this poll. */
type PollOf = (isInitial: boolean) => Poll

/** Adds a good poll to the memories of a view that cover this instance; true if any of them has changed. */
const remember = (to: Draft, instance: ViewInstance, feedKey: string, pollOf: PollOf): boolean => {
  let isChanged = false
  for (const { name, input, instances } of instance.parts) {
    if (input.memory === null || !instances.some(({ key }) => key === feedKey)) continue
    const key = memoryKey(instance.key, name)
    const before = to.readings.remembered(key)
    try {
      const after = input.memory.after(before, pollOf(before === undefined))
      if (after === before || after === undefined) continue
      setEntries(to, key, before ?? [], after)
      isChanged = true
    } catch (cause) {
      to.problems.push({ subject: key, problem: `memory: ${String(cause)}` })
    }
  }
  return isChanged
}

/** A poll with the state of its instance. */
interface PollInState {
  readonly key: string
  readonly data: PollData
  readonly feed: Feed | undefined
  readonly eventMs: number
  readonly eventTime: string
  readonly before: FeedState | undefined
  /** The payload before the poll; undefined where there was none. */
  readonly standing: Json | undefined
  /** The new payload with its hash; null where the poll confirmed the one before, or failed. */
  readonly brought: { readonly payload: Json; readonly hash: string } | null
  /** Whether the payload that the poll confirms or patches is missing from the log. */
  readonly isLost: boolean
  /** The payload after a good poll; null where the poll failed. */
  readonly good: Json | null
}

const pollInState = (
  to: Draft,
  event: Envelope<string, unknown>,
  data: PollData,
  feeds: ReadonlyMap<string, Feed>,
): PollInState => {
  const key = instanceKey(data.feed, data.parameters)
  const before = to.get<FeedState>(stateKeys.feed(key))
  const standing = to.get<Json>(stateKeys.payload(key))
  const hash = before?.good?.hash
  const after = payloadOf(event, standing === undefined || hash === undefined ? null : { payload: standing, hash })
  const brought = after._tag === "Brought" ? after : null
  const isLost = after._tag === "Lost"
  return {
    key,
    data,
    feed: feeds.get(data.feed),
    eventMs: Date.parse(event.time),
    eventTime: event.time,
    before,
    standing,
    brought,
    isLost,
    good: "reason" in data || isLost ? null : (brought?.payload ?? standing ?? null),
  }
}

type Item = Readonly<Record<string, Json>>

const derived = ({ kind, key, item, before }: Change, data: PollData, observedAt: string): DerivedEvent => {
  const { feed, parameters, provider } = data
  return {
    type: changeEvents[kind],
    subject: `${feed}/${key}`,
    data: {
      feed,
      parameters,
      provider,
      key,
      item,
      observedAt,
      ...("simulated" in data && data.simulated === true ? { simulated: true } : {}),
      // Items of feeds are objects: their schemas are structs.
      ...(kind === "changed" ? differingMembers(before as Item, item as Item) : {}),
    },
  }
}

/**
 * The state of the instance after the poll, and the item changes that it publishes. Where a feed's function throws, the
 * changes are published from the first item again once it works: at least once, never not at all.
 */
const publishChanges = (
  to: Draft,
  { key, data, feed, eventTime, before, standing, brought, isLost }: PollInState,
): FeedState => {
  const after = afterPoll(before, data, eventTime, isLost)
  const payload = brought?.payload ?? standing
  if (feed === undefined || payload === undefined || (brought === null && after.changesPublished)) return after
  try {
    if (!feed.publishesChanges(data.parameters)) return after
    const changes = itemChanges(feed, after.changesPublished ? standing : undefined, payload)
    const published = feed.publishesGone ? changes : changes.filter(({ kind }) => kind !== "gone")
    to.events.push(...published.map((change) => derived(change, data, eventTime)))
    return { ...after, changesPublished: true }
  } catch (cause) {
    to.problems.push({ subject: key, problem: `item changes: ${String(cause)}` })
    return { ...after, changesPublished: false }
  }
}

/** The input of memories; the item changes are computed once for all of them. */
const pollFor = ({ data, feed, eventMs, standing, brought, good }: PollInState): PollOf => {
  const known = new Map<boolean, Poll>()
  return (begins) => {
    const isInitial = begins || standing === undefined
    const before = known.get(isInitial)
    if (before !== undefined) return before
    const isSilent = feed === undefined || good === null || (brought === null && !isInitial)
    const changes = isSilent ? [] : itemChanges(feed, isInitial ? undefined : standing, good)
    const poll: Poll = { parameters: data.parameters, atMs: eventMs, payload: good, changes, isInitial }
    known.set(isInitial, poll)
    return poll
  }
}

/** Whether a view reads the payload of an instance itself, and not only what a memory keeps of it. */
const readsPayload = ({ parts }: ViewInstance, feedKey: string): boolean =>
  parts.some(({ input, instances }) => input.memory === null && instances.some(({ key }) => key === feedKey))

/** Whether a view has no data, or data that its function has failed to replace: any new payload may change that. */
const isUnbuilt = (to: Draft, { key }: ViewInstance): boolean => {
  const state = to.get<ViewState>(stateKeys.view(key))
  return state === undefined || state.data === null || state.failed !== null
}

/** Folds a poll: the state of its instance, the changes of its items, and the views that read it. */
export const onPoll = (
  index: ViewIndex,
  feeds: ReadonlyMap<string, Feed>,
  state: State,
  event: Envelope<string, unknown>,
  nowMs: number,
): Step => {
  const data = pollDataOf(event)
  if (data === null) return unchanged
  const to = draft(state)
  const poll = pollInState(to, event, data, feeds)
  const { key, brought, good } = poll
  to.set(stateKeys.feed(key), publishChanges(to, poll))
  if (brought !== null) to.set(stateKeys.payload(key), brought.payload, brought.hash)

  const isFailed = "reason" in data || poll.isLost
  const cause: Cause = { rebuild: brought !== null, publishFreshness: !isFailed, nowMs }
  const pollOf = pollFor(poll)
  for (const instance of index.readersOf(key)) {
    const isRemembered = good !== null && remember(to, instance, key, pollOf)
    const isBrought = brought !== null && (readsPayload(instance, key) || isUnbuilt(to, instance))
    refresh(to, instance, { ...cause, rebuild: isRemembered || isBrought })
  }
  try {
    for (const instance of index.demandedBy(data.feed, data.parameters, key)) refresh(to, instance, cause)
    for (const instance of index.demandedReaders(state, data.feed, key)) refresh(to, instance, cause)
  } catch (cause) {
    to.problems.push({ subject: key, problem: `instances: ${String(cause)}` })
  }
  return to.done()
}
