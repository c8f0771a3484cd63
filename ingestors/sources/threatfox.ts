import * as Schema from "effect/Schema"
import { instant } from "../../schemas/event.ts"
import {
  MALWARE_NAME_MAX_CHARACTERS,
  type ThreatIndicator,
  threatIndicators,
} from "../../schemas/feeds/threat-indicators.ts"
import { document } from "../document.ts"
import { notOurs, unreadable } from "../poll/read.ts"
import {
  AbuseChTime,
  abuseChDataSet,
  abuseChHeaders,
  abuseChMs,
  entryItem,
  entryMembers,
  indicatorOrNull,
} from "../readers/abuse-ch.ts"
import { instantOrNull, newestMs } from "../readers/instants.ts"
import { within } from "../readers/numbers.ts"
import { cleanTextOrNull, httpUrl } from "../readers/text.ts"
import { Decimal, maybe } from "../readers/wire.ts"
import { listSource } from "../source.ts"

/** https://threatfox.abuse.ch/api/#recent-iocs One indicator. Its address is never requested. */
const Entry = Schema.Struct({
  ...entryMembers,
  ioc: Schema.String,
  ioc_type: Schema.String,
  threat_type: maybe(Schema.String),
  malware: maybe(Schema.String),
  malware_printable: maybe(Schema.String),
  confidence_level: maybe(Decimal),
  first_seen: AbuseChTime,
  last_seen: maybe(Schema.String),
  reference: maybe(Schema.String),
})
type Entry = typeof Entry.Type

/** Where there is no result, `data` is a text. */
const Recent = Schema.Struct({ query_status: Schema.String, data: Schema.optionalKey(Schema.Unknown) })

/** A busy day has some thousands of indicators, of 1 KB each. */
const BODY_MAX_BYTES = 16 * 1024 * 1024

const recent = document({
  format: "json",
  method: "POST",
  wire: Recent,
  url: "https://threatfox-api.abuse.ch/api/v1/",
  headers: abuseChHeaders,
  body: { query: "get_iocs", days: 1 },
  bodyBytesMax: BODY_MAX_BYTES,
})

/** The kinds that are taken; senders and texts of mails are not. */
const types: ReadonlyMap<string, ThreatIndicator["type"]> = new Map([
  ["domain", "domain"],
  ["ip:port", "ip_port"],
  ["url", "url"],
  ["md5_hash", "file_hash"],
  ["sha1_hash", "file_hash"],
  ["sha256_hash", "file_hash"],
])

/** The name of a family; null where the provider says that it is unknown. */
const familyOrNull = (name: string | null | undefined): string | null =>
  /^unknown( malware)?$/i.test(name?.trim() ?? "") ? null : cleanTextOrNull(name, MALWARE_NAME_MAX_CHARACTERS)

const threatIndicator = (entry: Entry) => {
  const type = types.get(entry.ioc_type)
  if (type === undefined) return notOurs
  const indicator = indicatorOrNull(entry.ioc)
  if (indicator === null) return unreadable("the indicator cannot be shown as it is")
  const confidence = within(entry.confidence_level, 0, 100)
  return {
    ...entryItem(entry, entry.threat_type),
    type,
    indicator,
    malware: familyOrNull(entry.malware),
    malwareName: familyOrNull(entry.malware_printable),
    confidencePercent: confidence === null ? null : Math.round(confidence),
    firstSeen: instant(entry.first_seen),
    lastSeen: instantOrNull(abuseChMs(entry.last_seen)),
    reference: httpUrl(entry.reference),
  }
}

export default listSource({
  name: "threatfox",
  provider: "ThreatFox.indicators",
  fills: threatIndicators,
  every: "10 minutes",
  ...abuseChDataSet({
    provider: "ThreatFox by abuse.ch",
    siteUrl: "https://threatfox.abuse.ch/",
    termsUrl: "https://threatfox.abuse.ch/faq/",
    recent,
    rowsOf: ({ data }) => data,
  }),
  row: Entry,
  toItem: threatIndicator,
  contentAtMs: (_, read) => newestMs(read.map(({ item }) => item.firstSeen)),
})
