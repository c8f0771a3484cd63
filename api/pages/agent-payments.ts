import { buyingRules } from "../../ledger/client.ts"
import { ASKED_USD_MAX, ASKED_USD_MIN, BASE_CHAIN } from "../../schemas/contract/payment.ts"
import type { WithheldByPath } from "../../schemas/contract/provenance.ts"
import { CREDITS_PER_USD } from "../../schemas/contract/refusal.ts"
import { paymentBalance } from "../../schemas/endpoints/payment-balance.ts"
import { paymentBuyCredits } from "../../schemas/endpoints/payment-buy-credits.ts"
import { paymentConfirm } from "../../schemas/endpoints/payment-confirm.ts"
import { paymentHistory } from "../../schemas/endpoints/payment-history.ts"
import { paymentRevoke } from "../../schemas/endpoints/payment-revoke.ts"
import type { PaymentFacts } from "../payment/replies.ts"
import { MOUNT_ID, type Sale, TERMS_ID, type Terms } from "./assets/buying/terms.js"
import { html, scriptJson } from "./html.ts"
import { noChargePieces, type PricedPath } from "./no-charge.ts"
import type { Piece } from "./page.ts"

/** The title of the page. */
export const TITLE = "Buying credits"

/** The facts on the page. */
interface PageFacts {
  /** Null when nothing is sold here. */
  readonly payment: PaymentFacts | null
  /** Public address without a slash at its end; null where it is not known. */
  readonly baseUrl: string | null
  /** Credits of a call by its path, as refusals publish them. */
  readonly pricing: Readonly<Record<string, string>>
  /** The premium endpoints that are served here. */
  readonly endpoints: ReadonlyArray<PricedPath>
  /** What is left out of their replies; nothing by default. */
  readonly withheld?: WithheldByPath
}

/** Where the service listens by default. */
export const LOCAL_ADDRESS = "http://127.0.0.1:8787"

const command = (...lines: ReadonlyArray<string>): Piece => ({ command: lines.join("\n") })

/** What the replies of premium endpoints lack here, by endpoint; nothing where they lack nothing. */
const withheldPieces = (withheld: WithheldByPath): ReadonlyArray<Piece> =>
  withheld.size === 0
    ? []
    : [
        { heading: "What is left out here" },
        {
          text: "The terms of some sources are not known to allow selling their data. What is made of these feeds is null in the replies, with a note; a call for which nothing is left is free of charge (not_licensed).",
        },
        {
          table: {
            head: ["Endpoint", "Feeds that are left out"],
            rows: [...withheld].map(([path, { feeds }]) => [path, feeds.join(", ")]),
          },
        },
      ]

