import * as Schema from "effect/Schema"
import { recordedDocuments } from "../../ingestors/captures.ts"
import { document } from "../../ingestors/document.ts"
import { csvTable } from "../../ingestors/readers/csv.ts"
import urlhaus from "../../ingestors/sources/urlhaus.ts"

const columns = ["id", "dateadded", "url", "url_status", "last_online", "threat", "tags", "urlhaus_link", "reporter"]

/** One address in the file for download, where the tags are one text, `None` where there are none. */
export const MalwareUrlRow = Schema.Struct({
  id: Schema.NonEmptyString,
  dateadded: Schema.String,
  url: Schema.String,
  url_status: Schema.String,
  threat: Schema.String,
  tags: Schema.String,
})

/** https://urlhaus.abuse.ch/api/#csv The addresses of the last 30 days, which are too many to fetch every five minutes. */
const download = document({
  format: "csv",
  wire: csvTable(columns, MalwareUrlRow),
  url: "https://urlhaus.abuse.ch/downloads/csv_recent/",
})

export default recordedDocuments(urlhaus, { download })
