import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { dayMs } from "../../schemas/day.ts"
import { knownExploited } from "../../schemas/feeds/known-exploited.ts"
import { document, UpstreamError } from "../document.ts"
import { unreadable } from "../poll/read.ts"
import { newestMs } from "../readers/instants.ts"
import { cleanText, cleanTextOrNull } from "../readers/text.ts"
import { isoMs, maybe } from "../readers/wire.ts"
import { listSource } from "../source.ts"
import { openTerms } from "../terms.ts"

/** https://www.cisa.gov/known-exploited-vulnerabilities-catalog One vulnerability. Values may carry trailing blanks. */
const Entry = Schema.Struct({
  cveID: Schema.String,
  vendorProject: maybe(Schema.String),
  product: maybe(Schema.String),
  vulnerabilityName: maybe(Schema.String),
  dateAdded: Schema.String,
  dueDate: maybe(Schema.String),
  knownRansomwareCampaignUse: maybe(Schema.String),
  cwes: maybe(Schema.Array(Schema.String)),
})
type Entry = typeof Entry.Type

const Catalogue = Schema.Struct({
  title: Schema.String,
  dateReleased: maybe(Schema.String),
  vulnerabilities: Schema.Array(Schema.Unknown),
})

/** Six times the catalogue of 2025. */
const BODY_MAX_BYTES = 8 * 1024 * 1024

const catalogueAt = (url: string) => document({ format: "json", wire: Catalogue, url, bodyBytesMax: BODY_MAX_BYTES })
const catalogue = catalogueAt("https://www.cisa.gov/sites/default/files/feeds/known_exploited_vulnerabilities.json")
/** The same file in a repository of the agency, whose own host answers 403 to some programs. */
const mirror = catalogueAt(
  "https://raw.githubusercontent.com/cisagov/kev-data/develop/known_exploited_vulnerabilities.json",
)

const TITLE = /known exploited vulnerabilities/i
const WEAKNESS = /^CWE-\d{1,6}$/

/** The last day that is served and stored. */
const DAY_MAX = "2099-12-31"

const dayOrNull = (text: string | null | undefined): string | null => {
  const day = text?.trim() ?? ""
  return dayMs(day) === null || day > DAY_MAX ? null : day
}

const exploited = (entry: Entry) => {
  const cve = entry.cveID.trim().toUpperCase()
  const addedOn = dayOrNull(entry.dateAdded)
  if (addedOn === null) return unreadable("the day of its addition is none")
  return {
    cve,
    vendor: cleanTextOrNull(entry.vendorProject, 120),
    product: cleanTextOrNull(entry.product, 120),
    name: cleanText(entry.vulnerabilityName ?? "", 200) || cve,
    addedOn,
    dueOn: dayOrNull(entry.dueDate),
    ransomware: /^known$/i.test(entry.knownRansomwareCampaignUse?.trim() ?? ""),
    weaknesses: [...new Set(entry.cwes ?? [])].filter((id) => WEAKNESS.test(id)),
  }
}

export default listSource({
  name: "cisa-kev",
  provider: "CISA.known_exploited",
  fills: knownExploited,
  every: "1 hour",
  documents: { catalogue, mirror },
  collect: (upstream) =>
    upstream
      .fetch(catalogue, undefined)
      .pipe(
        Effect.catch((failed) =>
          failed._tag === "HttpFailed" && failed.status === 403
            ? upstream.fetch(mirror, undefined)
            : Effect.fail(failed),
        ),
      ),
  rows: ({ title, vulnerabilities }) =>
    TITLE.test(title) ? vulnerabilities : new UpstreamError({ message: "the answer is not the catalogue" }),
  row: Entry,
  toItem: exploited,
  contentAtMs: ({ dateReleased }, read) =>
    isoMs(dateReleased) ?? newestMs(read.map(({ item }) => `${item.addedOn}T00:00:00.000Z`)),
  attribution: {
    provider: "US Cybersecurity and Infrastructure Security Agency",
    licence: "CC0 1.0",
    url: "https://www.cisa.gov/known-exploited-vulnerabilities-catalog",
  },
  terms: openTerms("https://www.cisa.gov/sites/default/files/licenses/kev/license.txt", "CC0 1.0"),
})
