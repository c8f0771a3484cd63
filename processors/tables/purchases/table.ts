import { purchaseCredited, purchaseFinalised, purchaseReversed } from "../../../schemas/events/ledger.ts"
import { eventsTable } from "../../table.ts"

const types = [purchaseCredited, purchaseFinalised, purchaseReversed] as const

type PurchaseRow = {
  readonly chain_id: number
  readonly transaction: string
  readonly position: number
  readonly status: "credited" | "finalised" | "reversed"
  readonly at: string
  readonly units: number | null
  readonly credits: number
  readonly shortfall: number
  readonly evidence: string
  readonly is_provisional: boolean | null
  readonly block_hash: string
  readonly block_number: number | null
  readonly block_at: string | null
}

/** Columns that only the event of a credited purchase has. */
const absent = { units: null, evidence: "", is_provisional: null, block_number: null, block_at: null } as const

export default eventsTable(import.meta.url, {
  types,
  rows: ({ time, data }): ReadonlyArray<PurchaseRow> => {
    const common = {
      chain_id: data.payment.chainId,
      transaction: data.payment.transaction,
      position: data.payment.position,
      at: time,
    }
    if ("units" in data)
      return [
        {
          ...common,
          status: "credited",
          units: data.units,
          credits: data.credits,
          shortfall: 0,
          evidence: data.evidence,
          is_provisional: data.provisional,
          block_hash: data.block.hash,
          block_number: data.block.number,
          block_at: data.block.at,
        },
      ]
    const known = { ...common, ...absent, block_hash: data.blockHash }
    return "taken" in data
      ? [{ ...known, status: "reversed", credits: -data.taken - data.shortfall + 0, shortfall: data.shortfall }]
      : [{ ...known, status: "finalised", credits: 0, shortfall: 0 }]
  },
})
