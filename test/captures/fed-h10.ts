import { recordedDocuments } from "../../ingestors/captures.ts"
import { document } from "../../ingestors/document.ts"
import fedH10 from "../../ingestors/sources/fed-h10.ts"
import { FedDownload } from "../../ingestors/sources/fed-h15.ts"

/** The same release by the Data Download Program, which is being retired. */
const download = document({
  format: "csv",
  wire: FedDownload,
  url: "https://www.federalreserve.gov/datadownload/Output.aspx?rel=H10&filetype=csv&label=include&layout=seriescolumn",
})

export default recordedDocuments(fedH10, { download })
