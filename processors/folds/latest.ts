import { clockTicked, feedsDeclared, viewDemanded } from "../../schemas/events/observations.ts"
import type { Feed } from "../../schemas/feed.ts"
import { feeds as everyFeed } from "../../schemas/registry.ts"
import { onDeclared } from "../latest/on-declared.ts"
import { onDemanded } from "../latest/on-demanded.ts"
import { onPoll } from "../latest/on-poll.ts"
import { onTick } from "../latest/on-tick.ts"
import { restated } from "../latest/refresh.ts"
import { draft, stateKeys } from "../latest/state.ts"
import { type ViewIndex, viewIndex } from "../latest/view-index.ts"
import { type Processor, processor, type State } from "../processor.ts"
import { views as everyView } from "../registry.ts"
import type { View } from "../view/view.ts"

/** Messages about memories that begin empty although their feed was observed before: they are new in this release. */
const emptyMemories = ({ memories }: ViewIndex, state: State): ReadonlyArray<string> =>
  [...memories].flatMap(([memory, feedKeys]) =>
    feedKeys.every((key) => state.get(stateKeys.payload(key)) === undefined) ||
    state.get(stateKeys.memory(memory)) !== undefined
      ? []
      : [`the memory ${memory} begins empty`],
  )

/**
 * The fold that keeps the latest of everything: readings of feeds, the views over them, and the changes of items. A view
 * whose function throws keeps its last body, and its freshness says so; the fold itself never fails.
 */
export const makeLatest = (views: ReadonlyArray<View>, feeds: ReadonlyMap<string, Feed>): Processor => {
  const index = viewIndex(views)
  return processor({
    name: "latest",
    step: (state, event, nowMs) => {
      if (event.type === clockTicked.type) return onTick(index, state, nowMs)
      if (event.type === feedsDeclared.type) return onDeclared(index, state, event, nowMs)
      if (event.type === viewDemanded.type) return onDemanded(index, state, event, nowMs)
      return onPoll(index, feeds, state, event, nowMs)
    },
    restate: (state, viewKey, nowMs) => {
      const instance = index.instanceOf(viewKey)
      return instance === null ? null : restated(draft(state), instance, nowMs)
    },
    missingState: (state) => emptyMemories(index, state),
  })
}

export default makeLatest(everyView, everyFeed)
