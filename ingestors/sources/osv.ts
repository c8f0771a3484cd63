import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { instant } from "../../schemas/event.ts"
import {
  aiPackages,
  aiStackCves,
  FLAW_ALIASES_MAX,
  FLAW_SUMMARY_MAX_CHARACTERS,
  type Flaw,
  FlawId,
  factsOfPackage,
} from "../../schemas/feeds/ai-stack-cves.ts"
import { CveId } from "../../schemas/feeds/known-exploited.ts"
import type { Json } from "../../schemas/json.ts"
import { type CollectFailed, document, type Upstream, UpstreamError } from "../document.ts"
import { type ReadContext, unreadable } from "../poll/read.ts"
import { cvss3Score } from "../readers/cvss.ts"
import { instantOrNull, newestMs } from "../readers/instants.ts"
import { within } from "../readers/numbers.ts"
import { cleanTextOrNull } from "../readers/text.ts"
import { Decimal, IsoTime, isoMs, maybe } from "../readers/wire.ts"
import { listSource } from "../source.ts"
import { openTerms } from "../terms.ts"

/** The records of tensorflow, with every version that each affects, are some 8 MB. */
const BODY_MAX_BYTES = 16 * 1024 * 1024
const PAGES_MAX = 20
const RECORDS_MAX = 5_000
const TOKEN_MAX_CHARACTERS = 4_096

/** https://ossf.github.io/osv-schema/ One record of one database. */
const OsvRecord = Schema.Struct({
  id: FlawId,
  aliases: maybe(Schema.Array(Schema.String)),
  summary: maybe(Schema.String),
  details: maybe(Schema.String),
  modified: IsoTime,
  published: maybe(Schema.String),
  severity: maybe(Schema.Array(Schema.Struct({ score: maybe(Schema.String) }))),
  affected: maybe(
    Schema.Array(Schema.Struct({ package: maybe(Schema.Struct({ name: Schema.String, ecosystem: Schema.String })) })),
  ),
  database_specific: maybe(Schema.Unknown),
})
type OsvRecord = typeof OsvRecord.Type

/**
 * https://google.github.io/osv.dev/post-v1-query/ A package without vulnerabilities is answered with `{}`. An object of other
 * members alone, such as an error, is no answer: it must not read as a package without any.
 */
const Page = Schema.StructWithRest(
  Schema.Struct({
    vulns: Schema.optionalKey(Schema.Array(Schema.Unknown).check(Schema.isMaxLength(RECORDS_MAX))),
    // Sent with the request for the next page.
    next_page_token: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(TOKEN_MAX_CHARACTERS))),
  }),
  [Schema.Record(Schema.String, Schema.Unknown)],
).check(
  Schema.makeFilter(
    (page) =>
      "vulns" in page ||
      "next_page_token" in page ||
      Object.keys(page).length === 0 ||
      "neither empty nor a page of vulnerabilities",
  ),
)

/** The address of a query of more would be too long. */
const ESTIMATES_A_QUERY_MAX = 100

/** https://api.first.org/epss/ Vulnerabilities without an estimate are missing. */
export const scores = document({
  format: "json",
  wire: Schema.Struct({ data: Schema.Array(Schema.Struct({ cve: Schema.String, epss: Decimal })) }),
  url: (cves: ReadonlyArray<string>) =>
    `https://api.first.org/data/v1/epss?cve=${cves.join(",")}&limit=${ESTIMATES_A_QUERY_MAX}`,
})

/**
 * The probability of exploitation within 30 days of vulnerabilities, by CVE id, as FIRST estimates it. After a
 * failure no further query is made, and the poll goes on: what was not read is unknown.
 */
const probabilitiesOf = Effect.fnUntraced(function* (
  upstream: Upstream,
  cves: ReadonlyArray<string>,
): Effect.fn.Return<ReadonlyMap<string, number>> {
  const probabilities = new Map<string, number>()
  for (let at = 0; at < cves.length; at += ESTIMATES_A_QUERY_MAX) {
    const answer = yield* upstream
      .fetch(scores, cves.slice(at, at + ESTIMATES_A_QUERY_MAX))
      .pipe(Effect.catch(() => Effect.succeed(null)))
    if (answer === null) break
    for (const { cve, epss } of answer.data) if (within(epss, 0, 1) !== null) probabilities.set(cve, epss)
  }
  return probabilities
})

/** A page of the records of one package. */
interface PageRequest {
  readonly name: string
  readonly ecosystem: string
  /** Null for the first page. */
  readonly token: string | null
}

