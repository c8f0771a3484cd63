import * as Schema from "effect/Schema"
import { instant } from "../../schemas/event.ts"
import { MALWARE_URLS_MAX, malwareUrlStatuses, malwareUrls } from "../../schemas/feeds/malware-urls.ts"
import { document } from "../document.ts"
import { unreadable } from "../poll/read.ts"
import {
  AbuseChTime,
  abuseChDataSet,
  abuseChHeaders,
  entryItem,
  entryMembers,
  indicatorOrNull,
} from "../readers/abuse-ch.ts"
import { newestMs } from "../readers/instants.ts"
import { maybe } from "../readers/wire.ts"
import { listSource } from "../source.ts"

/** https://urlhaus-api.abuse.ch/#urls-recent One address. It is never requested. */
const Entry = Schema.Struct({
  ...entryMembers,
  url: Schema.String,
  url_status: maybe(Schema.String),
  date_added: AbuseChTime,
  threat: maybe(Schema.String),
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
    ...entryItem(entry, entry.threat),
    url,
    status: malwareUrlStatuses.find((status) => status === entry.url_status) ?? "unknown",
    addedAt: instant(entry.date_added),
  }
}

export default listSource({
  name: "urlhaus",
  provider: "URLhaus.malware_urls",
  fills: malwareUrls,
  every: "5 minutes",
  ...abuseChDataSet({
    provider: "URLhaus by abuse.ch",
    siteUrl: "https://urlhaus.abuse.ch/",
    termsUrl: "https://urlhaus.abuse.ch/api/",
    recent,
    rowsOf: ({ urls }) => urls,
  }),
  row: Entry,
  toItem: malwareUrl,
  contentAtMs: (_, read) => newestMs(read.map(({ item }) => item.addedAt)),
})
