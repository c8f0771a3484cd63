import { recordedDocuments } from "../../ingestors/captures.ts"
import { document } from "../../ingestors/document.ts"
import ethereumGas, { WireFees } from "../../ingestors/sources/ethereum-gas.ts"

/** The result of an answer without the answer around it, asked for without percentiles. */
const feesResult = document({
  format: "json",
  wire: WireFees,
  url: "https://ethereum-rpc.publicnode.com/",
})

export default recordedDocuments(ethereumGas, { feesResult })
