import type { Confirm } from "../../ledger/command.ts"
import {
  address,
  buyer,
  confirm,
  confirmed,
  type Scenario,
  tokenOf,
  transfer,
  word,
} from "../conformance/ledger/given.ts"

// How the attacks on accounts claim, and what they look at.

export const stranger = address("stranger")
export const [memo, other] = [word("memo"), word("other memo")]
export const [byMemo, byOther] = [{ memoHash: memo }, { memoHash: other }]
export const [byBuyer, byStranger] = [{ signer: buyer }, { signer: stranger }]
export const USD = 1_000_000

/** A transfer whose payer has signed this hash as its nonce. */
export const naming = (hash: string, payer: string, units: number, position = 0) =>
  transfer(payer, units, { position, authorization: { authorizer: payer, nonce: hash } })

/** Claims, each for an account of its own should one be opened; the token and the account, or the refusal's name. */
export const claim = (scenario: Scenario, paid: Confirm["transaction"], shown: Partial<Confirm>) => {
  const newAccount = `account ${scenario.history.length}`
  const outcome = confirmed(scenario, confirm(paid, { newAccount, ...shown }))
  if ("refused" in outcome) return { refused: outcome.refused._tag, refusal: outcome.refused }
  const { account, credits, token } = outcome.answer
  return { account, credits, token: token === null ? null : tokenOf(token.claimant, token.origin, token.generation) }
}
export const refusedAs = (by: "memo" | "payer" | "operator", shown: string | null, bearer = false) => ({
  refused: "already_credited",
  refusal: { _tag: "already_credited", opener: { by, shown, bearer } },
})
export const balances = ({ state }: Scenario) =>
  Array.from(state.accounts.entries(), ([, { balance }]) => balance).sort((one, two) => one - two)
export const revoke = (scenario: Scenario, token: string | null | undefined) =>
  scenario.accepted({ _tag: "revoke", token: token ?? "none", confirmed: true })
