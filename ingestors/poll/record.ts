import { type DataOf, type Envelope, type EventOf, encodeEvent, instant, makeEvent } from "../../schemas/event.ts"
import { feedFailed, feedObserved, feedPatched, feedUnchanged } from "../../schemas/events/observations.ts"
import { documentQuarantined } from "../../schemas/events/quarantine.ts"
import type { Json } from "../../schemas/json.ts"
import { EMPTY_INDEX, type ItemIndex, partsOf } from "../../schemas/list-patch.ts"
import type { LogRecord } from "../../schemas/ports/event-log.ts"
import { areSame } from "./announcements.ts"
import type { UndecodedDocument } from "./collect.ts"
import { type InstanceCheckpoint, instanceRecord } from "./ingest-log.ts"
import type { Instance } from "./plan.ts"
import type { Failure, NotModified, PollReport, Success } from "./poll.ts"
import {
  bytesOn,
  contentTime,
  dayEndMs,
  fitsBudget,
  freshUntil,
  logBudgetBytes,
  nextDueMs,
  nextTryMs,
  pacedUntilMs,
  withBytes,
} from "./schedule.ts"

/** The longest `problem` and `message` of an event. */
const TEXT_MAX_CHARACTERS = 1000
/** After this an instance fetched on request is logged with its full payload again: folds drop instances that are not used. */
const DEMANDED_WHOLE_AFTER_MS = 6 * 3_600_000

/** Length of the day in an ISO instant. */
const DAY_LENGTH = 10
/** Patches after which a list is logged with its full payload again, which bounds how far back a reader has to go. */
const PATCHES_MAX = 200
/** A patch is logged if it has less than this share of the bytes of its payload. */
const PATCH_SHARE_MAX = 0.5

/** The list committed last, as the base of the next patch. Kept in memory only: after a start there is none. */
export interface PatchBase {
  readonly hash: string
  readonly index: ItemIndex
  /** JSON text of the facts of the list. */
  readonly facts: string
  /** Patches since the list was logged with its full payload. */
  readonly patches: number
  /** The day (UTC, `YYYY-MM-DD`) on which the full payload was logged. */
  readonly wholeOn: string
}

/** Inputs beside the poll. Time, ids and random numbers are passed in, so that the function is pure. */
export interface RecordPollOptions {
  /** The time of the events: the end of the poll, in milliseconds since the epoch. */
  readonly timeMs: number
  readonly beganMs: number
  /** In [0, 1). */
  readonly random: number
  readonly newId: () => string
  /** Whether the instance is polled on schedule; otherwise it is fetched on request only. */
  readonly scheduled: boolean
  /** Whether a simulated world stands in for the upstreams; false by default. */
  readonly simulated?: boolean
  /** The list that this process committed last; null if it has committed none. */
  readonly base?: PatchBase | null
  /** Whether an undecoded document is quarantined. */
  readonly quarantine: (undecoded: UndecodedDocument & { readonly provider: string }) => boolean
}

/** The records of one poll, written in one commit, and the state that follows from them. */
export interface PollRecords {
  readonly records: ReadonlyArray<LogRecord>
  readonly checkpoint: InstanceCheckpoint
  /** The observation with its full payload, even if only a patch or a confirmation is logged; null if there is none. */
  readonly observation: EventOf<typeof feedObserved> | null
  /** `observed`, `patched`, `unchanged`, the reason of the failure, or `over_log_budget`. */
  readonly outcome: string
  /** The base of the next patch; null if the next list is logged with its full payload. */
  readonly base: PatchBase | null
}

/** The members of a successful poll's event without its payload. */
type Confirmation = Omit<DataOf<typeof feedObserved>, "payload">

/** What the events of one poll share. */
interface PollEvents {
  readonly instance: Instance
  readonly before: InstanceCheckpoint | null
  readonly options: RecordPollOptions
  readonly time: string
  readonly envelope: () => {
    readonly id: string
    readonly source: string
    readonly subject: string
    readonly time: string
  }
  readonly attempt: Pick<Confirmation, "feed" | "parameters" | "provider" | "latencyMs" | "announced" | "simulated">
  /** All announcements by now, for the checkpoint. */
  readonly announced: InstanceCheckpoint["announced"]
}

/** The event of a poll and what follows from it, before the budget of log bytes is considered. */
interface UnbudgetedPoll extends Omit<PollRecords, "records" | "checkpoint"> {
  readonly event: Envelope<string, Readonly<Record<string, unknown>>>
  readonly checkpoint: Omit<InstanceCheckpoint, "logged" | "throttledUntil">
}

