import { uptime } from "node:os"

// The time of the ledger's entries never goes back, so one entry at a wrong time would hold all later ones at it. The
// wall clock is therefore believed only while nothing contradicts it. Clocks and witnesses come in as values.

/** Beyond this the wall clock did not drift or slew: it jumped. */
export const JUMP_MS_MIN = 10_000
/** How far a witness and the wall clock may be apart: witnesses are some seconds behind, and now and then a minute. */
export const WITNESS_MS_MAX = 5 * 60_000
/** How old the word of a witness may be. */
export const WITNESS_AGE_MS_MAX = 15 * 60_000
/** How long a start waits for a witness that may come. */
export const WITNESS_WAIT_MS_MAX = 10_000
/** Without any witness, how much later than the last entry a start may be. */
export const UNWITNESSED_MS_MAX = 31 * 24 * 60 * 60_000
/** From here on, a clock behind the last entry is an alarm. */
export const BEHIND_MS_MIN = 60_000
/** How often the wall clock's agreement is noted anew, so that slow drift and slewing never add up to a jump. */
const ANCHOR_MS = 10 * 60_000

/** The clocks of a machine, in milliseconds. */
export interface Clocks {
  readonly wallMs: () => number
  /** Never set and never steps; may stand still while the machine is suspended. Cheap. */
  readonly steadyMs: () => number
  /** Never set and never steps; goes on while the machine is suspended. */
  readonly sinceBootMs: () => number
}

/** Those of this machine. The time since its boot counts suspension where the system says so (Linux, macOS). */
export const machineClocks: Clocks = {
  wallMs: Date.now,
  steadyMs: () => performance.now(),
  sinceBootMs: () => uptime() * 1000,
}

/** What the ledger may write at. */
export type ClockReading =
  | {
      readonly _tag: "trusted"
      readonly atMs: number
      /** By how much the last entry is later than the clock; 0 where it is not. */
      readonly behindMs: number
    }
  | { readonly _tag: "doubted"; readonly reason: string }

/** The clock that entries are written by. */
export interface LedgerClock {
  /** Reads the clock. `lastEntryMs`: the time of the last entry, 0 where there is none. */
  readonly read: (lastEntryMs: number) => ClockReading
  /** Notes what a witness says the time is now. */
  readonly testify: (witness: string, atMs: number) => void
  /** Takes the wall clock as it is, against all doubt: an operator has decided. */
  readonly accept: () => void
}

/** What a clock is made of. */
export interface LedgerClockOptions {
  readonly clocks: Clocks
  /** Whether a witness may still speak: a start waits for it, for a while. */
  readonly witnessExpected?: () => boolean
  /** Called when the clock becomes doubted, with the reason, and when it is trusted, with what that rests on. */
  readonly changed?: (reason: string | null, basis: string) => void
}

interface Moment {
  readonly wallMs: number
  readonly steadyMs: number
  readonly sinceBootMs: number
}

const instant = (atMs: number): string =>
  Number.isFinite(atMs) && Math.abs(atMs) < 8.64e15 ? new Date(atMs).toISOString() : `${atMs} ms`
const seconds = (ms: number): string => `${Math.round(Math.abs(ms) / 1000)} s`

/** A clock for tests and tools whose time is a value: always trusted. */
export const fixedClock = (nowMs: () => number): LedgerClock => ({
  read: (lastEntryMs) => ({ _tag: "trusted", atMs: nowMs(), behindMs: Math.max(0, lastEntryMs - nowMs()) }),
  testify: () => undefined,
  accept: () => undefined,
})

