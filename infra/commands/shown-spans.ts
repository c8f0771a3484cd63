import type { ItemPurge, Span } from "../../processors/purges/item-purge.ts"
import { COMMIT_SPAN_MAX_MS } from "../../processors/run/runner.ts"
import type { ChangeType } from "../../schemas/change.ts"
import { SPANS_MAX } from "../../schemas/events/purges.ts"
import { type Feed, instanceKey } from "../../schemas/feed.ts"

// When views could show an item that is to be taken out of the past: a rule over its changes, and over what was taken out before.

/** A change of an item of the feed. */
export interface KnownChange {
  readonly knownMs: number
  /** The instance of the feed whose item it is: two lists may have the same item, and only one of them lose it. */
  readonly instance: string
  readonly type: ChangeType
}

/** How much later than a change views that follow from it may be known: a fold that catches up commits so much time at once. */
const FOLD_MS = COMMIT_SPAN_MAX_MS + 60_000
/** Lists of one feed whose changes are not published may have held an item so long before the list whose changes are. */
const UNPUBLISHED_MS = 86_400_000

/** A purge before this one: of the item, or of the whole feed (`key` is null). */
type EarlierPurge = Pick<ItemPurge, "key" | "fromMs" | "toMs" | "shown">

/** A time within which earlier purges have removed the item's changes, and whether views could show it when that begins and ends. */
interface Removed extends Span {
  readonly isShownBefore: boolean
  readonly isShownAfter: boolean
}

/** What purges of the item have removed, in order; those that touch each other as one. */
const removedBy = (purges: ReadonlyArray<EarlierPurge>): ReadonlyArray<Removed> => {
  const all: Array<Removed> = []
  for (const { fromMs, toMs, shown } of purges.toSorted((a, b) => a.fromMs - b.fromMs || a.toMs - b.toMs)) {
    const isShownBefore = shown.some((span) => span.fromMs <= fromMs)
    const isShownAfter = shown.some((span) => span.toMs >= toMs)
    const last = all.at(-1)
    if (last === undefined || fromMs > last.toMs) all.push({ fromMs, toMs, isShownBefore, isShownAfter })
    else if (toMs > last.toMs) all.splice(-1, 1, { ...last, toMs, isShownAfter })
    else if (toMs === last.toMs && isShownAfter) all.splice(-1, 1, { ...last, isShownAfter })
  }
  return all
}

/** What became of an item in an instance: a change that is held, or that it was listed or not when an earlier purge ended. */
interface Mark {
  readonly knownMs: number
  readonly type: ChangeType | "listed" | "unlisted"
}

/** What is known of an item in an instance, by time. What purges say of it holds for each: none says in which instance it was. */
const marksOf = (
  instance: string,
  held: ReadonlyArray<KnownChange>,
  removed: ReadonlyArray<Removed>,
): ReadonlyArray<Mark> => {
  const left = removed.flatMap(({ fromMs, toMs, isShownBefore, isShownAfter }, index): ReadonlyArray<Mark> => {
    // Where changes before it are held, they say since when.
    const isBegin = isShownBefore && index === 0 && !held.some(({ knownMs }) => knownMs < fromMs)
    return [
      ...(isBegin ? [{ knownMs: fromMs, type: "changed" } as const] : []),
      isShownAfter ? { knownMs: toMs, type: "listed" } : { knownMs: fromMs, type: "unlisted" },
    ]
  })
  return [...left, ...held.filter((change) => change.instance === instance)].toSorted((a, b) => a.knownMs - b.knownMs)
}

/** When views could show an item of an instance. `clearedMs`: the ends of earlier purges, in order. */
const spansOf = (
  marks: ReadonlyArray<Mark>,
  clearedMs: ReadonlyArray<number>,
  saysGone: boolean,
): ReadonlyArray<Span> => {
  const spans: Array<Span> = []
  let sinceMs: number | null = null
  let lastMs: number | null = null
  // Since when an item was listed that did not appear. What it was before the first change that is held was not held either.
  const beforeMs = (knownMs: number): number =>
    clearedMs.findLast((ms) => ms <= knownMs && ms > (lastMs ?? Number.NEGATIVE_INFINITY)) ??
    (lastMs === null ? Number.NEGATIVE_INFINITY : knownMs)
  for (const { knownMs, type } of marks) {
    if (type !== "unlisted") sinceMs ??= type === "appeared" || type === "listed" ? knownMs : beforeMs(knownMs)
    lastMs = knownMs
    if (sinceMs === null || !(type === "unlisted" || (type === "gone" && saysGone))) continue
    spans.push({ fromMs: sinceMs, toMs: type === "gone" ? knownMs + FOLD_MS : knownMs })
    sinceMs = null
  }
  return sinceMs === null ? spans : [...spans, { fromMs: sinceMs, toMs: Number.POSITIVE_INFINITY }]
}

