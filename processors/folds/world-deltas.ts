import { proWorldDeltasEndpoint } from "../../schemas/endpoints/pro-world-deltas.ts"
import type { DataOf, Envelope } from "../../schemas/event.ts"
import { clockTicked, feedsDeclared } from "../../schemas/events/observations.ts"
import { instanceKey } from "../../schemas/feed.ts"
import type { Json } from "../../schemas/json.ts"
import { afterPoll, type FeedState, type PollData, payloadOf, pollDataOf } from "../feed-state.ts"
import { processor, type State, type Step, unchanged } from "../processor.ts"
import { learnMarkets } from "../world-deltas/markets.ts"
import { type KnownItems, type Learnt, learnQuakes, learnStories } from "../world-deltas/news.ts"
import { inputs, isDue, learn, publish, publishFreshness } from "../world-deltas/publish.ts"
import { type DeltasDraft, deltasDraft, stateKeys } from "../world-deltas/state.ts"

/** Reads the news of a payload into the step; gives whether there was any. */
type Learner = (to: DeltasDraft, payload: Json, nowMs: number) => boolean

const learner =
  <Item, Fact>(
    input: string,
    from: (items: ReadonlyArray<Item>, known: KnownItems<Fact> | undefined, nowMs: number) => Learnt<KnownItems<Fact>>,
  ): Learner =>
  (to, payload, nowMs) => {
    // A payload of this input's feed, decoded when it was logged.
    const { items } = payload as unknown as { readonly items: ReadonlyArray<Item> }
    const { news, known } = from(items, to.get(stateKeys.known(input)), nowMs)
    to.set(stateKeys.known(input), known)
    learn(to, news, nowMs)
    return news.length > 0
  }

/** The inputs whose items can be news. */
const learners: Readonly<Record<string, Learner>> = {
  quakes: learner("quakes", learnQuakes),
  frontPage: learner("frontPage", learnStories),
  markets: learner("markets", learnMarkets),
}

/** Whether a payload brings something to publish. One that cannot be read is a problem; the next one is read again. */
const brings = (to: DeltasDraft, input: string, payload: Json, isNew: boolean, nowMs: number): boolean => {
  try {
    // An unchanged payload is read too: a market that moved within five minutes of its last event is news after them.
    return learners[input]?.(to, payload, nowMs) ?? isNew
  } catch (cause) {
    to.problems.push({ subject: `world-deltas/${input}`, problem: String(cause) })
    return false
  }
}

const onPoll = (to: DeltasDraft, event: Envelope<string, unknown>, data: PollData, nowMs: number): void => {
  const key = instanceKey(data.feed, data.parameters)
  const input = inputs.find((one) => one.key === key)
  if (input === undefined) return
  const before = to.get<FeedState>(stateKeys.feed(key))
  const standing = to.get<Json>(stateKeys.payload(key))
  const hash = before?.good?.hash
  const after = payloadOf(event, standing === undefined || hash === undefined ? null : { payload: standing, hash })
  const isLost = after._tag === "Lost"
  to.set(stateKeys.feed(key), afterPoll(before, data, event.time, isLost))
  if (after._tag === "Brought") to.set(stateKeys.payload(key), after.payload, after.hash)
  publishFreshness(to)

  const good = "reason" in data || isLost ? undefined : after._tag === "Brought" ? after.payload : standing
  if (good === undefined) return
  if (brings(to, input.name, good, after._tag === "Brought", nowMs)) publish(to, nowMs)
}

const onDeclared = (to: DeltasDraft, { feeds }: DataOf<typeof feedsDeclared>): void => {
  to.set(
    stateKeys.declared,
    Object.fromEntries(
      feeds.flatMap(({ feed, parameters, provider, rests }) => {
        const key = instanceKey(feed, parameters)
        return inputs.some((one) => one.key === key) ? [[key, { provider, rests }]] : []
      }),
    ),
  )
  publishFreshness(to)
}

const step = (state: State, event: Envelope<string, unknown>, nowMs: number): Step => {
  const data = pollDataOf(event)
  if (data === null && event.type !== clockTicked.type && event.type !== feedsDeclared.type) return unchanged
  const to = deltasDraft(state)
  if (event.type === feedsDeclared.type) onDeclared(to, event.data as DataOf<typeof feedsDeclared>)
  if (data !== null) onPoll(to, event, data, nowMs)
  if (isDue(to, nowMs)) publish(to, nowMs)
  return to.done()
}

/**
 * Learns the events of the world: what is new in the feeds of earthquakes, stories and prediction markets, each once and in
 * a strict order of time, and the launches that are near. Event time gives the timestamps, so a rebuild gives equal bytes.
 * The first payload of a feed is a backlog. The view is published with each event and once in each minute of event time.
 */
export default processor({ name: "world-deltas", publishes: [proWorldDeltasEndpoint.path], step })