/** Makes a clock that notices when the wall clock is wrong. */
export const makeLedgerClock = (options: LedgerClockOptions): LedgerClock => {
  const { clocks, witnessExpected = () => false, changed = () => undefined } = options
  const witnesses = new Map<string, { readonly atMs: number; readonly sinceBootMs: number }>()
  /** Where the wall clock was last believed. */
  let anchor: Moment | null = null
  let startedMs: number | null = null
  /** By how much the wall clock was ahead of each witness when an operator decided. */
  let overruled: ReadonlyMap<string, number> = new Map()
  let announced: string | null | undefined

  const now = (): Moment => ({
    wallMs: clocks.wallMs(),
    steadyMs: clocks.steadyMs(),
    sinceBootMs: clocks.sinceBootMs(),
  })

  /** By how much the wall clock is ahead of each witness that has spoken lately. */
  const aheadOf = (wallMs: number, sinceBootMs: number): ReadonlyMap<string, number> =>
    new Map(
      [...witnesses].flatMap(([name, said]) => {
        const ageMs = sinceBootMs - said.sinceBootMs
        return ageMs >= 0 && ageMs <= WITNESS_AGE_MS_MAX ? [[name, wallMs - (said.atMs + ageMs)] as const] : []
      }),
    )

  /** What the witnesses say: the one that agrees, or whom the clock contradicts; null where none has spoken. */
  const hear = (wallMs: number, sinceBootMs: number) => {
    const ahead = aheadOf(wallMs, sinceBootMs)
    for (const [name, ms] of ahead) {
      if (Math.abs(ms) <= WITNESS_MS_MAX) return { agrees: true as const, name }
      const before = overruled.get(name)
      if (before !== undefined && Math.abs(ms - before) <= WITNESS_MS_MAX)
        return { agrees: true as const, name: "an operator" }
    }
    const [first] = ahead
    return first === undefined ? null : { agrees: false as const, name: first[0], aheadMs: first[1] }
  }

  /** `kind` stays the same while the words only name later instants. */
  const doubt = (kind: string, reason: string): ClockReading => {
    if (announced !== kind) {
      announced = kind
      changed(reason, "")
    }
    return { _tag: "doubted", reason }
  }
  const trust = (wallMs: number, lastEntryMs: number, basis: string): ClockReading => {
    if (announced !== null) {
      announced = null
      changed(null, basis)
    }
    return { _tag: "trusted", atMs: wallMs, behindMs: Math.max(0, lastEntryMs - wallMs) }
  }
  const contradiction = (wallMs: number, { name, aheadMs }: { name: string; aheadMs: number }): ClockReading =>
    doubt(
      name,
      `the clock says ${instant(wallMs)}, ${name} says ${instant(wallMs - aheadMs)}: they agree again, or an operator decides`,
    )

  const begin = (lastEntryMs: number): ClockReading => {
    const moment = now()
    const { wallMs, sinceBootMs } = moment
    startedMs ??= sinceBootMs
    const heard = hear(wallMs, sinceBootMs)
    if (heard?.agrees === false) return contradiction(wallMs, heard)
    if (heard === null) {
      if (witnessExpected() && sinceBootMs - startedMs < WITNESS_WAIT_MS_MAX)
        return doubt("waits", "a start waits for a witness of the time")
      if (lastEntryMs > 0 && wallMs - lastEntryMs > UNWITNESSED_MS_MAX)
        return doubt(
          "unwitnessed",
          `the clock says ${instant(wallMs)}, the last entry is of ${instant(lastEntryMs)}, and no witness of the time can be asked: one can, or an operator decides`,
        )
    }
    anchor = moment
    const basis =
      heard === null
        ? `no witness; the last entry is of ${lastEntryMs > 0 ? instant(lastEntryMs) : "never"}`
        : heard.name
    return trust(wallMs, lastEntryMs, basis)
  }

  const read: LedgerClock["read"] = (lastEntryMs) => {
    if (anchor === null) return begin(lastEntryMs)
    const wallMs = clocks.wallMs()
    const steadyMs = clocks.steadyMs()
    let jumpMs = wallMs - anchor.wallMs - (steadyMs - anchor.steadyMs)
    let sinceBootMs = anchor.sinceBootMs + (steadyMs - anchor.steadyMs)
    if (Math.abs(jumpMs) > JUMP_MS_MIN) {
      // A machine that was suspended: its steady clock may have stood still meanwhile.
      sinceBootMs = clocks.sinceBootMs()
      jumpMs = wallMs - anchor.wallMs - (sinceBootMs - anchor.sinceBootMs)
    }
    const jumped = Math.abs(jumpMs) > JUMP_MS_MIN
    const heard = hear(wallMs, sinceBootMs)
    if (heard?.agrees === false) return contradiction(wallMs, heard)
    if (jumped && heard === null)
      return doubt(
        "jumped",
        `the clock jumped ${jumpMs > 0 ? "ahead" : "back"} by ${seconds(jumpMs)}: a witness agrees with it, it jumps back, or an operator decides`,
      )
    if (jumped || steadyMs - anchor.steadyMs > ANCHOR_MS) anchor = now()
    return trust(wallMs, lastEntryMs, heard?.name ?? "the steady clock")
  }

  return {
    read,
    testify: (witness, atMs) => void witnesses.set(witness, { atMs, sinceBootMs: clocks.sinceBootMs() }),
    accept: () => {
      const moment = now()
      overruled = aheadOf(moment.wallMs, moment.sinceBootMs)
      anchor = moment
    },
  }
}
