import * as Result from "effect/Result"
import { type Cursor, withSequence } from "../../schemas/change.ts"
import { type Envelope, type EventReader, MalformedEvent, makeEvent, type NewerEvent } from "../../schemas/event.ts"
import type { Json } from "../../schemas/json.ts"
import type { LogRecord, Offset, StoredRecord } from "../../schemas/ports/event-log.ts"
import { freshnessKey, viewBodyText } from "../../schemas/view-record.ts"
import type { Problem, Processor, State, Step } from "../processor.ts"
import {
  type Checkpoint,
  chunkRecord,
  POSITION_VERSION,
  type Position,
  positionKey,
  sealedKey,
  stateKey,
} from "./checkpoint.ts"
import { digestOf, packDigests, rendered, unpackDigests } from "./digest.ts"
import { makePendingCommit, type PendingCommit } from "./pending-commit.ts"
import type { LogValue } from "./stored-values.ts"

/** Digests of one chunk. Until it is full they are part of the position, which each commit writes. */
export const CHUNK_EVENTS = 32

/** One event that was folded, and the rolling digest after it. */
export interface Folded {
  readonly event: Envelope<string, unknown>
  readonly digest: string
  readonly problems: ReadonlyArray<Problem>
  /** The texts of its derived events, in order, without their numbers. */
  readonly derived: ReadonlyArray<string>
}

/** The content of one commit. */
interface Commit {
  /** The changed values, the last of each key. */
  readonly values: ReadonlyArray<LogValue>
  /** Everything else: derived events, sealed digests, the position. */
  readonly records: ReadonlyArray<LogRecord>
  readonly position: Position
  /** Whether a chunk of digests was sealed: a time to remove those of trimmed events. */
  readonly sealed: boolean
}

/** The fold of a processor in progress: its state, and the changes since the last commit. */
export interface Folding {
  /** Folds one record. A failure changes nothing. */
  readonly fold: (record: StoredRecord) => Result.Result<Folded, NewerEvent | MalformedEvent>
  /** Skips offsets without readable records. */
  readonly skipTo: (next: Offset) => void
  /** Gives the changes since the last commit, and starts the next commit. */
  readonly take: () => Commit
  readonly position: () => Position
  readonly state: ReadonlyMap<string, Json>
  readonly pendingEvents: () => number
  /** How much later a record is than the first event of the next commit, in milliseconds of event time; 0 for an unreadable one. */
  readonly laterMs: (record: StoredRecord) => number
  /** Whether the next commit holds more than the position: events that changed nothing may be folded again after a restart. */
  readonly hasChanges: () => boolean
  /** The size of the next commit: see `PendingCommit.wholeUnits`. */
  readonly pendingUnits: () => number
}

const encoder = new TextEncoder()

/** The results of a step, put into the next commit. */
interface AddedStep {
  /** What the digest of the event covers, in order. */
  readonly digested: ReadonlyArray<string>
  /** The texts of the derived events, without their numbers. */
  readonly derived: ReadonlyArray<string>
}

/** Puts the results of a step into the next commit, and its changes into the state. Large values are digested by their own digests. */
const addStep = (
  { name }: Processor,
  generation: number,
  state: FoldState,
  pending: PendingCommit,
  { event, eventBytes }: EventRead,
  step: Step,
  nextNumber: () => Cursor | null,
): AddedStep => {
  const digested: Array<string> = []
  for (const [key, value, stamp] of step.state ?? []) {
    const before = state.get(key)
    state.set(key, value)
    const text = value === null ? null : stamp === undefined ? JSON.stringify(value) : undefined
    pending.set({ topic: "checkpoints", key: stateKey(name, generation, key), value, text, before }, eventBytes)
    digested.push(key, stamp ?? text ?? "")
  }
  const setView = (key: string, text: string | null, mark: string) => {
    pending.set({ topic: "views", key, value: null, text }, eventBytes)
    digested.push(key, mark)
  }
  for (const { key, body, freshness } of step.views ?? []) {
    if (body === null) setView(key, null, "")
    else if (body !== undefined) {
      const data = rendered(body.data)
      setView(key, viewBodyText(body, data.text), `${body.changedAt} ${data.digest}`)
    }
    if (freshness !== undefined) {
      const text = freshness === null ? null : JSON.stringify(freshness)
      setView(freshnessKey(key), text, text ?? "")
    }
  }
  const derived = (step.events ?? []).map(({ type, subject, data }, index) => {
    const id = `${event.id}/${name}/${index}`
    const text = JSON.stringify(makeEvent(type, { id, source: event.source, subject, time: event.time, data }))
    const number = nextNumber()
    pending.add({
      topic: type.topic,
      key: type.type,
      value: encoder.encode(number === null ? text : withSequence(text, number)),
    })
    return text
  })
  return { digested: [...digested, ...derived], derived }
}

/**
 * Starts a fold from a checkpoint. It applies the step to each event, collects the content of the next commit (the last
 * value of each key), and rolls a digest over all results of the step: two builds that differ anywhere have different
 * digests from the event on at which they first differ.
 * The numbers of changes are no results of a step: they are counted from the checkpoint's on, and a fold that begins without
 * one gives none.
 */
