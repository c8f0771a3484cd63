import type { Endpoint } from "../../schemas/contract/endpoint-kinds.ts"
import { paymentBalance } from "../../schemas/endpoints/payment-balance.ts"
import { paymentBuyCredits } from "../../schemas/endpoints/payment-buy-credits.ts"
import { paymentConfirm } from "../../schemas/endpoints/payment-confirm.ts"
import { receiptVerifyEndpoint } from "../../schemas/endpoints/receipt-verify.ts"
import type { Json } from "../../schemas/json.ts"
import { outlineOf } from "../../schemas/printers/outline.ts"
import type { LocalReply } from "../routes/route.ts"
import {
  type Arguments,
  type Caller,
  type InputSchema,
  jsonResult,
  type McpTool,
  reads,
  refusal,
  refusedArguments,
  resultOf,
  spends,
  type ToolResult,
} from "./tool.ts"

const OK = 200

const objectOf = (properties: InputSchema["properties"]): InputSchema => ({
  type: "object",
  properties,
  additionalProperties: false,
})

/** The token of the caller, for calls that read it. */
const withToken = ({ authorization }: Caller): Readonly<Record<string, string>> =>
  authorization === null ? {} : { authorization }

/** A reply without the members that are secrets of its buyer. */
const withoutSecrets = ({ status, body }: LocalReply, added: Readonly<Record<string, Json>>): ToolResult => {
  const { memo: _, token: __, ...members }: Readonly<Record<string, Json>> = JSON.parse(body.toString("utf8"))
  return jsonResult({ ...members, ...added }, status >= 400)
}

const readBalance = (caller: Caller): Promise<LocalReply> =>
  caller.call({ path: paymentBalance.path, headers: withToken(caller) })

const balanceTool: McpTool = {
  definition: {
    name: "balance",
    title: "Balance",
    description: "Credits of the token that the client sends (Authorization). Free.",
    inputSchema: objectOf({}),
    outputSchema: outlineOf(paymentBalance),
    annotations: reads,
  },
  run: async (given, caller) =>
    refusedArguments(given, balanceTool.definition.inputSchema) ?? resultOf(await readBalance(caller)),
}

const PAY_NEXT =
  "Pay exactly amount_units of the token to the wallet, from a wallet that can sign messages: the exact amount identifies this quote. Then call top_up with tx_hash; the refusal payer_proof_required holds the text to sign, which names the token of this client, and signature_until; call again with tx_hash, signature and signature_until. The signature is good for this token alone, so it is no secret."

/** Quotes an amount. Its memo is left out: the payer proves the payment by a signature, which is of no use without the token. */
const quote = async ({ amount_usd }: Arguments, caller: Caller): Promise<ToolResult> => {
  const balance = await readBalance(caller)
  // A quote for a token that cannot be topped up would be paid in vain.
  if (balance.status !== OK) return resultOf(balance)
  const reply = await caller.call({ path: paymentBuyCredits.path, headers: {}, body: { amount_usd } })
  return reply.status === OK ? withoutSecrets(reply, { next: PAY_NEXT }) : resultOf(reply)
}

/** Confirms a payment, to the token of the caller. */
const confirm = async (given: Arguments, caller: Caller): Promise<ToolResult> => {
  // Without a token the payment would open an account, whose token must not stand in a result.
  const balance = await readBalance(caller)
  if (balance.status !== OK) return resultOf(balance)
  const { tx_hash, signature = null, signature_until = null, payer = null } = given
  const body = { tx_hash, signature, signature_until, payer }
  return withoutSecrets(await caller.call({ path: paymentConfirm.path, headers: withToken(caller), body }), {})
}

const topUpTool: McpTool = {
  definition: {
    name: "top_up",
    title: "Buy credits",
    description:
      "Adds credits to the token that the client sends. First with amount_usd: a quote. After the payment with tx_hash, and signature where it is asked for. Without a token the result holds the address of the page on which a first one is bought (signup): no token and no memo ever stands in a result.",
    inputSchema: objectOf({
      amount_usd: { type: "number", minimum: 1, maximum: 10_000, description: "Dollars to pay, for a quote" },
      tx_hash: { type: "string", pattern: "^0x[0-9a-fA-F]{64}$", description: "Transaction that paid, to confirm it" },
      signature: { type: "string", description: "The paying wallet's signature of text_to_sign" },
      signature_until: { type: "string", description: "The day beside text_to_sign, to be sent with the signature" },
      payer: { type: "string", description: "The wallet that signed, for contract wallets" },
    }),
    // A quote, or what came of a payment.
    outputSchema: { type: "object" },
    annotations: spends,
  },
  run: async (given, caller) => {
    const refused = refusedArguments(given, topUpTool.definition.inputSchema)
    if (refused !== null) return refused
    const quotes = Object.hasOwn(given, "amount_usd")
    if (quotes === Object.hasOwn(given, "tx_hash"))
      return refusal("missing_parameter", "Give amount_usd for a quote, or tx_hash to confirm a payment.")
    return quotes ? quote(given, caller) : confirm(given, caller)
  },
}

const verifyTool: McpTool = {
  definition: {
    name: "verify_receipt",
    title: "Verify a receipt",
    description:
      "Whether this service signed a receipt, what it states, and whether the reply is the signed one. Give the JWS as receipt, or a whole premium reply. Free.",
    inputSchema: objectOf({
      receipt: { type: "string", description: "receipt.jws of a reply" },
      reply: { type: "object", description: "A premium reply as it was received" },
    }),
    outputSchema: outlineOf(receiptVerifyEndpoint),
    annotations: reads,
  },
  run: async (given, { call }) => {
    const refused = refusedArguments(given, verifyTool.definition.inputSchema)
    if (refused !== null) return refused
    const { receipt, reply } = given
    if ((receipt === undefined) === (reply === undefined))
      return refusal("missing_parameter", "Give receipt or reply, one of them.")
    // The route reads bytes, as it bounds the work of parsing them.
    const body = Buffer.from(JSON.stringify(reply ?? { receipt }))
    return resultOf(await call({ path: receiptVerifyEndpoint.path, headers: {}, body }))
  },
}

/** The tools of money, each with the endpoints that it calls. */
const tools: ReadonlyArray<readonly [McpTool, ReadonlyArray<Pick<Endpoint, "path">>]> = [
  [balanceTool, [paymentBalance]],
  [topUpTool, [paymentBalance, paymentBuyCredits, paymentConfirm]],
  [verifyTool, [receiptVerifyEndpoint]],
]

/** The tools of money whose endpoints a contract has. */
export const accountTools = (endpoints: ReadonlyArray<Endpoint>): ReadonlyArray<McpTool> => {
  const served = new Set(endpoints.map(({ path }) => path))
  return tools.flatMap(([tool, called]) => (called.every(({ path }) => served.has(path)) ? [tool] : []))
}
