import { type DataOf, type Envelope, type EventOf, encodeEvent, instant, makeEvent } from "../schemas/event.ts"
import { feedFailed, feedObserved, feedPatched, feedUnchanged } from "../schemas/events/observations.ts"
import { documentQuarantined } from "../schemas/events/quarantine.ts"
import type { Json } from "../schemas/json.ts"
import { type ItemIndex, partsOf } from "../schemas/list-patch.ts"
import type { LogRecord } from "../schemas/ports/event-log.ts"
import { type InstanceCheckpoint, instanceRecord } from "./checkpoint.ts"
import type { Undecoded } from "./collect.ts"
import { AHEAD_MAX_MS } from "./instants.ts"
import type { Instance } from "./plan.ts"
import type { Polled, Success } from "./poll.ts"
import { freshUntilMs, nextDueMs, nextTryMs } from "./schedule.ts"

/** The longest `problem` and `message` that events hold, in characters. */
const WORDS_LENGTH_MAX = 1000
/** Characters of the day in an ISO instant. */
const DAY_LENGTH = 10
/**
 * An instance fetched on request is told whole again after this time: whoever folds has forgotten it by then, or will
 * before long.
 */
const DEMANDED_TOLD_WHOLE_AFTER_MS = 6 * 3_600_000

/** Patches after which a list is logged whole again, so that a reader need not go far back. */
const PATCHES_MAX = 200
/** A patch is logged where it has less than this share of the bytes of its payload. */
const PATCH_SHARE_MAX = 0.5

/** The list that was committed last, as the next one is compared with it. Of this process alone: never restored. */
export interface PatchBase {
  readonly hash: string
  readonly index: ItemIndex
  /** Text of what is said of the list as a whole. */
  readonly facts: string
  /** Patches since the list was logged whole. */
  readonly patches: number
  /** The day (UTC, `YYYY-MM-DD`) on which it was logged whole. */
  readonly wholeOn: string
}

/** What settling needs besides the poll. Time, ids and chance come in as data. */
export interface Settling {
  /** The time of the events: the end of the poll, in milliseconds since the epoch. */
  readonly timeMs: number
  readonly beganMs: number
  /** In [0, 1). */
  readonly random: number
  readonly newId: () => string
  /** Whether the instance is polled on schedule; else it is fetched on request only. */
  readonly scheduled: boolean
  /** The list that this process committed last; null where it holds none. */
  readonly base?: PatchBase | null
  /** Which of the documents that did not decode are to be put aside. */
  readonly quarantine: (undecoded: Undecoded & { readonly provider: string }) => boolean
}

/** What a poll makes of the log: one commit. */
export interface Settled {
  readonly records: ReadonlyArray<LogRecord>
  readonly checkpoint: InstanceCheckpoint
  /** The observation with its payload, also where the log is told only that nothing has changed; null without one. */
  readonly observation: EventOf<typeof feedObserved> | null
  /** `observed`, `patched`, `unchanged`, or the reason of the failure. */
  readonly outcome: string
  /** What the next list is compared with; null where the next one is logged whole. */
  readonly base: PatchBase | null
}

const record = (topic: "observations" | "quarantine", key: string, event: Envelope<string, unknown>): LogRecord => ({
  topic,
  key,
  value: encodeEvent(event),
})

/**
 * The upstream's time of its content, where it can be one. Shortly ahead of our clock it is taken for now. A time further
 * ahead would renew itself at each poll and make a frozen upstream look fresh for ever: the last known time stays.
 */
const contentTime = (contentAtMs: number | null, lastMs: number | null, timeMs: number): number | null => {
  if (contentAtMs === null || !Number.isFinite(contentAtMs) || contentAtMs < 0) return null
  return contentAtMs > timeMs + AHEAD_MAX_MS ? lastMs : Math.min(contentAtMs, timeMs)
}

/** Until when a success is fresh. Without a known time of content that came with an impossible one, it never was. */
const freshUntil = (
  instance: Instance,
  claimedMs: number | null,
  contentAtMs: number | null,
  timeMs: number,
): number => {
  const contentAgeMaxMs = instance.feed.contentAgeMaxMs(instance.parameters)
  const isImpossible = claimedMs !== null && claimedMs > timeMs + AHEAD_MAX_MS && contentAtMs === null
  return isImpossible && contentAgeMaxMs !== null
    ? timeMs
    : freshUntilMs(instance.everyMs, timeMs, contentAtMs, contentAgeMaxMs)
}

const instantOrNull = (ms: number | null): string | null => (ms === null ? null : instant(ms))

type Confirmation = Omit<DataOf<typeof feedObserved>, "payload">

const isListPayload = (payload: Json): payload is { readonly items: ReadonlyArray<Json>; readonly facts: Json } =>
  typeof payload === "object" && payload !== null && "items" in payload && Array.isArray(payload.items)

