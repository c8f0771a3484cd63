import type { DataOf } from "../schemas/event.ts"
import type { feedObserved, feedPatched } from "../schemas/events/observations.ts"
import type { Json } from "../schemas/json.ts"
import { EMPTY_INDEX, type ItemIndex, partsOf } from "../schemas/list-patch.ts"
import type { Instance } from "./plan.ts"
import type { Success } from "./poll-outcome.ts"

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

/** The members of a successful poll's event without its payload. */
export type Confirmation = Omit<DataOf<typeof feedObserved>, "payload">

const isListPayload = (payload: Json): payload is { readonly items: ReadonlyArray<Json>; readonly facts: Json } =>
  typeof payload === "object" && payload !== null && "items" in payload && Array.isArray(payload.items)

/** A new list as a patch of the one before, if that is much smaller, and the base of the next patch. */
export const patchOf = (
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
