import {
  creditsDebited,
  creditsGranted,
  creditsRefunded,
  debitSettled,
  purchaseCredited,
  purchaseReversed,
} from "../../../schemas/events/ledger.ts"
import { eventsTable, monthOf } from "../../table.ts"

const types = [
  purchaseCredited,
  purchaseReversed,
  creditsGranted,
  creditsDebited,
  debitSettled,
  creditsRefunded,
] as const

type Moved = {
  readonly credits: number
  readonly debit?: string
  readonly purpose?: string
  readonly reason?: string
}

export default eventsTable({
  name: "credit_entries",
  types,
  rows: ({ type, time, data }) => {
    const row = ({ credits, debit = "", purpose = "", reason = "" }: Moved) => [
      {
        account: data.account,
        account_sequence: data.accountSequence,
        sequence: data.sequence,
        at: time,
        type,
        // Adding zero turns the -0 of a debit of nothing into 0.
        credits: credits + 0,
        debit,
        purpose,
        reason,
      },
    ]
    if ("taken" in data) return row({ credits: -data.taken - data.shortfall })
    if ("purpose" in data) return row({ credits: -data.credits, debit: data.debit, purpose: data.purpose })
    if ("returned" in data) return row({ credits: data.returned, debit: data.debit, reason: data.noChargeReason ?? "" })
    if ("debit" in data) return row({ credits: data.credits, debit: data.debit, reason: data.reason })
    return row({ credits: data.credits })
  },
  partition: (row) => monthOf(row.at),
})
