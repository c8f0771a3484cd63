import { buyingRules, KEY_LIFE_MS } from "../../../ledger/client.ts"
import { NOTICE_MIN_DAYS } from "../../../schemas/contract/deprecation.ts"
import { type Counted, isPremium, type PremiumEndpoint } from "../../../schemas/contract/endpoint-kinds.ts"
import { MCP_REVISIONS } from "../../../schemas/contract/mcp.ts"
import { ASKED_USD_MAX, ASKED_USD_MIN } from "../../../schemas/contract/payment.ts"
import { CREDITS_PER_USD, usdOfCredits } from "../../../schemas/contract/refusal.ts"
import { Meta, Problem } from "../../../schemas/contract/reply.ts"
import type { Responses } from "../../../schemas/contract/responses.ts"
import { receiptVerifyEndpoint } from "../../../schemas/endpoints/receipt-verify.ts"
import { STATUS_DAYS } from "../../../schemas/endpoints/status.ts"
import { CONTRACT_VERSION } from "../../../schemas/printers/catalog.ts"
import { fieldsOf } from "../../../schemas/printers/fields.ts"
import { Components } from "../../../schemas/printers/openapi-components.ts"
import { TOOL_PREFIX } from "../../../schemas/printers/tools.ts"
import type { ApiLimits } from "../../http/limits.ts"
import type { ApiTools } from "../../routes/route.ts"
import { LOCAL_ADDRESS } from "../agent-payments.ts"
import { noChargePieces } from "../no-charge.ts"
import { markdownPieces, type Table } from "../page.ts"

// What guides say of the contract and of this installation, by the names of their placeholders.

/** The facts of guides by their names; each is made when a guide needs it. */
export type GuideFacts = ReadonlyMap<string, () => string>

const numberText = (value: number): string => value.toLocaleString("en-US")

const tableText = (table: Table): string => markdownPieces([{ table }]).trimEnd()

/** A table of a schema's fields. */
const fieldsTable = (schema: Parameters<Components["schemaOf"]>[0]): string => {
  const fields = fieldsOf(new Components().schemaOf(schema))
  return tableText({
    head: ["Member", "Type", "Meaning"],
    rows: fields.map(({ place, type, description }) => [`\`${place}\``, type, description]),
  })
}

/** The shares that calls count against, with what each is for. */
const shares: Readonly<Record<Exclude<Counted, "never">, { readonly limit: keyof ApiLimits; readonly of: string }>> = {
  daily: { limit: "requestsPerDay", of: "a day of one client address: free data" },
  minute: { limit: "serviceRequestsPerMinute", of: "a minute of one client address: documents, refusals, errors" },
  pages: { limit: "pageRequestsPerMinute", of: "a minute of one client address: pages and what they load" },
  token: {
    limit: "tokenRequestsPerMinute",
    of: "a minute of one account: premium calls",
  },
  receipts: { limit: "receiptVerifiesPerMinute", of: "a minute of one client address: receipts to verify" },
  payments: { limit: "paymentCallsPerMinute", of: "a minute of one client address: quotes, balances, histories" },
  confirms: { limit: "confirmsPerMinute", of: "a minute of one client address: confirms" },
  changes: {
    limit: "changesRequestsPerMinute",
    of: "a minute of one client address: pages of changes, streams opened",
  },
}

const limitsTable = (limits: ApiLimits): string =>
  tableText({
    head: ["Requests", "Share", "`x-counted` in the contract"],
    rows: Object.entries(shares).map(([counted, { limit, of }]) => [numberText(limits[limit]), of, counted]),
  })

/** What each status means, in the contract's words, over all endpoints. */
const statusTable = (all: ReadonlyArray<{ readonly responses: Responses }>): string => {
  const meanings = new Map<string, Set<string>>()
  for (const { responses } of all)
    for (const [status, { description }] of Object.entries(responses))
      if (Number(status) >= 400) meanings.set(status, (meanings.get(status) ?? new Set()).add(description))
  return tableText({
    head: ["Status", "Meaning"],
    rows: [...meanings]
      .sort(([one], [other]) => Number(one) - Number(other))
      .map(([status, texts]) => [status, [...texts].join(". Or: ")]),
  })
}

const pricesTable = (premium: ReadonlyArray<PremiumEndpoint>): string =>
  tableText({
    head: ["Call", "Credits", "USD"],
    rows: premium.map(({ path, credits }) => [`\`GET ${path}\``, String(credits), usdOfCredits(credits)]),
  })

const noChargeText = (premium: ReadonlyArray<PremiumEndpoint>): string =>
  markdownPieces(noChargePieces(premium).filter((piece) => !("heading" in piece))).trimEnd()

/** The limits by name: numbers as `limits.<name>`, durations in seconds without their unit. */
const limitFacts = (limits: ApiLimits): ReadonlyArray<readonly [string, () => string]> =>
  Object.entries(limits).map(([name, value]: [string, number]) =>
    name.endsWith("Ms")
      ? [`limits.${name.slice(0, -2)}Seconds`, () => numberText(value / 1000)]
      : [`limits.${name}`, () => numberText(value)],
  )

/** The facts of guides. `address`: under which the service was reached; empty where unknown. */
export const guideFacts = ({ options, limits }: ApiTools, address: string): GuideFacts => {
  const { endpoints } = options
  const premium = endpoints.filter(isPremium)
  return new Map<string, () => string>([
    ...limitFacts(limits),
    ["address", () => (address === "" ? LOCAL_ADDRESS : address)],
    ["contract.version", () => CONTRACT_VERSION],
    ["notice.days", () => String(NOTICE_MIN_DAYS)],
    ["count.free", () => String(endpoints.filter(({ tier }) => tier === "free").length)],
    ["count.premium", () => String(premium.length)],
    ["credits.perUsd", () => String(CREDITS_PER_USD)],
    ["credits.usdMin", () => String(ASKED_USD_MIN)],
    ["credits.usdMax", () => numberText(ASKED_USD_MAX)],
    ["quote.minutes", () => String(buyingRules.quoteMinutes)],
    ["confirm.blocks", () => String(buyingRules.confirmationsMin)],
    ["confirm.provisionalUsd", () => String(buyingRules.provisionalUsdMax)],
    ["idempotency.hours", () => String(KEY_LIFE_MS / 3_600_000)],
    ["status.days", () => String(STATUS_DAYS)],
    ["mcp.revisions", () => MCP_REVISIONS.join(", ")],
    ["mcp.toolPrefix", () => TOOL_PREFIX],
    ["table.meta", () => fieldsTable(Meta)],
    ["table.problem", () => fieldsTable(Problem)],
    ["table.statuses", () => statusTable(endpoints)],
    ["table.limits", () => limitsTable(limits)],
    ["table.prices", () => pricesTable(premium)],
    ["table.noCharge", () => noChargeText(premium)],
    ["table.verdict", () => fieldsTable(receiptVerifyEndpoint.data)],
  ])
}