/** Converts the outcome of a poll to events and to the instance's next checkpoint. Pure. */
export const recordPoll = (
  instance: Instance,
  before: InstanceCheckpoint | null,
  { outcome, latencyMs, undecoded, announced: announcedNow }: PollReport,
  options: RecordPollOptions,
): PollRecords => {
  const { feed, parameters, key } = instance
  const { source, provider } = outcome.candidate
  const time = instant(options.timeMs)
  const envelope = () => ({ id: options.newId(), source: `ingest/${source.name}`, subject: key, time })
  const announcedBefore = before?.announced ?? []
  // Recorded for scheduled instances alone: those that are fetched on request have the same upstreams.
  const announced = options.scheduled ? announcedNow : announcedBefore
  const quarantined = undecoded.filter(options.quarantine).map((one) => quarantineRecord(instance, envelope, one))
  const events: PollEvents = {
    instance,
    before,
    options,
    time,
    envelope,
    attempt: {
      feed: feed.name,
      parameters,
      provider,
      latencyMs,
      ...(areSame(announced, announcedBefore) ? {} : { announced }),
      ...(options.simulated === true ? { simulated: true } : {}),
    },
    announced,
  }
  const made =
    outcome._tag === "Failure"
      ? recordFailure(events, outcome)
      : outcome._tag === "NotModified" && (before?.last ?? null) === null
        ? recordFailure(events, {
            reason: "status",
            message: "the upstream answered 304, and no earlier payload is known",
            retryAfterMs: null,
          })
        : recordSuccess(events, outcome)
  if (options.scheduled) return withinBudget(events, made, quarantined)
  const { event, checkpoint, ...rest } = made
  return {
    ...rest,
    records: [record("observations", key, event), ...quarantined],
    // What is fetched on request is bounded by the limits of requests.
    checkpoint: { ...checkpoint, logged: withBytes(time, undefined, 0), throttledUntil: null },
  }
}

const record = (topic: "observations" | "quarantine", key: string, event: Envelope<string, unknown>): LogRecord => ({
  topic,
  key,
  value: encodeEvent(event),
})

const instantOrNull = (ms: number | null): string | null => (ms === null ? null : instant(ms))

const quarantineRecord = (
  { feed, parameters, key }: Instance,
  envelope: PollEvents["envelope"],
  { provider, problem, document, body, bodyBytes }: PollReport["undecoded"][number],
): LogRecord =>
  record(
    "quarantine",
    key,
    makeEvent(documentQuarantined, {
      ...envelope(),
      data: {
        feed: feed.name,
        parameters,
        provider,
        document,
        problem: problem.slice(0, TEXT_MAX_CHARACTERS),
        body,
        bodyBytes,
      },
    }),
  )

const recordFailure = (
  { instance, before, options, time, envelope, attempt, announced }: PollEvents,
  { reason, message, retryAfterMs }: Pick<Failure, "reason" | "message" | "retryAfterMs">,
): UnbudgetedPoll => {
  const failures = (before?.failures ?? 0) + 1
  const checkpoint: UnbudgetedPoll["checkpoint"] = {
    v: 3,
    polledAt: time,
    dueAt: instant(nextTryMs(instance.everyMs, options.timeMs, failures, retryAfterMs, options.random)),
    failures,
    last: before?.last ?? null,
    announced,
  }
  const data = { ...attempt, reason, message: message.slice(0, TEXT_MAX_CHARACTERS) }
  return {
    event: makeEvent(feedFailed, { ...envelope(), data }),
    checkpoint,
    observation: null,
    outcome: reason,
    base: options.base ?? null,
  }
}

const isListPayload = (payload: Json): payload is { readonly items: ReadonlyArray<Json>; readonly facts: Json } =>
  typeof payload === "object" && payload !== null && "items" in payload && Array.isArray(payload.items)

