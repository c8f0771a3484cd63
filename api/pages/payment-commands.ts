import type { PaymentFacts } from "../payment/replies.ts"

const JSON_HEADER = `-H 'Content-Type: application/json'`
const BEARER_HEADER = `-H "Authorization: Bearer $TOKEN"`

const confirm = (headers: string, member: string | null): string =>
  `curl -s $BASE/api/payment/confirm ${headers} -d '{"tx_hash": "'$TX_HASH'"${member === null ? "" : `, ${member}`}}'`

/**
 * The commands of buying and spending, for the page and for each step that it takes in the browser. Secrets and what replies
 * hold are variables: BASE, AMOUNT_USD, UNITS, TX_HASH, MEMO, TOKEN, TEXT_TO_SIGN; RPC_URL and KEY are the payer's own.
 */
export const paymentCommands = ({ contract, wallet }: Pick<PaymentFacts, "contract" | "wallet">) => ({
  quote: `curl -s $BASE/api/payment/buy-credits ${JSON_HEADER} -d '{"amount_usd": '$AMOUNT_USD'}'`,
  pay: `cast send ${contract} 'transfer(address,uint256)' ${wallet} $UNITS --rpc-url $RPC_URL --private-key $KEY`,
  confirm: confirm(JSON_HEADER, `"nonce": "'$MEMO'"`),
  topUp: confirm(`${BEARER_HEADER} ${JSON_HEADER}`, `"nonce": "'$MEMO'"`),
  // The first reply holds the text to sign.
  sign: [
    confirm(JSON_HEADER, null),
    `SIGNATURE=$(cast wallet sign --private-key $KEY "$TEXT_TO_SIGN")`,
    confirm(JSON_HEADER, `"signature": "'$SIGNATURE'"`),
  ].join("\n"),
  balance: [
    `curl -s $BASE/api/payment/balance ${BEARER_HEADER}`,
    `curl -s $BASE/api/payment/history ${BEARER_HEADER}`,
  ].join("\n"),
  revoke: `curl -s -X POST $BASE/api/payment/revoke ${BEARER_HEADER}`,
})