/** The page, step by step, with commands that work when pasted one after the other. */
export const pageOf = ({
  payment,
  baseUrl,
  pricing,
  endpoints,
  withheld = new Map(),
}: PageFacts): ReadonlyArray<Piece> => {
  const prices = Object.entries(pricing).filter(([path]) => path.startsWith("/"))
  const [cheapest] = prices
  const lead: Piece = {
    text: `Premium endpoints cost credits: ${CREDITS_PER_USD} credits are 1 USD. Credits are paid for in USDC and spent with a bearer token. There is no account and no sign-up: programs can do all of this by themselves.`,
  }
  const priced: ReadonlyArray<Piece> = [
    { heading: "Prices" },
    { list: [`1 USD buys ${CREDITS_PER_USD} credits`, ...prices.map(([path, credits]) => `GET ${path}: ${credits}`)] },
  ]
  if (payment === null)
    return [
      lead,
      { heading: "Not for sale" },
      { text: "This service has no wallet: it sells no credits now." },
      buyingPart(payment),
      ...priced,
      ...withheldPieces(withheld),
      ...noChargePieces(endpoints),
    ]
  const { name, chainId, contract, wallet } = payment
  const commands = paymentCommands(payment)
  const { provisionalUsdMax, confirmationsMin, quoteMinutes } = buyingRules
  return [
    lead,
    buyingPart(payment),
    ...priced,
    { heading: "Where to pay" },
    {
      list: [
        `Chain: ${name}, chain id ${chainId}`,
        `Token: USDC at ${contract}, 6 decimals. Payments in other tokens are not detected`,
        `Wallet: ${wallet}`,
      ],
    },
    { heading: "1. Ask for a quote" },
    {
      text: `Between ${ASKED_USD_MIN} and ${ASKED_USD_MAX.toLocaleString("en-US")} USD. The reply holds memo and quote.amount_units: the amount that you asked for, plus a fraction of a cent that is unique to this quote. Keep the memo: it is the secret that claims your purchase. A quote is valid for ${quoteMinutes} minutes; a later payment is credited too.`,
    },
    command(`BASE=${baseUrl ?? `${LOCAL_ADDRESS}   # the address of this service`}`, "AMOUNT_USD=1", commands.quote),
    { heading: "2. Pay" },
    {
      text: "Transfer exactly quote.amount_units to the wallet, from any wallet, an exchange or a contract. The exact amount identifies the quote. With Foundry's cast, UNITS from the quote and RPC_URL and KEY yours:",
    },
    command(commands.pay),
    { heading: "3. Confirm" },
    {
      text: `Send the hash of the transaction, and the memo as nonce. While it is not deep enough in the chain the reply is 202: confirm again after Retry-After. Up to ${provisionalUsdMax} USD need ${confirmationsMin} blocks; larger amounts wait until the block has the tag safe. The reply holds your token. If the reply is lost, confirm again: it holds the same token.`,
    },
    command(commands.confirm),
    { text: "To add credits to a token that you have, send it along:" },
    command(commands.topUp),
    { heading: "4. Spend" },
    command(
      `curl -s $BASE${cheapest?.[0] ?? "/api/payment/balance"} -H "Authorization: Bearer $TOKEN"`,
      commands.balance,
    ),
    {
      text: "An Idempotency-Key header makes a premium call safe to repeat: for 24 hours the same reply is sent again, charged once.",
    },
    ...withheldPieces(withheld),
    ...noChargePieces(endpoints),
    { heading: "If something went differently" },
    {
      list: [
        "Another amount was paid: it is credited in full at the same rate, as long as it is at least 1 USD in one transaction. Confirm with a signature of the paying wallet, as below.",
        "The memo is lost, or there was no quote: draw a claim key (tw_claim_ and 64 random hex digits), keep it, and confirm with tx_hash and claim_key. The 409 reply holds text_to_sign, which says where the credits go: to the holder of that key, or to your token where you send one. Sign it with the paying wallet (EIP-191; contract wallets by EIP-1271 or EIP-6492), and send signature and signature_until with the same claim_key. The signature is of no use without the key, and it may be used until that day, a week later. A contract wallet also sends its address as payer: then it is checked first.",
        "The transaction is not mined: confirm answers 202 for up to 30 minutes, then 404. It can be confirmed at any time after it is mined.",
        'The token has leaked: POST /api/payment/revoke with it. The reply names the proof that issues a new token for the remaining credits: the memo of a purchase, or the signature of a payer with its claim key. Where only the operator can issue one, the reply is 409 confirmation_required until the body is {"confirm": true}.',
        "Several quotes were paid in one transaction: confirm it with each memo.",
        "The reply is 409 already_credited: another claimant had it credited first. opened_by and next_step name the proof that returns the token: the memo, the payer's signature with the claim key, the bearer token that it was added to, or the operator.",
      ],
    },
    command(commands.sign),
    {
      text: "The same facts for programs: GET /api/payment/info. The whole contract: GET /openapi.json. Receipts are signed: GET /.well-known/jwks.json.",
    },
  ]
}

/** The module that works in this part of the page. */
export const BUYING_MODULE = "buying/start.js"

const saleOf = ({ wallet, contract, chainId, name }: PaymentFacts): Sale => ({
  wallet,
  contract,
  chainId,
  chainName: name,
  addable: chainId === BASE_CHAIN.id ? { ...BASE_CHAIN.addable, chainId: `0x${chainId.toString(16)}` } : null,
})

/** What the browser needs to know to buy; `payment` is null where nothing is sold. */
export const buyingTerms = (payment: PaymentFacts | null): Terms => ({
  sale: payment === null ? null : saleOf(payment),
  creditsPerUsd: CREDITS_PER_USD,
  usdMin: ASKED_USD_MIN,
  usdMax: ASKED_USD_MAX,
  paths: {
    quote: paymentBuyCredits.path,
    confirm: paymentConfirm.path,
    balance: paymentBalance.path,
    history: paymentHistory.path,
    revoke: paymentRevoke.path,
  },
  commands: paymentCommands(payment ?? { contract: "$CONTRACT", wallet: "$WALLET" }),
})

/** The part of the page that buys in the browser. Without scripts it refers to the commands below it. */
const buyingPart = (payment: PaymentFacts | null): Piece => ({
  part: html`<div id="${MOUNT_ID}" class="buying"><noscript><p class="soft">Buying in the browser needs scripts. The commands below do the same.</p></noscript></div>
<script type="application/json" id="${TERMS_ID}">${scriptJson(buyingTerms(payment))}</script>`,
})

const JSON_HEADER = `-H 'Content-Type: application/json'`
const BEARER_HEADER = `-H "Authorization: Bearer $TOKEN"`

const CLAIM_KEY_MEMBER = `"claim_key": "'$CLAIM_KEY'"`

const confirm = (headers: string, members: string): string =>
  `curl -s $BASE/api/payment/confirm ${headers} -d '{"tx_hash": "'$TX_HASH'", ${members}}'`

/**
 * The commands of buying and spending, for the page and for each step that it takes in the browser. Secrets and what replies
 * hold are variables: BASE, AMOUNT_USD, UNITS, TX_HASH, MEMO, TOKEN, TEXT_TO_SIGN, SIGNATURE_UNTIL; RPC_URL, KEY and CLAIM_KEY
 * are the payer's own.
 */
const paymentCommands = ({ contract, wallet }: Pick<PaymentFacts, "contract" | "wallet">) => ({
  quote: `curl -s $BASE/api/payment/buy-credits ${JSON_HEADER} -d '{"amount_usd": '$AMOUNT_USD'}'`,
  pay: `cast send ${contract} 'transfer(address,uint256)' ${wallet} $UNITS --rpc-url $RPC_URL --private-key $KEY`,
  confirm: confirm(JSON_HEADER, `"nonce": "'$MEMO'"`),
  topUp: confirm(`${BEARER_HEADER} ${JSON_HEADER}`, `"nonce": "'$MEMO'"`),
  // The first reply holds the text to sign, and the day until which its signature may be used.
  sign: [
    "CLAIM_KEY=tw_claim_$(openssl rand -hex 32)   # your secret: keep it with the token",
    confirm(JSON_HEADER, CLAIM_KEY_MEMBER),
    `SIGNATURE=$(cast wallet sign --private-key $KEY "$TEXT_TO_SIGN")`,
    confirm(JSON_HEADER, `${CLAIM_KEY_MEMBER}, "signature": "'$SIGNATURE'", "signature_until": "'$SIGNATURE_UNTIL'"`),
  ].join("\n"),
  balance: [
    `curl -s $BASE/api/payment/balance ${BEARER_HEADER}`,
    `curl -s $BASE/api/payment/history ${BEARER_HEADER}`,
  ].join("\n"),
  revoke: `curl -s -X POST $BASE/api/payment/revoke ${BEARER_HEADER}`,
})
