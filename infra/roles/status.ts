import { Gauge, type Registry, register } from "prom-client"

/** The states that a part of a process can be in; there is no other. */
export const partStates = ["starting", "active", "standby", "waiting", "stopped"] as const
export type PartState = (typeof partStates)[number]

/** The roles whose parts report their state. */
export type ReportingRole = "ingest" | "process" | "ledger" | "api"

/** A state with its reason: for what a part waits, or why it stopped. */
export type Standing =
  | { readonly state: "active" | "standby" }
  | { readonly state: "starting"; readonly reason?: string }
  | { readonly state: "waiting" | "stopped"; readonly reason: string }

/** How one part stands, as `/readyz` shows it. */
export interface PartReport {
  readonly role: ReportingRole
  readonly part: string
  readonly state: PartState
  readonly reason: string | null
  /** When it came into this state, in ISO 8601. */
  readonly since: string
  /** Whether callers are served all the same while it is neither active nor a standby. */
  readonly optional: boolean
}

/** One part, for the code that runs it or finds something wrong with it. */
export interface PartStatus {
  readonly set: (standing: Standing) => void
  /**
   * Reports what keeps the part from working, whatever its own code says: while a hindrance is there, an active part and
   * a standby are `waiting`. Each cause is reported and taken back (`null`) by itself.
   */
  readonly hinder: (cause: string, reason: string | null) => void
}

/** What a part is when it is first named. */
export interface PartOptions {
  /** Whether callers are served all the same while the part is in a state in which it does not work. Never, when absent. */
  readonly optional?: (state: PartState) => boolean
}

/** The states of all parts of a thread. */
export interface Status {
  /** The part of that name: the first to name it adds it, as `starting`. */
  readonly part: (role: ReportingRole, part: string, options?: PartOptions) => PartStatus
  /** Hinders every part, those that are added later included. */
  readonly hinderAll: (cause: string, reason: string | null) => void
  readonly reports: () => ReadonlyArray<PartReport>
}

interface Part {
  readonly role: ReportingRole
  readonly part: string
  readonly optional: (state: PartState) => boolean
  readonly hindrances: Map<string, string>
  standing: Standing
  /** What was reported last. */
  state: PartState
  since: string
}

/** A status that calls `changed` whenever a report changes. */
export const makeStatus = (changed: () => void = () => {}): Status => {
  const parts = new Map<string, { readonly part: Part; readonly status: PartStatus }>()
  const everywhere = new Map<string, string>()

  const effective = ({ standing, hindrances }: Part): Standing => {
    if (standing.state !== "active" && standing.state !== "standby") return standing
    const reasons = new Set([...everywhere.values(), ...hindrances.values()])
    return reasons.size === 0 ? standing : { state: "waiting", reason: [...reasons].join("; ") }
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
  const same = (a: Standing, b: Standing) => a.state === b.state && reasonOf(a) === reasonOf(b)

  const add = (role: ReportingRole, name: string, options: PartOptions) => {
    const part: Part = {
      role,
      part: name,
      optional: options.optional ?? (() => false),
      hindrances: new Map(),
      standing: { state: "starting" },
      state: "starting",
      since: new Date().toISOString(),
    }
    const status: PartStatus = {
      set: (standing) => {
        if (same(standing, part.standing)) return
        part.standing = standing
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
      changed()
      return added.status
    },
    hinderAll: (cause, reason) => {
      if (!put(everywhere, cause, reason)) return
      for (const { part } of parts.values()) refresh(part)
      changed()
    },
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

const reasonOf = (standing: Standing): string | null => ("reason" in standing ? (standing.reason ?? null) : null)

/** Whether a process should be given traffic, and what stands behind it. */
export interface Readiness {
  readonly ready: boolean
  /** What keeps it from being ready. */
  readonly reasons: ReadonlyArray<string>
  /** What does not work, though callers are served all the same. */
  readonly degraded: ReadonlyArray<string>
  readonly parts: ReadonlyArray<Omit<PartReport, "optional">>
}

const works = ({ state }: PartReport): boolean => state === "active" || state === "standby"

const sentence = ({ role, part, state, reason }: PartReport): string =>
  `${role} ${part}: ${state}${reason === null ? "" : `: ${reason}`}`

/** A process is ready when each of its parts works or stands by; one that has no part yet is not. */
export const readinessOf = (reports: ReadonlyArray<PartReport>): Readiness => {
  const missing = reports.filter((report) => !works(report))
  const reasons = missing.filter(({ optional }) => !optional).map(sentence)
  return {
    ready: reports.length > 0 && reasons.length === 0,
    reasons: reports.length === 0 ? ["nothing has been started yet"] : reasons,
    degraded: missing.filter(({ optional }) => optional).map(sentence),
    parts: reports.map(({ optional: _, ...report }) => report),
  }
}

/** Shows the states of a thread's parts as a metric: 1 for the state in which a part is, 0 for the others. */
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
