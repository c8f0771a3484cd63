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

/** Endpoints that a cell names at the most, before it says how many there are. */
const NAMED_MAX = 3

const namesOf = (paths: ReadonlyArray<string>): string => paths.map((path) => `\`${path}\``).join(", ")

/** Which endpoints, in few words. */
const whichText = (paths: ReadonlyArray<string>, all: ReadonlyArray<string>): string => {
  const others = all.filter((path) => !paths.includes(path))
  if (others.length === 0) return "all"
  return others.length <= NAMED_MAX && others.length < paths.length ? `all but ${namesOf(others)}` : namesOf(paths)
}

/** A row for each reason and each time at which it is decided. */
const rowsOf = (endpoints: ReadonlyArray<PricedPath>): ReadonlyArray<ReadonlyArray<string>> => {
  const all = endpoints.map(({ path }) => path)
  return reasonTexts(endpoints).flatMap(([reason, text]) => {
    const decided = endpoints.flatMap(({ path, noCharge }) => {
      const own = noCharge.filter((one) => one.reason === reason).map((one) => one.decided)
      return own.length === 0 ? [] : [{ path, when: [...new Set(own)].join(", ") }]
    })
    return [...Map.groupBy(decided, ({ when }) => when)].map(([when, own], at) => [
      `\`${reason}\``,
      when,
      whichText(
        own.map(({ path }) => path),
        all,
      ),
      at === 0 ? text : "As above.",
    ])
  })
}

/** For which reasons calls of premium endpoints are free of charge, and of which; nothing without endpoints. */
export const noChargePieces = (endpoints: ReadonlyArray<PricedPath>): ReadonlyArray<Piece> =>
  endpoints.length === 0
    ? []
    : [
        { heading: "When a call is free of charge" },
        {
          text: "The reply names the reason in `billing.no_charge_reason`, and its signed receipt says 0 credits. A reason that is decided before the debit needs no credits for the call. One that is decided after it, by the outcome, needs the credits of the call, and they are given back.",
        },
        {
          table: {
            head: ["Reason", "Decided", "Endpoints", "When"],
            rows: rowsOf(endpoints),
            isStacked: true,
          },
        },
      ]
