import * as Schema from "effect/Schema"
import { recordedDocuments } from "../../ingestors/captures.ts"
import { document } from "../../ingestors/document.ts"
import { IsoTime } from "../../ingestors/readers/wire.ts"
import osv from "../../ingestors/sources/osv.ts"

/** https://google.github.io/osv.dev/get-v1-vulns/ One record by its id. */
const record = document({
  format: "json",
  wire: Schema.Struct({ id: Schema.NonEmptyString, modified: IsoTime, affected: Schema.Array(Schema.Unknown) }),
  url: (id: string) => `https://api.osv.dev/v1/vulns/${id}`,
})

/** https://google.github.io/osv.dev/post-v1-querybatch/ Ids alone, for which each record would have to be fetched. */
const batch = document({
  format: "json",
  method: "POST",
  wire: Schema.Struct({ results: Schema.Array(Schema.Unknown) }),
  url: "https://api.osv.dev/v1/querybatch",
  body: { queries: [] },
})

/** A record as its database keeps it, in YAML. */
const file = document({
  format: "text",
  wire: Schema.String.check(Schema.isPattern(/^id: \S+$/m)),
  url: (id: string) => `https://raw.githubusercontent.com/pypa/advisory-database/main/vulns/${id}.yaml`,
})

export default recordedDocuments(osv, { record, batch, file })