/** A new list as a patch of the one before, if that is much smaller, and the base of the next patch. */
const patchOf = (
  instance: Instance,
  { payload, payloadBytes, hash }: Success,
  before: PatchBase | null,
  confirmation: Confirmation,
  time: string,
): { readonly data: DataOf<typeof feedPatched> | null; readonly base: PatchBase | null } => {
  if (instance.feed.list === null || !isListPayload(payload)) return { data: null, base: null }
  const { parts, index } = partsOf(before?.index ?? EMPTY_INDEX, payload.items, instance.feed.key)
  const today = time.slice(0, DAY_LENGTH)
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

const recordSuccess = (
  { instance, before, options, time, envelope, attempt, announced }: PollEvents,
  outcome: Success | NotModified,
): UnbudgetedPoll => {
  const { timeMs, beganMs, random, scheduled, base = null } = options
  const last = before?.last ?? null
  const content: Pick<Success, "hash" | "validators"> & { readonly contentAtMs: number | null } =
    outcome._tag === "Success"
      ? outcome
      : {
          hash: last?.hash ?? "",
          validators: last?.validators ?? null,
          contentAtMs: last === null || last.contentAt === null ? null : Date.parse(last.contentAt),
        }
  const lastContentAtMs = last === null || last.contentAt === null ? null : Date.parse(last.contentAt)
  // Without a time of its own, content is as old as it has been unchanged: an abandoned list is not fresh for ever.
  const unchangedSinceMs = last?.hash === content.hash ? (lastContentAtMs ?? timeMs) : timeMs
  const contentAtMs = outcome.candidate.source.isDated
    ? contentTime(content.contentAtMs, lastContentAtMs, timeMs)
    : Math.min(unchangedSinceMs, timeMs)
  const contentAt = instantOrNull(contentAtMs)
  const first = instance.candidates[0].provider
  const confirmation = {
    ...attempt,
    hash: content.hash,
    contentAt,
    freshUntil: instant(
      freshUntil(instance, outcome.candidate.source.isDated ? content.contentAtMs : contentAtMs, contentAtMs, timeMs),
    ),
    standsInFor: outcome.candidate === instance.candidates[0] ? null : first,
  }
  const isLoggedWhole = last !== null && (scheduled || timeMs - Date.parse(last.confirmedAt) < DEMANDED_WHOLE_AFTER_MS)
  const changed = !isLoggedWhole || last.hash !== content.hash
  const head = envelope()
  const observation =
    outcome._tag === "Success"
      ? makeEvent(feedObserved, { ...head, data: { ...confirmation, payload: outcome.payload } })
      : null
  // A patch needs the base that the log holds last: committed by this process, and confirmed by the checkpoint.
  const held = base !== null && base.hash === last?.hash ? base : null
  const patch =
    scheduled && changed && outcome._tag === "Success" ? patchOf(instance, outcome, held, confirmation, time) : null
  const event =
    patch?.data != null
      ? makeEvent(feedPatched, { ...head, data: patch.data })
      : observation !== null && changed
        ? observation
        : makeEvent(feedUnchanged, { ...head, data: confirmation })
  const checkpoint: UnbudgetedPoll["checkpoint"] = {
    v: 3,
    polledAt: time,
    dueAt: instant(nextDueMs(instance.everyMs, beganMs, random)),
    failures: 0,
    last: {
      hash: content.hash,
      provider: outcome.candidate.provider,
      contentAt,
      confirmedAt: time,
      validators: content.validators,
    },
    announced,
  }
  return {
    event,
    checkpoint,
    observation,
    outcome: patch?.data != null ? "patched" : event === observation ? "observed" : "unchanged",
    base: patch === null ? held : patch.base,
  }
}

const sizeBytes = (records: ReadonlyArray<LogRecord>): number =>
  records.reduce((sum, { key, value }) => sum + Buffer.byteLength(key) + (value?.length ?? 0), 0)

/** Instead of a poll that does not fit into the budget of its day: the log keeps what it has until the next day. */
const overBudget = (
  { instance, before, options, time, envelope, attempt }: PollEvents,
  observation: PollRecords["observation"],
): PollRecords => {
  const { announced: _, ...tried } = attempt
  const throttledUntil = instant(dayEndMs(options.timeMs))
  const event = makeEvent(feedFailed, {
    ...envelope(),
    data: { ...tried, throttledUntil, reason: "budget_exhausted", message: "its log bytes of the day are spent" },
  })
  const noted = [record("observations", instance.key, event)]
  const spentBytes = bytesOn(time, before?.logged)
  const records = spentBytes + sizeBytes(noted) > logBudgetBytes(instance.feed) ? [] : noted
  const checkpoint: InstanceCheckpoint = {
    v: 3,
    polledAt: time,
    dueAt: throttledUntil,
    failures: before?.failures ?? 0,
    last: before?.last ?? null,
    announced: before?.announced ?? [],
    logged: withBytes(time, before?.logged, sizeBytes(records)),
    throttledUntil,
  }
  return {
    records: [...records, instanceRecord(instance.key, checkpoint)],
    checkpoint,
    observation,
    outcome: "over_log_budget",
    base: options.base ?? null,
  }
}

/** The records of a scheduled poll. Where the day's budget of log bytes runs low, the next poll comes later, and the event says so. */
const withinBudget = (
  events: PollEvents,
  { event, checkpoint, ...made }: UnbudgetedPoll,
  quarantined: ReadonlyArray<LogRecord>,
): PollRecords => {
  const { instance, before, options, time } = events
  const logged = [record("observations", instance.key, event), ...quarantined]
  const budgetBytes = logBudgetBytes(instance.feed)
  const spentBytes = bytesOn(time, before?.logged)
  const bytes = sizeBytes(logged)
  if (!fitsBudget(budgetBytes, spentBytes, bytes)) return overBudget(events, made.observation)
  const untilMs = pacedUntilMs(budgetBytes, spentBytes + bytes, bytes, options.timeMs)
  const throttledUntil = untilMs !== null && untilMs > Date.parse(checkpoint.dueAt) ? instant(untilMs) : null
  const records =
    throttledUntil === null
      ? logged
      : [record("observations", instance.key, { ...event, data: { ...event.data, throttledUntil } }), ...quarantined]
  const after: InstanceCheckpoint = {
    ...checkpoint,
    dueAt: throttledUntil ?? checkpoint.dueAt,
    logged: withBytes(time, before?.logged, sizeBytes(records)),
    throttledUntil,
  }
  return { ...made, records: [...records, instanceRecord(instance.key, after)], checkpoint: after }
}
