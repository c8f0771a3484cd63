import { Result } from "effect"
import { type Envelope, type EventReader, MalformedEvent, makeEvent, type NewerEvent } from "../schemas/event.ts"
import type { Json } from "../schemas/json.ts"
import type { LogRecord, Offset, StoredRecord } from "../schemas/ports/event-log.ts"
import type { Topic } from "../schemas/topics.ts"
import { freshnessKey, type ViewBody } from "../schemas/view-record.ts"
import { type Checkpoint, type Position, positionKey, sealedKey, stateKey } from "./checkpoint.ts"
import { digestOf, packDigests, unpackDigests } from "./digest.ts"
import { chunkRecord } from "./digest-chunks.ts"
import { type Problem, type Processor, stateIn } from "./processor.ts"
import { rendered } from "./rendered.ts"

/** Digests that a chunk holds: until it is full, a chunk is written again with each commit, inside the position. */
export const CHUNK_EVENTS = 256

/** One event that was folded, and the rolling digest after it. */
export interface Folded {
  readonly event: Envelope<string, unknown>
  readonly digest: string
  readonly problems: ReadonlyArray<Problem>
  /** The texts of the events that it derived, in order. */
  readonly derived: ReadonlyArray<string>
}

/** What a batch has made: the records of one commit. */
export interface Commit {
  readonly records: ReadonlyArray<LogRecord>
  readonly position: Position
  /** A chunk of digests was sealed: a moment to ask which are still needed. */
  readonly sealed: boolean
}

/** A processor on its way through its topic: its state, and what has changed since the last commit. */
export interface Folding {
  /** Folds one record. A failure leaves everything as it was: the fold stops there. */
  readonly fold: (record: StoredRecord) => Result.Result<Folded, NewerEvent | MalformedEvent>
  /** Goes past offsets that hold nothing for readers. */
  readonly skipTo: (next: Offset) => void
  /** The records of one commit for everything since the last one. */
  readonly take: () => Commit
  readonly position: () => Position
  readonly state: ReadonlyMap<string, Json>
  readonly pendingEvents: () => number
  /** Bytes (UTF-16 units, near enough for a bound) that the next commit holds. */
  readonly pendingBytes: () => number
}

const encoder = new TextEncoder()

/**
 * Starts a fold where a checkpoint stands. One event after another, it applies the step, keeps the texts that the next
 * commit writes (the last of each key), and rolls the digest over everything that the step has said, so that two builds
 * which differ anywhere differ in the digest of the event where it began.
 */
