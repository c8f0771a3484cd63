import * as Schema from "effect/Schema"
import { instant } from "../../schemas/event.ts"
import { MALWARE_URLS_MAX, malwareUrlStatuses, malwareUrls } from "../../schemas/feeds/malware-urls.ts"
import { document } from "../document.ts"
import { unreadable } from "../poll/read.ts"
import { ABUSE_CH_LICENCE, abuseCh } from "../providers/abuse-ch.ts"
import {
  AbuseChId,
  AbuseChTags,
  AbuseChTime,
  abuseChHeaders,
  abuseChRows,
  indicatorOrNull,
  tagsOf,
} from "../readers/abuse-ch.ts"
import { newestMs } from "../readers/instants.ts"
import { cleanText } from "../readers/text.ts"
import { maybe } from "../readers/wire.ts"
import { listSource } from "../source.ts"
import { termsOf } from "../terms.ts"

/** https://urlhaus-api.abuse.ch/#urls-recent One address. It is never requested. */
const Entry = Schema.Struct({
  id: AbuseChId,
  url: Schema.String,
  url_status: maybe(Schema.String),
  date_added: AbuseChTime,
  threat: maybe(Schema.String),
  tags: AbuseChTags,
})
type Entry = typeof Entry.Type

const Recent = Schema.Struct({ query_status: Schema.String, urls: Schema.optionalKey(Schema.Unknown) })

const recent = document({
  format: "json",
  wire: Recent,
  url: `https://urlhaus-api.abuse.ch/v1/urls/recent/limit/${MALWARE_URLS_MAX}/`,
  headers: abuseChHeaders,
})

const malwareUrl = (entry: Entry) => {
  const url = indicatorOrNull(entry.url)
  if (url === null) return unreadable("its address cannot be shown as it is")
  return {
    id: cleanText(entry.id, 40),
    url,
    status: malwareUrlStatuses.find((status) => status === entry.url_status) ?? "unknown",
    threat: cleanText(entry.threat ?? "", 80) || "unknown",
    tags: tagsOf(entry.tags),
    addedAt: instant(entry.date_added),
  }
}

export default listSource({
  name: "urlhaus",
  provider: "URLhaus.malware_urls",
  fills: malwareUrls,
  every: "5 minutes",
  access: abuseCh,
  documents: { recent },
  collect: (upstream, { key }) => upstream.fetch(recent, key),
  rows: ({ query_status, urls }) => abuseChRows(query_status, urls),
  row: Entry,
  toItem: malwareUrl,
  contentAtMs: (_, read) => newestMs(read.map(({ item }) => item.addedAt)),
  attribution: {
    provider: "URLhaus by abuse.ch",
    licence: ABUSE_CH_LICENCE,
    url: "https://urlhaus.abuse.ch/",
  },
  terms: termsOf({
    use: "restricted",
    url: "https://urlhaus.abuse.ch/api/",
    clause: "abuse.ch, 2025-11-04: not for profit; commercial use through Spamhaus",
    sold: "no",
  }),
})
