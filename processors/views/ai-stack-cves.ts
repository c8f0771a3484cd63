import {
  type AiCategory,
  type AiPackage,
  aiCategories,
  aiStackCves,
  aiStackCvesEndpoint,
  type Flaw,
  factsOfPackage,
  flawSeverities,
} from "../../schemas/feeds/ai-stack-cves.ts"
import { knownExploited } from "../../schemas/feeds/known-exploited.ts"
import { recordOf } from "../../schemas/record.ts"
import { changesOf, fromEvery, nextAfter, optionally, until, view } from "../view/view.ts"

const RECENT_MS = 30 * 86_400_000

const LICENCE =
  "CC BY 4.0 (advisories), CC0 1.0 (exploited vulnerabilities); EPSS scores free of charge, with FIRST named"
const ATTRIBUTION =
  "Computed by Tidewire of records of OSV (GitHub Advisory Database, Python Packaging Advisory Database, Go Vulnerability Database), EPSS scores by FIRST, and the CISA catalogue of known exploited vulnerabilities"

/** A vulnerability of a package, and whether it is exploited; null while the catalogue was never read. */
interface Judged {
  readonly flaw: Flaw
  readonly package: AiPackage
  readonly category: AiCategory
  readonly exploited: boolean | null
}

/** The graver one first: exploited, severity, CVSS, EPSS, then the latest published, then by id. */
const byGravity = (one: Judged, other: Judged): number =>
  Number(other.exploited ?? false) - Number(one.exploited ?? false) ||
  flawSeverities.indexOf(one.flaw.severity) - flawSeverities.indexOf(other.flaw.severity) ||
  (other.flaw.cvss ?? -1) - (one.flaw.cvss ?? -1) ||
  (other.flaw.epss ?? -1) - (one.flaw.epss ?? -1) ||
  Date.parse(other.flaw.publishedAt ?? "1970-01-01") - Date.parse(one.flaw.publishedAt ?? "1970-01-01") ||
  (one.flaw.id < other.flaw.id ? -1 : 1)

/** Each vulnerability once, in its first entry. */
const once = (judged: ReadonlyArray<Judged>): ReadonlyArray<Judged> => {
  const byId = new Map<string, Judged>()
  for (const one of judged) if (!byId.has(one.flaw.id)) byId.set(one.flaw.id, one)
  return [...byId.values()]
}

const exploitedCount = (judged: ReadonlyArray<Judged>, isKnown: boolean): number | null =>
  isKnown ? judged.filter(({ exploited }) => exploited).length : null

const flawRow = (flaw: Flaw, inPackage: AiPackage) => ({
  id: flaw.id,
  package: inPackage,
  severity: flaw.severity,
  cvss: flaw.cvss,
  epss: flaw.epss,
  summary: flaw.summary,
  published: flaw.publishedAt,
  url: flaw.url,
})

const topOf = (judged: ReadonlyArray<Judged>) => {
  const [top] = judged.toSorted(byGravity)
  return top === undefined ? null : { ...flawRow(top.flaw, top.package), exploited: top.exploited }
}

export default view({
  endpoint: aiStackCvesEndpoint,
  reads: { read: fromEvery(aiStackCves), catalogue: optionally(knownExploited) },
  // A vulnerability is no longer of the last 30 days without a new observation.
  clock: true,
  // Whether it is exploited is an item of another feed.
  changes: [changesOf(aiStackCves, (flaw, { parameters }) => flawRow(flaw, factsOfPackage(parameters).id))],
  build: ({ read, catalogue }, { nowMs }) => {
    const listed = catalogue === null ? null : new Set(catalogue.payload.items.map(({ cve }) => cve))
    const isExploited = ({ id, aliases }: Flaw) =>
      listed === null ? null : [id, ...aliases].some((one) => listed.has(one))
    const packages = read.flatMap(({ parameters, reading }) => {
      if (reading === null) return []
      const { id, category, ecosystem } = factsOfPackage(parameters)
      const judged = reading.payload.items.map((flaw) => ({
        flaw,
        package: id,
        category,
        exploited: isExploited(flaw),
      }))
      return [{ id, category, ecosystem, judged }]
    })
    const everywhere = packages.flatMap(({ judged }) => judged)
    const all = once(everywhere)
    const publishedMs = all.flatMap(({ flaw }) => (flaw.publishedAt === null ? [] : [Date.parse(flaw.publishedAt)]))
    const data = {
      total: all.length,
      exploited_in_wild_count: exploitedCount(all, listed !== null),
      last_30d_count: publishedMs.filter((ms) => ms <= nowMs && nowMs < ms + RECENT_MS).length,
      by_severity: recordOf(flawSeverities, (name) => all.filter(({ flaw }) => flaw.severity === name).length),
      by_category: recordOf(
        aiCategories,
        (name) => once(everywhere.filter(({ category }) => category === name)).length,
      ),
      top_cve: topOf(all),
      packages: packages.map(({ id, ecosystem, category, judged }) => ({
        name: id,
        ecosystem,
        category,
        total: judged.length,
        exploited: exploitedCount(judged, listed !== null),
        critical: judged.filter(({ flaw }) => flaw.severity === "critical").length,
        high: judged.filter(({ flaw }) => flaw.severity === "high").length,
      })),
      source_license: LICENCE,
      source_attribution: ATTRIBUTION,
    }
    return until(
      data,
      nextAfter(
        nowMs,
        publishedMs.flatMap((ms) => [ms, ms + RECENT_MS]),
      ),
    )
  },
})
