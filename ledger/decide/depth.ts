import type { Transaction } from "../chain.port.ts"
import { transactionOf } from "../fold/event.ts"
import type { State } from "../fold/state.ts"
import type { Refusal } from "../refusal.ts"
import { CONFIRMATIONS_MIN, PROVISIONAL_UNITS_MAX } from "../rules.ts"

// How deep a transaction must be: a few blocks for a small amount, else what the chain calls safe.

/** What would be lost together, should a few blocks be taken back. */
export interface Exposure {
  /** Transaction, as `transactionKey` writes it. */
  readonly transaction: string
  /** Units of all its transfers to the wallet, of all payers and claimants. */
  readonly units: number
  /** The account that is credited; null for a new one. */
  readonly account: string | null
  readonly payers: Iterable<string>
}

/**
 * Units that decide how deep a transaction must be: all of the transaction, and what else is provisional and not final of
 * the account and of the payers, each purchase once. It stops counting above what a few blocks are enough for.
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

/** Why a transaction is not deep enough for so many units; undefined where it is. */
export const notDeepEnough = (
  { depth, confirmations }: Pick<Transaction, "depth" | "confirmations">,
  units: number,
): Refusal | undefined => {
  if (depth !== "latest") return undefined
  if (units > PROVISIONAL_UNITS_MAX) return { _tag: "pending", confirmations, required: "safe" }
  return confirmations < CONFIRMATIONS_MIN ? { _tag: "pending", confirmations, required: CONFIRMATIONS_MIN } : undefined
}
