import type { PartStatus, partWords } from "../../schemas/endpoints/status.ts"

/** A part of the service as it reports itself. Its reason is not here: it may name addresses of the installation. */
export interface ReportedPart {
  readonly role: string
  readonly part: string
  readonly state: "starting" | "active" | "standby" | "waiting" | "stopped"
  /** When it entered this state, ISO 8601. */
  readonly since: string
}

type PartWord = (typeof partWords)[number]

const stateOf = ({ state }: ReportedPart): PartStatus["state"] =>
  state === "active" || state === "standby" ? "works" : state === "starting" ? "starting" : "impaired"

/** The public word for a part; null for one that callers do not notice. */
const wordOf = ({ role, part }: ReportedPart): PartWord | null => {
  if (role === "ingest") return "polling"
  if (role === "process") return part === "history" ? "history" : "folding"
  if (role === "ledger") return part === "chain" ? "chain" : "credits"
  if (role !== "api") return null
  return part === "billing" ? "credits" : "replies"
}

const badness = { works: 0, starting: 1, impaired: 2 } as const

const worse = (one: PartStatus, other: PartStatus): PartStatus =>
  badness[other.state] > badness[one.state] || (badness[other.state] === badness[one.state] && other.since > one.since)
    ? other
    : one

/** The parts by their public words: several with one word are as good as the worst of them. */
export const partStatuses = (
  reported: ReadonlyArray<ReportedPart>,
  order: ReadonlyArray<PartWord>,
): ReadonlyArray<PartStatus> => {
  const worst = new Map<PartWord, PartStatus>()
  for (const one of reported) {
    const part = wordOf(one)
    if (part === null) continue
    const status: PartStatus = { part, state: stateOf(one), since: one.since }
    const before = worst.get(part)
    worst.set(part, before === undefined ? status : worse(before, status))
  }
  return order.flatMap((word) => worst.get(word) ?? [])
}
