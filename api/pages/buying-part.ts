import { ASKED_USD_MAX, ASKED_USD_MIN, BASE_CHAIN } from "../../schemas/contract/payment.ts"
import { CREDITS_PER_USD } from "../../schemas/contract/refusal.ts"
import { paymentBalance } from "../../schemas/endpoints/payment-balance.ts"
import { paymentBuyCredits } from "../../schemas/endpoints/payment-buy-credits.ts"
import { paymentConfirm } from "../../schemas/endpoints/payment-confirm.ts"
import { paymentHistory } from "../../schemas/endpoints/payment-history.ts"
import { paymentRevoke } from "../../schemas/endpoints/payment-revoke.ts"
import type { PaymentFacts } from "../payment/replies.ts"
import { MOUNT_ID, type Sale, TERMS_ID, type Terms } from "./assets/buying/terms.js"
import { html, scriptJson } from "./html.ts"
import type { Piece } from "./page.ts"
import { paymentCommands } from "./payment-commands.ts"

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

/** The part of the page that buys in the browser. Without scripts it says so, and the commands below it do the same. */
export const buyingPart = (payment: PaymentFacts | null): Piece => ({
  part: html`<div id="${MOUNT_ID}" class="buying"><noscript><p class="soft">Buying in the browser needs scripts. The commands below do the same.</p></noscript></div>
<script type="application/json" id="${TERMS_ID}">${scriptJson(buyingTerms(payment))}</script>`,
})
