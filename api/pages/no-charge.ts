import type { PremiumEndpoint } from "../../schemas/contract/endpoint-kinds.ts"
import type { NoCharge } from "../../schemas/contract/no-charge.ts"
import type { Piece } from "./page.ts"

/** A premium endpoint as the table shows it. */
export type PricedPath = Pick<PremiumEndpoint, "path" | "credits" | "noCharge">

/** The reasons of all endpoints, in the order of their first mention, each with its conditions by endpoint. */
const reasonsOf = (endpoints: ReadonlyArray<PricedPath>): ReadonlyMap<string, ReadonlyArray<NoCharge>> =>
  Map.groupBy(
    endpoints.flatMap(({ noCharge }) => noCharge),
    ({ reason }) => reason,
  )

/** What each reason means, in the order of their first mention. */
export const reasonTexts = (endpoints: ReadonlyArray<PricedPath>): ReadonlyArray<readonly [string, string]> =>
  [...reasonsOf(endpoints)].map(([name, conditions]) => {
    const descriptions = new Set(conditions.map(({ description }) => description.replace(/\.$/, "")))
    return [name, `${[...descriptions].join("; or: ")}.`]
  })

/** When the conditions of a reason are decided; a dash where there is none. */
const decidedOf = (conditions: ReadonlyArray<NoCharge>, name: string): string => {
  const decided = conditions.filter(({ reason }) => reason === name).map((condition) => condition.decided)
  return decided.length === 0 ? "-" : [...new Set(decided)].join(", ")
}

/** The table of premium endpoints by the reasons for which their calls are free of charge; nothing without endpoints. */
export const noChargePieces = (endpoints: ReadonlyArray<PricedPath>): ReadonlyArray<Piece> => {
  if (endpoints.length === 0) return []
  const reasons = reasonsOf(endpoints)
  const names = [...reasons.keys()]
  return [
    { heading: "When a call is free of charge" },
    {
      text: "The reply names the reason in billing.no_charge_reason, and its signed receipt says 0 credits. before: decided before the debit, so the call needs no credits. after: decided by the outcome, so the call needs its credits, and they are given back.",
    },
    {
      table: {
        head: ["Endpoint", "Credits", ...names],
        rows: endpoints.map(({ path, credits, noCharge }) => [
          path,
          String(credits),
          ...names.map((name) => decidedOf(noCharge, name)),
        ]),
      },
    },
    {
      list: reasonTexts(endpoints).map(([name, text]) => `${name}: ${text}`),
    },
  ]
}
