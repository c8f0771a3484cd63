import * as Schema from "effect/Schema"
import { recordedDocuments } from "../../ingestors/captures.ts"
import { document } from "../../ingestors/document.ts"
import { Decimal } from "../../ingestors/readers/wire.ts"
import { WireBlock } from "../../ingestors/sources/ethereum-rpc/ethereum-block.ts"
import ethereumRpc from "../../ingestors/sources/ethereum-rpc.ts"

/** The result of an answer without the answer around it. */
const blockResult = document({
  format: "json",
  wire: WireBlock,
  url: "https://ethereum-rpc.publicnode.com/",
})

/** The gas oracle of Etherscan, which wants a key: prices in gwei. */
const gasOracle = document({
  format: "json",
  wire: Schema.Struct({
    status: Schema.Literal("1"),
    result: Schema.Struct({
      LastBlock: Decimal,
      SafeGasPrice: Decimal,
      ProposeGasPrice: Decimal,
      FastGasPrice: Decimal,
      suggestBaseFee: Decimal,
      gasUsedRatio: Schema.String,
    }),
  }),
  url: "https://api.etherscan.io/v2/api?chainid=1&module=gastracker&action=gasoracle",
})

export default recordedDocuments(ethereumRpc, { blockResult, gasOracle })
