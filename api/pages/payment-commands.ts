import type { PaymentFacts } from "../payment/replies.ts"

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
export const paymentCommands = ({ contract, wallet }: Pick<PaymentFacts, "contract" | "wallet">) => ({
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