export const query = document({
  format: "json",
  method: "POST",
  wire: Page,
  url: "https://api.osv.dev/v1/query",
  body: ({ name, ecosystem, token }: PageRequest): Json => ({
    package: { name, ecosystem },
    ...(token === null ? {} : { page_token: token }),
  }),
  bodyBytesMax: BODY_MAX_BYTES,
})

interface Collected {
  /** Records as the answers hold them, without the withdrawn ones. */
  readonly records: ReadonlyArray<unknown>
  /** The probability of exploitation by CVE id, as far as it could be read. */
  readonly probabilities: ReadonlyMap<string, number>
}

const isCve = Schema.is(CveId)
const isText = (value: unknown): value is string => typeof value === "string"

/** A member of a value that is not decoded yet. */
const memberOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined

/** The ids of a record that is not decoded yet. */
const idsOf = (record: unknown): ReadonlyArray<string> => {
  const aliases = memberOf(record, "aliases")
  return [memberOf(record, "id"), ...(Array.isArray(aliases) ? aliases : [])].filter(isText)
}
const isWithdrawn = (record: unknown): boolean => {
  const at = memberOf(record, "withdrawn")
  return isText(at) && at !== ""
}

const recordsOf = Effect.fnUntraced(function* (
  upstream: Upstream,
  { name, ecosystem }: Omit<PageRequest, "token">,
): Effect.fn.Return<ReadonlyArray<unknown>, CollectFailed> {
  const records: Array<unknown> = []
  let token: string | null = null
  for (let pages = 0; pages < PAGES_MAX; pages++) {
    const page: typeof Page.Type = yield* upstream.fetch(query, { name, ecosystem, token })
    records.push(...(page.vulns ?? []))
    token = page.next_page_token || null
    if (records.length > RECORDS_MAX) break
    if (token === null) return records
  }
  // A list that is too long is refused, not cut: what is missing would count as no vulnerability.
  return yield* new UpstreamError({ message: `more than ${PAGES_MAX} pages or ${RECORDS_MAX} records` })
})

