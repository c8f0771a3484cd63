import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import { Gauge, type Registry, register } from "prom-client"

/** The closed set of states of a part. */
export const partStates = ["starting", "active", "standby", "waiting", "stopped"] as const
export type PartState = (typeof partStates)[number]

/** The roles whose parts report their state. */
type ReportingRole = "ingest" | "process" | "ledger" | "api"

/** A state with its reason: what a part waits for, or why it stopped. */
type StateWithReason =
  | { readonly state: "active" | "standby" }
  | { readonly state: "starting"; readonly reason?: string }
  | { readonly state: "waiting" | "stopped"; readonly reason: string }

/** The state of one part, as `/readyz` shows it. */
export interface PartReport {
  readonly role: ReportingRole
  readonly part: string
  readonly state: PartState
  readonly reason: string | null
  /** When it entered this state, in ISO 8601. */
  readonly since: string
  /** Whether callers are still served while it is neither active nor a standby. */
  readonly optional: boolean
}

/** The status of one part, for the code that runs or monitors it. */
export interface PartStatus {
  readonly set: (stated: StateWithReason) => void
  /**
   * Sets or clears (`null`) a hindrance, independently for each cause. While there is one, an active part and a standby are
   * `waiting`.
   */
  readonly hinder: (cause: string, reason: string | null) => void
}

/** Options of a new part. */
interface PartOptions {
  /** Whether callers are still served while the part is in a state in which it does not work. Never by default. */
  readonly optional?: (state: PartState) => boolean
}

/** The states of all parts of a thread. */
export interface Status {
  /** The part of that name; the first call adds it as `starting`. */
  readonly part: (role: ReportingRole, part: string, options?: PartOptions) => PartStatus
  /** Hinders every part, including those that are added later: also one that starts is `waiting` then. */
  readonly hinderAll: (cause: string, reason: string | null) => void
  /** Replaces the warnings of a cause: what an operator should change while everything works. */
  readonly warn: (cause: string, warnings: ReadonlyArray<string>) => void
  readonly warnings: () => ReadonlyArray<string>
  readonly reports: () => ReadonlyArray<PartReport>
}

interface Part {
  readonly role: ReportingRole
  readonly part: string
  readonly optional: (state: PartState) => boolean
  readonly hindrances: Map<string, string>
  stated: StateWithReason
  /** The state in the last report. */
  state: PartState
  since: string
}

/** A status that calls `changed` whenever a report changes. */
export const makeStatus = (changed: () => void = () => {}): Status => {
  const parts = new Map<string, { readonly part: Part; readonly status: PartStatus }>()
  const everywhere = new Map<string, string>()
  const warned = new Map<string, ReadonlyArray<string>>()

  const effective = ({ stated, hindrances }: Part): StateWithReason => {
    // Only a hindrance of the whole process makes a starting part wait.
    const own = stated.state === "active" || stated.state === "standby" ? hindrances.values() : []
    if (stated.state === "waiting" || stated.state === "stopped") return stated
    const reasons = new Set([...everywhere.values(), ...own])
    return reasons.size === 0 ? stated : { state: "waiting", reason: [...reasons].join("; ") }
  }
  const refresh = (part: Part) => {
    const { state } = effective(part)
    if (state === part.state) return
    part.state = state
    part.since = new Date().toISOString()
  }
  const put = (into: Map<string, string>, cause: string, reason: string | null): boolean => {
    if ((into.get(cause) ?? null) === reason) return false
    if (reason === null) into.delete(cause)
    else into.set(cause, reason)
    return true
  }
  const same = (a: StateWithReason, b: StateWithReason) => a.state === b.state && reasonOf(a) === reasonOf(b)

  const add = (role: ReportingRole, name: string, options: PartOptions) => {
    const part: Part = {
      role,
      part: name,
      optional: options.optional ?? (() => false),
      hindrances: new Map(),
      stated: { state: "starting" },
      state: "starting",
      since: new Date().toISOString(),
    }
    const status: PartStatus = {
      set: (stated) => {
        if (same(stated, part.stated)) return
        part.stated = stated
        refresh(part)
        changed()
      },
      hinder: (cause, reason) => {
        if (!put(part.hindrances, cause, reason)) return
        refresh(part)
        changed()
      },
    }
    return { part, status }
  }

  return {
    part: (role, name, options = {}) => {
      const key = `${role}/${name}`
      const known = parts.get(key)
      if (known !== undefined) return known.status
      const added = add(role, name, options)
      parts.set(key, added)
      refresh(added.part)
      changed()
      return added.status
    },
    hinderAll: (cause, reason) => {
      if (!put(everywhere, cause, reason)) return
      for (const { part } of parts.values()) refresh(part)
      changed()
    },
    warn: (cause, warnings) => void warned.set(cause, warnings),
    warnings: () => [...warned.values()].flat(),
    reports: () =>
      [...parts.values()].map(({ part }) => ({
        role: part.role,
        part: part.part,
        state: part.state,
        reason: reasonOf(effective(part)),
        since: part.since,
        optional: part.optional(part.state),
      })),
  }
}