/** A new list as a patch of the one before, where that is much smaller, and what the next list is compared with. */
const patched = (
  instance: Instance,
  { payload, payloadBytes, hash }: Success,
  before: PatchBase | null,
  confirmation: Confirmation,
  today: string,
): { readonly data: DataOf<typeof feedPatched> | null; readonly base: PatchBase | null } => {
  if (instance.feed.list === null || !isListPayload(payload)) return { data: null, base: null }
  const { parts, index } = partsOf(before?.index ?? new Map(), payload.items)
  const facts = JSON.stringify(payload.facts)
  const whole: PatchBase = { hash, index, facts, patches: 0, wholeOn: today }
  if (before === null || before.patches >= PATCHES_MAX || before.wholeOn !== today) return { data: null, base: whole }
  const data = {
    ...confirmation,
    base: before.hash,
    parts,
    ...(facts === before.facts ? {} : { facts: payload.facts }),
  }
  return JSON.stringify(parts).length < payloadBytes * PATCH_SHARE_MAX
    ? { data, base: { ...whole, patches: before.patches + 1, wholeOn: before.wholeOn } }
    : { data: null, base: whole }
}

/** Turns the outcome of a poll into events and the instance's next checkpoint. Pure. */
export const settle = (
  instance: Instance,
  before: InstanceCheckpoint | null,
  { outcome, latencyMs, undecoded }: Polled,
  { timeMs, beganMs, random, newId, scheduled, quarantine, base = null }: Settling,
): Settled => {
  const { feed, parameters, key, everyMs } = instance
  const time = instant(timeMs)
  const envelope = (source: string) => ({ id: newId(), source: `ingest/${source}`, subject: key, time })
  const attempt = { feed: feed.name, parameters, provider: outcome.candidate.provider, latencyMs }
  const sourceName = outcome.candidate.source.name

  const asides = undecoded.filter(quarantine).map(({ provider, problem, document, body, bodyBytes }) =>
    record(
      "quarantine",
      key,
      makeEvent(documentQuarantined, {
        ...envelope(sourceName),
        data: {
          feed: feed.name,
          parameters,
          provider,
          document,
          problem: problem.slice(0, WORDS_LENGTH_MAX),
          body,
          bodyBytes,
        },
      }),
    ),
  )

  if (outcome._tag === "Failure" || (outcome._tag === "NothingNew" && (before?.last ?? null) === null)) {
    const failures = (before?.failures ?? 0) + 1
    const reason = outcome._tag === "Failure" ? outcome.reason : "status"
    const message = outcome._tag === "Failure" ? outcome.message : "nothing new, where there was nothing yet"
    const checkpoint: InstanceCheckpoint = {
      v: 1,
      polledAt: time,
      dueAt: instant(
        nextTryMs(everyMs, timeMs, failures, outcome._tag === "Failure" ? outcome.retryAfterMs : null, random),
      ),
      failures,
      last: before?.last ?? null,
    }
    const event = makeEvent(feedFailed, {
      ...envelope(sourceName),
      data: { ...attempt, reason, message: message.slice(0, WORDS_LENGTH_MAX) },
    })
    return {
      records: [record("observations", key, event), ...asides, ...(scheduled ? [instanceRecord(key, checkpoint)] : [])],
      checkpoint,
      observation: null,
      outcome: reason,
      base,
    }
  }

  const last = before?.last ?? null
  const fresh: Pick<Success, "hash" | "validators"> & { readonly contentAtMs: number | null } =
    outcome._tag === "Success"
      ? outcome
      : {
          hash: last?.hash ?? "",
          validators: last?.validators ?? null,
          contentAtMs: last === null || last.contentAt === null ? null : Date.parse(last.contentAt),
        }
  const lastContentAtMs = last === null || last.contentAt === null ? null : Date.parse(last.contentAt)
  const contentAtMs = contentTime(fresh.contentAtMs, lastContentAtMs, timeMs)
  const contentAt = instantOrNull(contentAtMs)
  const first = instance.candidates[0].provider
  const confirmation = {
    ...attempt,
    hash: fresh.hash,
    contentAt,
    freshUntil: instant(freshUntil(instance, fresh.contentAtMs, contentAtMs, timeMs)),
    standsInFor: outcome.candidate === instance.candidates[0] ? null : first,
  }
  const toldWhole = last !== null && (scheduled || timeMs - Date.parse(last.confirmedAt) < DEMANDED_TOLD_WHOLE_AFTER_MS)
  const changed = !toldWhole || last.hash !== fresh.hash
  const head = envelope(sourceName)
  const observation =
    outcome._tag === "Success"
      ? makeEvent(feedObserved, { ...head, data: { ...confirmation, payload: outcome.payload } })
      : null
  // Only what the log holds last can be built on: what this process committed, and the log confirms.
  const held = base !== null && base.hash === last?.hash ? base : null
  const patch =
    scheduled && changed && outcome._tag === "Success"
      ? patched(instance, outcome, held, confirmation, time.slice(0, DAY_LENGTH))
      : null
  const event =
    patch?.data != null
      ? makeEvent(feedPatched, { ...head, data: patch.data })
      : observation !== null && changed
        ? observation
        : makeEvent(feedUnchanged, { ...head, data: confirmation })
  const checkpoint: InstanceCheckpoint = {
    v: 1,
    polledAt: time,
    dueAt: instant(nextDueMs(everyMs, beganMs, random)),
    failures: 0,
    last: {
      hash: fresh.hash,
      provider: outcome.candidate.provider,
      contentAt,
      confirmedAt: time,
      validators: fresh.validators,
    },
  }
  return {
    records: [record("observations", key, event), ...asides, ...(scheduled ? [instanceRecord(key, checkpoint)] : [])],
    checkpoint,
    observation,
    outcome: patch?.data != null ? "patched" : event === observation ? "observed" : "unchanged",
    base: patch === null ? held : patch.base,
  }
}
