interface PremiumSays {
  readonly error?: string
  readonly billing?: { readonly no_charge_reason?: string }
}

const outcomeOf = async (reply: Response): Promise<string> => {
  const body = (await reply.json()) as PremiumSays
  if (reply.status !== 200) return `${reply.status} ${body.error}`
  return reply.headers.get("x-credits-charged") === "0" ? `free: ${body.billing?.no_charge_reason}` : "charged"
}

/** Counts premium replies by outcome: `charged`, `free: <reason>`, or a status with its error. Reads the bodies. */
export const outcomesOf = async (replies: ReadonlyArray<Response>): Promise<Readonly<Record<string, number>>> => {
  const outcomes = Map.groupBy(await Promise.all(replies.map(outcomeOf)), (outcome) => outcome)
  return Object.fromEntries([...outcomes].map(([outcome, { length }]) => [outcome, length]))
}