/** Groups of the indices of things that share a name, directly or through others, in the order of their first members. */
export const united = (namesOf: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<ReadonlyArray<number>> => {
  const parents = namesOf.map((_, index) => index)
  const rootOf = (index: number): number => {
    let root = index
    while (parents[root] !== root) root = parents[root] ?? root
    // Later look-ups take one step.
    for (let at = index; at !== root; ) {
      const next = parents[at] ?? root
      parents[at] = root
      at = next
    }
    return root
  }
  const named = new Map<string, number>()
  for (const [index, names] of namesOf.entries())
    for (const name of names) {
      const other = named.get(name)
      if (other === undefined) named.set(name, index)
      else {
        const [one, two] = [rootOf(index), rootOf(other)]
        // The earlier one leads, so that groups keep the order of their first members.
        parents[Math.max(one, two)] = Math.min(one, two)
      }
    }
  const groups = new Map<number, Array<number>>()
  for (const index of namesOf.keys()) {
    const root = rootOf(index)
    const group = groups.get(root)
    if (group === undefined) groups.set(root, [index])
    else group.push(index)
  }
  return [...groups.values()]
}

/** The records of one vulnerability, and the highest probability of its CVE ids. */
const Group = Schema.Struct({ records: Schema.Array(OsvRecord), epss: Schema.NullOr(Schema.Finite) })

const groupsOf = ({ records, probabilities }: Collected): ReadonlyArray<unknown> | UpstreamError => {
  const groups = united(records.map(idsOf)).map((indices) => {
    const members = indices.map((index) => records[index])
    return { members, ids: new Set(members.flatMap(idsOf)) }
  })
  // Refused, not cut: by an id that is left out the vulnerability may be known to be exploited.
  if (groups.some(({ ids }) => ids.size > FLAW_ALIASES_MAX + 1))
    return new UpstreamError({ message: `a vulnerability has more than ${FLAW_ALIASES_MAX} other ids` })
  return groups.map(({ members, ids }) => {
    const known = [...ids].flatMap((id) => probabilities.get(id) ?? [])
    return { records: members, epss: known.length === 0 ? null : Math.max(...known) }
  })
}

/** Databases in the order in which their ids name a vulnerability. */
const databases = [/^CVE-/, /^GHSA-/, /^PYSEC-/]
const byDatabase = (one: string, other: string): number => {
  const [first = 0, second = 0] = [one, other].map((id) => {
    const rank = databases.findIndex((database) => database.test(id))
    return rank === -1 ? databases.length : rank
  })
  return first - second || (one < other ? -1 : 1)
}

const isFlawId = Schema.is(FlawId)

/** Names of packages of Python are equal but for case and separators (https://peps.python.org/pep-0503/). */
const plainName = (name: string, ecosystem: string): string =>
  ecosystem === "PyPI" ? name.toLowerCase().replace(/[-_.]+/g, "-") : name

const isOf = ({ affected }: OsvRecord, { name, ecosystem }: { readonly name: string; readonly ecosystem: string }) =>
  (affected ?? []).some(
    ({ package: one }) => one?.ecosystem === ecosystem && plainName(one.name, ecosystem) === plainName(name, ecosystem),
  )

const severityWords: ReadonlyMap<unknown, Flaw["severity"]> = new Map([
  ["CRITICAL", "critical"],
  ["HIGH", "high"],
  ["MODERATE", "medium"],
  ["MEDIUM", "medium"],
  ["LOW", "low"],
])

/** The rating of a score (https://www.first.org/cvss/v3.1/specification-document, 5); a score of 0 counts as low. */
const ratingOf = (score: number): Flaw["severity"] =>
  score >= 9 ? "critical" : score >= 7 ? "high" : score >= 4 ? "medium" : "low"

const firstOf = <One, Value>(all: ReadonlyArray<One>, read: (one: One) => Value | null | undefined): Value | null => {
  for (const one of all) {
    const value = read(one)
    if (value !== null && value !== undefined) return value
  }
  return null
}

const flaw = ({ records: unsorted, epss }: typeof Group.Type, { parameters }: ReadContext) => {
  const facts = factsOfPackage(parameters)
  if (!unsorted.every((record) => isOf(record, facts))) return unreadable("it is of another package")
  const records = unsorted.toSorted((one, other) => byDatabase(one.id, other.id))
  const [id = "", ...aliases] = [...new Set(records.flatMap(idsOf))].filter((one) => isFlawId(one)).sort(byDatabase)
  const cvss = firstOf(records, ({ severity }) => firstOf(severity ?? [], ({ score }) => cvss3Score(score ?? "")))
  const word = firstOf(records, (one) => severityWords.get(memberOf(one.database_specific, "severity")))
  const summaryOf = (text: string | null | undefined) => cleanTextOrNull(text, FLAW_SUMMARY_MAX_CHARACTERS)
  const published = records.flatMap((one) => isoMs(one.published) ?? [])
  return {
    id,
    aliases,
    severity: word ?? (cvss === null ? "unstated" : ratingOf(cvss)),
    cvss,
    epss,
    summary: firstOf(records, (one) => summaryOf(one.summary)) ?? firstOf(records, (one) => summaryOf(one.details)),
    publishedAt: published.length === 0 ? null : instantOrNull(Math.min(...published)),
    modifiedAt: instant(Math.max(...records.map(({ modified }) => modified))),
    url: `https://osv.dev/vulnerability/${records[0]?.id ?? id}`,
  }
}

const collect = Effect.fnUntraced(function* (
  upstream: Upstream,
  { parameters }: ReadContext,
): Effect.fn.Return<Collected, CollectFailed> {
  const records = (yield* recordsOf(upstream, factsOfPackage(parameters))).filter((one) => !isWithdrawn(one))
  const cves = [...new Set(records.flatMap(idsOf))].filter((id) => isCve(id)).sort()
  return { records, probabilities: yield* probabilitiesOf(upstream, cves) }
})

export default listSource({
  name: "osv",
  provider: ({ package: id = "" }) => `OSV.${id.replaceAll("-", "_")}`,
  fills: aiStackCves,
  every: "3 hours",
  documents: { query, scores },
  collect,
  recordedParameters: (wire) => {
    const vulns = memberOf(wire, "vulns")
    const [record] = Array.isArray(vulns) ? vulns : []
    const affected = memberOf(record, "affected")
    const names = (Array.isArray(affected) ? affected : []).map((one) => memberOf(memberOf(one, "package"), "name"))
    const id = aiPackages.find((one) => names.includes(factsOfPackage({ package: one }).name))
    return id === undefined ? null : { package: id }
  },
  rows: groupsOf,
  row: Group,
  toItem: flaw,
  contentAtMs: (_, read) => newestMs(read.map(({ item }) => item.modifiedAt)),
  attribution: {
    provider:
      "OSV (GitHub Advisory Database, Python Packaging Advisory Database, Go Vulnerability Database); EPSS by FIRST",
    licence: "CC BY 4.0; EPSS scores free of charge, with FIRST named",
    url: "https://osv.dev/",
  },
  terms: openTerms("https://google.github.io/osv.dev/data/", "CC BY 4.0; EPSS scores free of charge, with FIRST named"),
})
