import { createHash } from "node:crypto"
import * as Result from "effect/Result"
import { type DataOf, type Envelope, type EventReader, encodeEvent, instant, makeEvent } from "../../schemas/event.ts"
import {
  clockTicked,
  type FailureReason,
  feedFailed,
  feedObserved,
  feedsDeclared,
  feedUnchanged,
  type RestReason,
  viewDemanded,
} from "../../schemas/events/observations.ts"
import { instanceKey } from "../../schemas/feed.ts"
import { canonicalJson, type Json } from "../../schemas/json.ts"
import type { FeedState } from "../feed-state.ts"
import type { Problem, Processor } from "../processor.ts"
import { type Checkpoint, firstPosition, parsePosition, positionKey, stateKey } from "../run/checkpoint.ts"
import { makeFolding } from "../run/folding.ts"

/** An event of the log without its id, which the bench assigns. */
export type GivenEvent = (id: string) => Envelope<string, unknown>

const given =
  (type: Parameters<typeof makeEvent>[0], atMs: number, data: unknown): GivenEvent =>
  (id) =>
    makeEvent(type, { id, source: "test/ingest", subject: "test", time: instant(atMs), data })

// Cast to the general type: the helpers below give each event type its data.
const general = (type: unknown) => type as Parameters<typeof makeEvent>[0]

interface Poll {
  readonly parameters?: Readonly<Record<string, string>>
  readonly provider?: string
  readonly standsInFor?: string
  readonly freshForMs?: number
  readonly contentAtMs?: number
  readonly simulated?: true
}

const confirmation = (atMs: number, feed: string, hash: string, poll: Poll) => ({
  feed,
  parameters: poll.parameters ?? {},
  provider: poll.provider ?? (feed === "things" ? "A.things" : `B.${feed}`),
  latencyMs: 7,
  hash,
  contentAt: poll.contentAtMs === undefined ? null : instant(poll.contentAtMs),
  freshUntil: instant(atMs + (poll.freshForMs ?? 120_000)),
  standsInFor: poll.standsInFor ?? null,
  ...(poll.simulated === undefined ? {} : { simulated: poll.simulated }),
})

/** A poll with a new payload. */
export const observed = (atMs: number, feed: string, payload: Json, poll: Poll = {}): GivenEvent => {
  const hash = createHash("sha256").update(canonicalJson(payload)).digest("hex")
  return given(general(feedObserved), atMs, { ...confirmation(atMs, feed, hash, poll), payload })
}

/** A poll with an unchanged payload: `fold` fills in the hash of the current one. */
export const unchangedPoll = (atMs: number, feed: string, poll: Poll = {}): GivenEvent =>
  given(general(feedUnchanged), atMs, confirmation(atMs, feed, "0".repeat(64), poll))

/** A poll that failed. */
export const failed = (
  atMs: number,
  feed: string,
  reason: FailureReason,
  message: string,
  poll: Poll = {},
): GivenEvent => {
  const { parameters, provider, latencyMs } = confirmation(atMs, feed, "", poll)
  return given(general(feedFailed), atMs, { feed, parameters, provider, latencyMs, reason, message })
}

/** The ingest role has started. */
export const declared = (
  atMs: number,
  feeds: ReadonlyArray<{
    readonly feed: string
    readonly provider: string
    readonly parameters?: Readonly<Record<string, string>>
    readonly rests?: RestReason
  }>,
): GivenEvent =>
  given(general(feedsDeclared), atMs, {
    feeds: feeds.map((one) => ({ parameters: {}, rests: null, ...one })),
  })

/** A view on demand was requested. */
export const demanded = (atMs: number, path: string, parameters: Readonly<Record<string, string>>): GivenEvent =>
  given(general(viewDemanded), atMs, { path, parameters })

/** A tick of event time. */
export const tick = (atMs: number): GivenEvent => given(general(clockTicked), atMs, {})

/** The records of the log after the commits so far. */
export interface CommittedRecords {
  readonly views: Map<string, string>
  readonly checkpoints: Map<string, string>
  readonly derived: Array<string>
}

