import type { Transaction } from "../chain.port.ts"
import { transactionOf } from "../fold/event.ts"
import type { State } from "../fold/state.ts"
import type { Refusal } from "../refusal.ts"
import { CONFIRMATIONS_MIN, PROVISIONAL_UNITS_MAX } from "../rules.ts"

// The depth that a transaction needs: a few blocks for a small amount, else a `safe` block.

/** Credits that a reorganisation of a few blocks could void together. */
export interface Exposure {
  /** `transactionKey` of the transaction. */
  readonly transaction: string
  /** Units of all its transfers to the wallet, of all payers and claimants. */
  readonly units: number
  /** The account that is credited; null for a new one. */
  readonly account: string | null
  readonly payers: Iterable<string>
}

/**
 * Units that decide how deep a transaction must be: all of the transaction, and all other provisional purchases of the
 * account and of the payers, each once. Counting stops above `PROVISIONAL_UNITS_MAX`.
 */
export const exposedUnits = (state: State, { transaction, units, account, payers }: Exposure): number => {
  const counted = new Set<string>()
  let sum = units
  for (const list of [
    ...(account === null ? [] : [`account/${account}`]),
    ...Array.from(payers, (one) => `payer/${one}`),
  ])
    for (const { key, units } of state.provisional.get(list) ?? []) {
      if (sum > PROVISIONAL_UNITS_MAX) return sum
      if (counted.has(key) || transactionOf(key) === transaction) continue
      counted.add(key)
      sum += units
    }
  return sum
}

/** The refusal of a transaction that is not deep enough for so many units; undefined if it is. */
export const notDeepEnough = (
  { depth, confirmations }: Pick<Transaction, "depth" | "confirmations">,
  units: number,
): Refusal | undefined => {
  if (depth !== "latest") return undefined
  if (units > PROVISIONAL_UNITS_MAX) return { _tag: "pending", confirmations, required: "safe" }
  return confirmations < CONFIRMATIONS_MIN ? { _tag: "pending", confirmations, required: CONFIRMATIONS_MIN } : undefined
}