export const makeFolding = (
  processor: Processor,
  reader: EventReader,
  checkpoint: Pick<Checkpoint, "position" | "state">,
): Folding => {
  const { name } = processor
  const { generation, derivedFrom } = checkpoint.position
  const state = makeFoldState(checkpoint.state)
  let { since, next, nowMs, count, lastEventId, digest, lastChange } = checkpoint.position
  let tail = [...unpackDigests(checkpoint.position.tail)]

  const pending = makePendingCommit()
  let pendingEvents = 0
  let pendingSinceMs = 0
  let isSealed = false

  const nextNumber = (): Cursor | null => {
    if (lastChange !== null) lastChange = { log: lastChange.log, ordinal: lastChange.ordinal + 1 }
    return lastChange
  }

  /** The record that was looked at last: it is not read again to fold it. */
  let ahead: { readonly record: StoredRecord; readonly read: ReturnType<typeof eventOf> } | null = null
  const readOf = (record: StoredRecord): ReturnType<typeof eventOf> => {
    if (ahead?.record !== record) ahead = { record, read: eventOf(reader, record) }
    return ahead.read
  }

  const fold: Folding["fold"] = (record) => {
    const read = readOf(record)
    ahead = null
    if (Result.isFailure(read)) return Result.fail(read.failure)
    const { event, timeMs } = read.success
    nowMs = Math.max(nowMs, timeMs)
    if (pendingEvents === 0) pendingSinceMs = nowMs
    const step = processor.step(state, event, nowMs)
    const { digested, derived } = addStep(processor, generation, state, pending, read.success, step, nextNumber)

    digest = digestOf([digest, event.id, ...digested].join("\n"))
    tail.push(digest)
    since ??= record.offset
    next = record.offset + 1
    count += 1
    if (tail.length === CHUNK_EVENTS) {
      const chunk = { ordinal: count - CHUNK_EVENTS, next, digests: packDigests(tail) }
      pending.add(chunkRecord(name, generation, chunk))
      isSealed = true
      tail = []
    }
    lastEventId = event.id
    pendingEvents += 1
    return Result.succeed({ event, digest, problems: step.problems ?? [], derived })
  }

  const position = (): Position => ({
    v: POSITION_VERSION,
    topic: processor.topic,
    generation,
    since,
    derivedFrom,
    lastChange,
    next,
    nowMs,
    count,
    lastEventId,
    digest,
    tail: packDigests(tail),
  })

  const take = (): Commit => {
    const reached = position()
    const sealed = isSealed
    const control = (key: string, text: string): LogRecord => ({
      topic: "checkpoints",
      key,
      value: encoder.encode(text),
    })
    const { values, records } = pending.take()
    pendingEvents = 0
    isSealed = false
    return {
      values,
      records: [
        ...records,
        ...(sealed ? [control(sealedKey(name, generation), "{}")] : []),
        control(positionKey(name), JSON.stringify(reached)),
      ],
      position: reached,
      sealed,
    }
  }

  return {
    fold,
    skipTo: (to) => {
      next = Math.max(next, to)
    },
    take,
    position,
    state: state.entries,
    pendingEvents: () => pendingEvents,
    laterMs: (record) => {
      if (pendingEvents === 0) return 0
      const read = readOf(record)
      return Result.isFailure(read) ? 0 : Math.max(0, read.success.timeMs - pendingSinceMs)
    },
    hasChanges: () => !pending.isEmpty(),
    pendingUnits: pending.wholeUnits,
  }
}

/** The event of a record, its time in milliseconds since the epoch, and its size. */
interface EventRead {
  readonly event: Envelope<string, unknown>
  readonly timeMs: number
  readonly eventBytes: number
}

const eventOf = (reader: EventReader, record: StoredRecord): Result.Result<EventRead, NewerEvent | MalformedEvent> => {
  if (record.value === null) return Result.fail(new MalformedEvent({ problem: `offset ${record.offset} is empty` }))
  const read = reader.readEvent(record.value)
  if (Result.isFailure(read)) return Result.fail(read.failure)
  const timeMs = Date.parse(read.success.time)
  return Number.isFinite(timeMs)
    ? Result.succeed({ event: read.success, timeMs, eventBytes: record.value.length })
    : Result.fail(new MalformedEvent({ problem: `offset ${record.offset} has no time` }))
}

/** The state of a fold in progress. */
interface FoldState extends State {
  readonly entries: ReadonlyMap<string, Json>
  /** Sets the value of a key; `null` removes the key. */
  readonly set: (key: string, value: Json | null) => void
}

/** The first segment of a key or of a prefix, with its slash; null where it has none. */
const groupOf = (text: string): string | null => {
  const end = text.indexOf("/")
  return end === -1 ? null : text.slice(0, end + 1)
}

/** Makes a state from that of a checkpoint. Keys are grouped by their first segment: `keys` visits those of one group. */
export const makeFoldState = (from: ReadonlyMap<string, Json>): FoldState => {
  const entries = new Map<string, Json>()
  const groups = new Map<string, Set<string>>()
  const state: FoldState = {
    entries,
    get: (key) => entries.get(key),
    keys: (prefix) => {
      const group = groupOf(prefix)
      const keys = group === null ? entries.keys() : (groups.get(group) ?? [])
      return [...keys].filter((key) => key.startsWith(prefix)).sort()
    },
    set: (key, value) => {
      const group = groupOf(key)
      if (value === null) {
        entries.delete(key)
        if (group !== null) groups.get(group)?.delete(key)
        return
      }
      entries.set(key, value)
      if (group === null) return
      const keys = groups.get(group)
      if (keys === undefined) groups.set(group, new Set([key]))
      else keys.add(key)
    },
  }
  for (const [key, value] of from) state.set(key, value)
  return state
}