const isSpan = ({ fromMs, toMs }: Span): boolean => fromMs < toMs

/** What is left of spans without others. */
const without = (spans: ReadonlyArray<Span>, others: ReadonlyArray<Span>): ReadonlyArray<Span> =>
  others.reduce(
    (left, other) =>
      left
        .flatMap(({ fromMs, toMs }) => [
          { fromMs, toMs: Math.min(toMs, other.fromMs) },
          { fromMs: Math.max(fromMs, other.toMs), toMs },
        ])
        .filter(isSpan),
    spans,
  )

/** Spans by time, those that touch each other as one; one for all where an event has not so many. */
const joined = (spans: ReadonlyArray<Span>): ReadonlyArray<Span> => {
  const all: Array<Span> = []
  for (const span of spans.toSorted((a, b) => a.fromMs - b.fromMs)) {
    const last = all.at(-1)
    if (last === undefined || span.fromMs > last.toMs) all.push(span)
    else all.splice(-1, 1, { fromMs: last.fromMs, toMs: Math.max(last.toMs, span.toMs) })
  }
  const [first, last] = [all[0], all.at(-1)]
  return first === undefined || last === undefined || all.length <= SPANS_MAX
    ? all
    : [{ fromMs: first.fromMs, toMs: last.toMs }]
}

/** Whether an item was listed at the end of what is purged; `unknown` where no change that is held says so. */
export type After = "listed" | "unlisted" | "unknown"

/**
 * When views could show an item, within an interval: in each instance of its feed from its first change until the commit of the one
 * with which it has gone. Of a feed that does not say when items leave it, until the end of the interval. What `earlier` purges
 * have taken out is left out of the spans, and of the changes that are `held`.
 */
export const shownOf = (
  feed: Pick<Feed, "name" | "instances" | "publishesChanges" | "publishesGone">,
  changes: ReadonlyArray<KnownChange>,
  { fromMs, toMs }: Span,
  earlier: ReadonlyArray<EarlierPurge> = [],
): { readonly spans: ReadonlyArray<Span>; readonly held: ReadonlyArray<KnownChange>; readonly after: After } => {
  const isPublished = feed.instances.every((parameters) => feed.publishesChanges(parameters))
  const saysGone = isPublished && feed.publishesGone
  // The history may not be without them yet, and a log is not before it is trimmed.
  const held = changes.filter(({ knownMs }) => !earlier.some((one) => one.fromMs <= knownMs && knownMs < one.toMs))
  const removed = removedBy(earlier.filter(({ key }) => key !== null))
  const instances = new Set(held.map(({ instance }) => instance))
  // In each of them it may have been listed ever since, without a change.
  if (removed.length > 0) for (const parameters of feed.instances) instances.add(instanceKey(feed.name, parameters))
  const marks = [...instances].map((instance) => marksOf(instance, held, removed))
  const clearedMs = earlier.map((one) => one.toMs).toSorted((a, b) => a - b)
  const spans = marks
    .flatMap((some) => spansOf(some, clearedMs, saysGone))
    .map((span) => ({
      fromMs: Math.max(span.fromMs - (isPublished ? 0 : UNPUBLISHED_MS), fromMs),
      toMs: Math.min(span.toMs, toMs),
    }))
    .filter(isSpan)
  const last = new Set(marks.map((some) => some.findLast(({ knownMs }) => knownMs < toMs)?.type))
  const isUnknown =
    last.has("listed") || (!saysGone && (last.has("appeared") || last.has("changed") || last.has("gone")))
  const isListed = saysGone && (last.has("appeared") || last.has("changed"))
  return {
    spans: joined(without(spans, earlier)),
    held,
    after: isListed ? "listed" : isUnknown ? "unknown" : "unlisted",
  }
}
