import {
  cyberThreatsEndpoint,
  SHOWN_INDICATOR_MAX_CHARACTERS,
  THREAT_MAX_CHARACTERS,
  THREATS_OF_EACH_MAX,
  type Threat,
} from "../../schemas/endpoints/cyber-threats.ts"
import { type KnownExploited, knownExploited } from "../../schemas/feeds/known-exploited.ts"
import { type MalwareUrl, malwareUrls } from "../../schemas/feeds/malware-urls.ts"
import {
  MALWARE_NAME_MAX_CHARACTERS,
  type ThreatIndicator,
  threatIndicators,
} from "../../schemas/feeds/threat-indicators.ts"
import { TAG_MAX_CHARACTERS } from "../../schemas/values.ts"
import { changesOf, optionally, type Reading, rowsBy, view } from "../view/view.ts"

/** The full stop, and the characters that browsers read as one in a host. */
const DOTS = /[.\u3002\uff0e\uff61]/g
/** An IPv6 address in brackets. */
const BRACKETED = /\[[0-9a-f:.%]+\]/gi
/** `http` and `https` where a scheme ends with them, encoded ones included. */
const WEB_SCHEME = /(h)tt(ps?)(?=:|%3a)/gi
/** The end of any other scheme, with slashes of either kind behind it. */
const OTHER_SCHEME = /(?<!hxxps?):(?=[\\/]{2})/gi

/**
 * Changes a malicious address so that no program opens it and a person still reads it: `hxxp` for `http`, `[:]` for the
 * colon of other schemes and of IPv6 addresses, and `[.]` for every dot.
 */
export const defang = (text: string): string =>
  text
    .replace(BRACKETED, (address) => address.replaceAll(":", "[:]"))
    .replace(WEB_SCHEME, "$1xx$2")
    .replace(OTHER_SCHEME, "[:]")
    .replace(DOTS, "[.]")

/** A text defanged and then cut, so that its end is never an address. */
const defanged = (text: string, charactersMax: number): string => [...defang(text)].slice(0, charactersMax).join("")

const shownIndicator = (raw: string): string => defanged(raw, SHOWN_INDICATOR_MAX_CHARACTERS)

const shownTags = (tags: ReadonlyArray<string>): ReadonlyArray<string> =>
  tags.map((tag) => defanged(tag, TAG_MAX_CHARACTERS))

/** The page of an entry at its source. What a reporter links to is not shown, as it may be the threat itself. */
const pageOf = (site: string, id: string): string | null => (/^\d{1,20}$/.test(id) ? `${site}${id}/` : null)

const malwareUrlRow = (item: MalwareUrl): Threat => ({
  source: "urlhaus",
  type: "malware_url",
  indicator: shownIndicator(item.url),
  threat: defanged(item.threat, THREAT_MAX_CHARACTERS),
  date: item.addedAt,
  malware: null,
  confidence: null,
  tags: shownTags(item.tags),
  reference: pageOf("https://urlhaus.abuse.ch/url/", item.id),
})

const indicatorRow = (item: ThreatIndicator): Threat => ({
  source: "threatfox",
  type: item.type,
  indicator: shownIndicator(item.indicator),
  threat: defanged(item.threat, THREAT_MAX_CHARACTERS),
  date: item.firstSeen,
  malware: item.malwareName === null ? null : defanged(item.malwareName, MALWARE_NAME_MAX_CHARACTERS),
  confidence: item.confidencePercent,
  tags: shownTags(item.tags),
  reference: pageOf("https://threatfox.abuse.ch/ioc/", item.id),
})

const exploitedRow = (item: KnownExploited): Threat => ({
  source: "cisa_kev",
  type: "exploited_vulnerability",
  indicator: item.cve,
  threat: item.name,
  date: item.addedOn,
  malware: null,
  confidence: null,
  tags: [],
  reference: `https://nvd.nist.gov/vuln/detail/${item.cve}`,
})

const rows = {
  malwareUrls: rowsBy(malwareUrlRow),
  indicators: rowsBy(indicatorRow),
  exploited: rowsBy(exploitedRow),
}
const rawRows: typeof rows = {
  malwareUrls: rowsBy((item) => ({ ...malwareUrlRow(item), indicator_raw: item.url })),
  indicators: rowsBy((item) => ({ ...indicatorRow(item), indicator_raw: item.indicator })),
  exploited: rowsBy((item) => ({ ...exploitedRow(item), indicator_raw: item.cve })),
}

type Read<Item> = Reading<{ readonly items: ReadonlyArray<Item> }> | null

const countOf = <Item>(read: Read<Item>): number | null => read?.payload.items.length ?? null
const newestOf = <Item>(read: Read<Item>): ReadonlyArray<Item> =>
  read?.payload.items.slice(0, THREATS_OF_EACH_MAX) ?? []

export default view({
  endpoint: cyberThreatsEndpoint,
  instances: [{ raw: "false" }, { raw: "true" }],
  // Each source alone is worth a reply, as two of them need a key.
  reads: {
    addresses: optionally(malwareUrls),
    indicators: optionally(threatIndicators),
    catalogue: optionally(knownExploited),
  },
  // Defanged, as where `raw` is not asked for.
  changes: [
    changesOf(malwareUrls, malwareUrlRow),
    changesOf(threatIndicators, indicatorRow),
    changesOf(knownExploited, exploitedRow),
  ],
  build: ({ addresses, indicators, catalogue }, { parameters }) => {
    const made = parameters.raw === "true" ? rawRows : rows
    // A day sorts before every time of it.
    const threats = [
      ...made.malwareUrls(newestOf(addresses)),
      ...made.indicators(newestOf(indicators)),
      ...made.exploited(newestOf(catalogue)),
    ].sort((one, other) => (one.date === other.date ? 0 : one.date < other.date ? 1 : -1))
    return {
      count: threats.length,
      counts_by_source: { urlhaus: countOf(addresses), threatfox: countOf(indicators), cisa_kev: countOf(catalogue) },
      threats,
    }
  },
})