export const makeFolding = (
  processor: Processor,
  reader: EventReader,
  checkpoint: Pick<Checkpoint, "position" | "state">,
): Folding => {
  const { name } = processor
  const { generation, toldFrom } = checkpoint.position
  const state = new Map(checkpoint.state)
  let { since, next, nowMs, count, lastEventId, digest } = checkpoint.position
  let tail = [...unpackDigests(checkpoint.position.tail)]

  let pendingEvents = 0
  let pendingBytes = 0
  let pendingState = new Map<string, Json | null>()
  let pendingViews = new Map<string, string | null>()
  let pendingDerived: Array<{ readonly topic: Topic; readonly key: string; readonly text: string }> = []
  let pendingChunks: Array<LogRecord> = []

  const view = stateIn(state)

  const fold: Folding["fold"] = (record) => {
    const read = eventOf(reader, record)
    if (Result.isFailure(read)) return Result.fail(read.failure)
    const { event, timeMs } = read.success
    nowMs = Math.max(nowMs, timeMs)
    const step = processor.step(view, event, nowMs)

    // What the digest covers is what the commit writes, in the order in which the step has said it; large values are
    // covered by their own digests.
    const said: Array<string> = [digest, event.id]
    for (const [key, value, stamp] of step.state ?? []) {
      if (value === null) state.delete(key)
      else state.set(key, value)
      pendingState.set(key, value)
      const text = stamp ?? (value === null ? "" : JSON.stringify(value))
      said.push(key, text)
      pendingBytes += key.length + (stamp === undefined ? text.length : (record.value?.length ?? 0))
    }
    const show = (key: string, text: string | null, mark: string) => {
      pendingViews.set(key, text)
      said.push(key, mark)
      pendingBytes += key.length + (text?.length ?? 0)
    }
    for (const { key, body, freshness } of step.views ?? []) {
      if (body === null) show(key, null, "")
      else if (body !== undefined) {
        const data = rendered(body.data)
        show(key, bodyText(body, data.text), `${body.changedAt} ${data.digest}`)
      }
      if (freshness !== undefined) {
        const text = freshness === null ? null : JSON.stringify(freshness)
        show(freshnessKey(key), text, text ?? "")
      }
    }
    const derived: Array<string> = []
    for (const [index, { type, subject, data }] of (step.events ?? []).entries()) {
      const text = JSON.stringify(
        makeEvent(type, {
          id: `${event.id}/${name}/${index}`,
          source: event.source,
          subject,
          time: event.time,
          data,
        }),
      )
      pendingDerived.push({ topic: type.topic, key: type.type, text })
      derived.push(text)
      said.push(text)
      pendingBytes += text.length
    }

    digest = digestOf(said.join("\n"))
    tail.push(digest)
    since ??= record.offset
    next = record.offset + 1
    count += 1
    if (tail.length === CHUNK_EVENTS) {
      const chunk = { ordinal: count - CHUNK_EVENTS, next, digests: packDigests(tail) }
      pendingChunks.push(chunkRecord(name, generation, chunk))
      tail = []
    }
    lastEventId = event.id
    pendingEvents += 1
    return Result.succeed({ event, digest, problems: step.problems ?? [], derived })
  }

  const position = (): Position => ({
    v: 4,
    topic: processor.topic,
    generation,
    since,
    toldFrom,
    next,
    nowMs,
    count,
    lastEventId,
    digest,
    tail: packDigests(tail),
  })

  const take = (): Commit => {
    const record = (topic: Topic, key: string, text: string | null): LogRecord => ({
      topic,
      key,
      value: text === null ? null : encoder.encode(text),
    })
    const reached = position()
    const sealed = pendingChunks.length > 0
    const records = [
      ...[...pendingViews].map(([key, text]) => record("views", key, text)),
      ...pendingDerived.map(({ topic, key, text }) => record(topic, key, text)),
      ...[...pendingState].map(([key, value]) =>
        record("checkpoints", stateKey(name, generation, key), value === null ? null : JSON.stringify(value)),
      ),
      ...(sealed ? [record("checkpoints", sealedKey(name, generation), "{}")] : []),
      ...pendingChunks,
      record("checkpoints", positionKey(name), JSON.stringify(reached)),
    ]
    pendingEvents = 0
    pendingBytes = 0
    pendingState = new Map()
    pendingViews = new Map()
    pendingDerived = []
    pendingChunks = []
    return { records, position: reached, sealed }
  }

  return {
    fold,
    skipTo: (to) => {
      next = Math.max(next, to)
    },
    take,
    position,
    state,
    pendingEvents: () => pendingEvents,
    pendingBytes: () => pendingBytes,
  }
}

/** The text of a body, around the text of its data: member for member what `JSON.stringify` says. */
const bodyText = ({ v, changedAt }: ViewBody, data: string): string =>
  `{"v":${v},"changedAt":${JSON.stringify(changedAt)},"data":${data}}`

/** The event of a record and its time, in milliseconds since the epoch. */
const eventOf = (
  reader: EventReader,
  record: StoredRecord,
): Result.Result<
  { readonly event: Envelope<string, unknown>; readonly timeMs: number },
  NewerEvent | MalformedEvent
> => {
  if (record.value === null) return Result.fail(new MalformedEvent({ problem: `offset ${record.offset} is empty` }))
  const read = reader.readEvent(record.value)
  if (Result.isFailure(read)) return Result.fail(read.failure)
  const timeMs = Date.parse(read.success.time)
  return Number.isFinite(timeMs)
    ? Result.succeed({ event: read.success, timeMs })
    : Result.fail(new MalformedEvent({ problem: `offset ${record.offset} has no time` }))
}
