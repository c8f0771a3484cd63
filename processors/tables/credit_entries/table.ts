import { hash } from "node:crypto"
import { creditsDebited, creditsRefunded, debitSettled } from "../../../schemas/events/ledger.ts"
import { eventsTable } from "../../table.ts"

const PSEUDONYM_DIGITS = 32

/**
 * The name of an account for analysts. Ids of accounts are random, so the hash leads back to none; an operator, who knows
 * the id, can compute it.
 */
export const pseudonymOf = (account: string): string => hash("sha256", account, "hex").slice(0, PSEUDONYM_DIGITS)

type Moved = {
  readonly credits: number
  readonly purpose?: string
  readonly reason?: string
}

export default eventsTable(import.meta.url, {
  types: [creditsDebited, debitSettled, creditsRefunded],
  rows: ({ type, time, data }) => {
    const row = ({ credits, purpose = "", reason = "" }: Moved) => [
      {
        account: pseudonymOf(data.account),
        at: time,
        type,
        // Adding zero turns the -0 of a debit of nothing into 0.
        credits: credits + 0,
        debit: data.debit,
        purpose,
        reason,
      },
    ]
    if ("purpose" in data) return row({ credits: -data.credits, purpose: data.purpose })
    if ("returned" in data) return row({ credits: data.returned, reason: data.noChargeReason ?? "" })
    return row({ credits: data.credits, reason: data.reason })
  },
})