const reasonOf = (stated: StateWithReason): string | null => ("reason" in stated ? (stated.reason ?? null) : null)

/** Whether a process should receive traffic, and why. */
interface Readiness {
  readonly ready: boolean
  /** The states that keep it from being ready. */
  readonly reasons: ReadonlyArray<string>
  /** Parts that do not work while callers are still served. */
  readonly degraded: ReadonlyArray<string>
  /** What works and should be changed all the same. */
  readonly warnings: ReadonlyArray<string>
  readonly parts: ReadonlyArray<Omit<PartReport, "optional">>
}

const works = ({ state }: PartReport): boolean => state === "active" || state === "standby"

const sentence = ({ role, part, state, reason }: PartReport): string =>
  `${role} ${part}: ${state}${reason === null ? "" : `: ${reason}`}`

/** A process is ready when each of its parts works or stands by; one that has no part yet is not. */
export const readinessOf = (reports: ReadonlyArray<PartReport>, warnings: ReadonlyArray<string> = []): Readiness => {
  const missing = reports.filter((report) => !works(report))
  const reasons = missing.filter(({ optional }) => !optional).map(sentence)
  return {
    ready: reports.length > 0 && reasons.length === 0,
    reasons: reports.length === 0 ? ["nothing has been started yet"] : reasons,
    degraded: missing.filter(({ optional }) => optional).map(sentence),
    warnings,
    parts: reports.map(({ optional: _, ...report }) => report),
  }
}

/** Exports the states of a thread's parts as a metric: 1 for the current state, 0 for the others. */
export const exportStates = (status: Status, into: Registry = register): void => {
  new Gauge({
    name: "tidewire_role_state",
    help: "1 for the state in which a part of a role is (starting, active, standby, waiting, stopped), 0 for the others",
    labelNames: ["role", "part", "state"],
    registers: [into],
    collect() {
      this.reset()
      for (const { role, part, state } of status.reports())
        for (const one of partStates) this.set({ role, part, state: one }, one === state ? 1 : 0)
    },
  })
}

const RESTART_MIN = "500 millis"
const RESTART_MAX = "20 seconds"

/** A part that was ready for this long is restarted with the shortest pause again. */
const STEADY_MS = 60_000

const restarts = Schedule.min([Schedule.exponential(RESTART_MIN), Schedule.spaced(RESTART_MAX)]).pipe(Schedule.jittered)

/**
 * Keeps a part of the process running: after any typed error it is restarted with a growing pause, each time in a new
 * scope. A restart from the claim is the only recovery: it replays the log, and so does not depend on the error. A defect is
 * a bug and ends the process. `name` appears in log lines.
 */
export const supervise = <E extends { readonly message: string; readonly cause?: unknown }>(
  name: string,
  part: PartStatus,
  run: (ready: Effect.Effect<void>) => Effect.Effect<unknown, E, Scope.Scope>,
): Effect.Effect<never> => {
  let readyAtMs = Number.POSITIVE_INFINITY
  const steady = () => performance.now() - readyAtMs > STEADY_MS
  const ready = Effect.sync(() => {
    readyAtMs = performance.now()
    part.set({ state: "active" })
  })
  // During a restart the part still reports why it stopped.
  const begin = Effect.sync(() => {
    readyAtMs = Number.POSITIVE_INFINITY
  })
  const once = begin.pipe(
    Effect.andThen(Effect.scoped(run(ready))),
    Effect.andThen(Effect.suspend(() => Effect.fail<E | Error>(new Error("it ended by itself")))),
    Effect.tapError((error) => {
      part.set({ state: "stopped", reason: error.message })
      return Effect.logWarning(`${name} stopped and is restarted: ${error.message}`).pipe(
        Effect.annotateLogs(error.cause === undefined ? {} : { cause: String(error.cause) }),
      )
    }),
  )
  return once.pipe(
    Effect.retry({ schedule: restarts, while: () => !steady() }),
    Effect.catch(() => Effect.sleep(RESTART_MIN)),
    Effect.forever,
    Effect.annotateLogs({ part: name }),
  )
}