/** Folds events with a processor, without a log, and collects its commits. */
export interface FoldingBench {
  readonly fold: (...events: ReadonlyArray<GivenEvent>) => void
  readonly encoded: (event: GivenEvent) => Envelope<string, unknown>
  /** The record of `views` under this key, parsed; undefined if there is none. */
  readonly view: (key: string) => unknown
  readonly derived: () => ReadonlyArray<Envelope<string, unknown>>
  readonly problems: () => ReadonlyArray<Problem>
  readonly stateKeys: () => ReadonlyArray<string>
  /** Keys of `views` written since `forgetWrites`, sorted. */
  readonly written: () => ReadonlyArray<string>
  readonly forgetWrites: () => void
  /** Commits, and gives the state from which another process would start. */
  readonly checkpoint: () => CommittedRecords
  /** Every byte that the log would hold, digests included. */
  readonly everything: () => object
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()
const GENERATION = 1

const restored = (
  { name, topic }: Processor,
  { checkpoints }: CommittedRecords,
): Pick<Checkpoint, "position" | "state"> => {
  const stored = checkpoints.get(positionKey(name))
  const own = stateKey(name, GENERATION, "")
  const state = [...checkpoints].filter(([key]) => key.startsWith(own) && !key.startsWith(`${own}#`))
  return {
    position:
      (stored === undefined ? null : parsePosition(encoder.encode(stored))) ?? firstPosition(topic, GENERATION, 0),
    state: new Map(state.map(([key, text]): [string, Json] => [key.slice(own.length), JSON.parse(text)])),
  }
}

/** Makes a bench that starts from the commits of another one. */
export const foldingBench = (
  processor: Processor,
  reader: EventReader,
  kept: CommittedRecords = { views: new Map(), checkpoints: new Map(), derived: [] },
): FoldingBench => {
  const folding = makeFolding(processor, reader, restored(processor, kept))
  const problems: Array<Problem> = []
  const written = new Set<string>()
  const commit = () => {
    if (folding.pendingEvents() === 0) return
    const { values, records } = folding.take()
    for (const { topic, key, text } of values) {
      if (topic === "views") written.add(key)
      if (text === null) kept[topic].delete(key)
      else kept[topic].set(key, text)
    }
    for (const { topic, key, value } of records) {
      const text = decoder.decode(value ?? undefined)
      if (topic === "deltas") kept.derived.push(text)
      else kept.checkpoints.set(key, text)
    }
  }
  const committed = (): CommittedRecords => {
    commit()
    return kept
  }
  /** The event; an unchanged poll with the hash of the current payload. */
  const asNow = (event: GivenEvent): Envelope<string, unknown> => {
    const made = event(`e${folding.position().count}`)
    if (made.type !== feedUnchanged.type) return made
    const data = made.data as DataOf<typeof feedUnchanged>
    const held = folding.state.get(`feed/${instanceKey(data.feed, data.parameters)}`) as FeedState | undefined
    return { ...made, data: { ...data, hash: held?.good?.hash ?? data.hash } }
  }
  return {
    fold: (...events) => {
      for (const event of events) {
        const offset = folding.position().count
        const folded = folding.fold({ offset, key: "", value: encodeEvent(asNow(event)) })
        if (Result.isFailure(folded)) throw folded.failure
        problems.push(...folded.success.problems)
      }
    },
    encoded: asNow,
    view: (key) => {
      const text = committed().views.get(key)
      return text === undefined ? undefined : JSON.parse(text)
    },
    derived: () => committed().derived.map((text) => JSON.parse(text)),
    problems: () => problems,
    stateKeys: () => [...folding.state.keys()],
    written: () => {
      commit()
      return [...written].sort()
    },
    forgetWrites: () => {
      commit()
      written.clear()
    },
    checkpoint: committed,
    everything: () => {
      const { views, checkpoints, derived } = committed()
      return { views: [...views].sort(), checkpoints: [...checkpoints].sort(), derived }
    },
  }
}

/** Everything that the log would hold after these events, with a restart after each event whose `cuts` is true. */
export const foldedInPieces = (
  processor: Processor,
  reader: EventReader,
  events: ReadonlyArray<GivenEvent>,
  cuts: ReadonlyArray<boolean>,
): object => {
  let piece = foldingBench(processor, reader)
  for (const [index, event] of events.entries()) {
    piece.fold(event)
    // The next process starts from the commits only.
    if (cuts[index] === true) piece = foldingBench(processor, reader, piece.checkpoint())
  }
  return piece.everything()
}
