import { isPremium } from "../../schemas/contract/endpoint-kinds.ts"
import { endpoints } from "../../schemas/registry.ts"

/** Every premium endpoint, the queried one with a feed to ask for. */
export const premiumCalls: ReadonlyArray<string> = endpoints
  .filter(isPremium)
  .map(({ path, kind }) => (kind === "queried" ? `${path}?feed=earthquakes` : path))

/** One step of the demo's purchase: what happens, and the command that does it. */
export interface Step {
  readonly title: string
  readonly command: string
}

/**
 * A whole purchase as commands of bash, curl and npm, to be pasted one by one into a shell that stands in the project's
 * folder. They share variables, and two functions: `json PATH` reads a value out of JSON, `claim MEMO` confirms.
 */
export const purchaseSteps = ({
  api,
  sister,
  rpcUrl,
  dataDirectory,
}: {
  readonly api: string
  /** Address of the sister service's endpoint. */
  readonly sister: string
  readonly rpcUrl: string
  readonly dataDirectory: string
}): ReadonlyArray<Step> => {
  const json = `json() { node -pe 'const found = process.argv[1].split(".").reduce((value, key) => value[key], JSON.parse(require("node:fs").readFileSync(0, "utf8"))); typeof found === "object" ? JSON.stringify(found) : found' "$1"; }`
  const post = `-H 'content-type: application/json' -d`
  const bearer = `-H "authorization: Bearer $TOKEN"`
  return [
    { title: "Somewhere to keep the replies, and a reader of JSON", command: `API=${api}; P=$(mktemp -d); ${json}` },
    {
      title: "A quote for 1 dollar: the amount names the quote, the memo is your secret",
      command: `curl -sS $API/api/payment/buy-credits ${post} '{"amount_usd": 1}' | tee $P/quote.json; echo`,
    },
    {
      title: "Pay exactly that on the local chain, and wait for 5 blocks",
      command: `npm run --silent pay -- --rpc ${rpcUrl} --to $(json wallet < $P/quote.json) --units $(json quote.amount_units < $P/quote.json) | tee $P/paid.json`,
    },
    {
      title: "Confirm: the transaction and your memo give the token",
      command: `claim() { curl -sS $API/api/payment/confirm ${post} "{\\"tx_hash\\": \\"$(json tx_hash < $P/paid.json)\\", \\"nonce\\": \\"$1\\"}"; }; claim $(json memo < $P/quote.json) | tee $P/token.json; echo; TOKEN=$(json token < $P/token.json)`,
    },
    { title: "The balance: 50 credits", command: `curl -sS $API/api/payment/balance ${bearer}; echo` },
    {
      title: "Every premium endpoint once: what it cost, and what is left by the reply's header",
      command: `N=0; for CALL in ${premiumCalls.join(" ")}; do N=$((N + 1)); curl -sS -D $P/headers "$API$CALL" ${bearer} -o $P/reply-$N.json; echo "$CALL: $(json billing < $P/reply-$N.json) X-Credits-Remaining: $(sed -n 's/^x-credits-remaining: *\\([0-9]*\\).*/\\1/Ip' $P/headers)"; done`,
    },
    {
      title: "The same token at a sister data service, which sells nothing itself: 3 credits of the same balance",
      command: `curl -sS "${sister}?text=hello" ${bearer}; echo`,
    },
    { title: "What was bought and spent", command: `curl -sS $API/api/payment/history ${bearer}; echo` },
    {
      title: "The receipts of these replies, verified offline with the published key",
      command:
        "curl -sS $API/.well-known/jwks.json -o $P/keys.json; for REPLY in $P/reply-*.json; do npm run --silent receipt:verify -- $REPLY --jwks $P/keys.json; done",
    },
    {
      title: "The same confirm again gives the same token",
      command: `[ "$(claim $(json memo < $P/quote.json) | json token)" = "$TOKEN" ] && echo "the same token"`,
    },
    {
      title: "A stranger who saw the transaction, with a memo of his own: refused",
      command: `STRANGER=$(curl -sS $API/api/payment/buy-credits ${post} '{"amount_usd": 1}' | json memo); claim $STRANGER | tee $P/refused.json; echo`,
    },
    {
      title: "And with a signature of his own: refused",
      command: `SIGNATURE=$(npm run --silent pay -- --as stranger --sign "$(json text_to_sign < $P/refused.json)" | json signature); curl -sS $API/api/payment/confirm ${post} "{\\"tx_hash\\": \\"$(json tx_hash < $P/paid.json)\\", \\"nonce\\": \\"$STRANGER\\", \\"signature\\": \\"$SIGNATURE\\", \\"signature_until\\": \\"$(json signature_until < $P/refused.json)\\"}"; echo`,
    },
    {
      title: "The whole ledger, proved from its first entry on",
      command: `DATA_DIR='${dataDirectory}' npm run --silent ledger -- verify`,
    },
  ]
}

/** The steps as they are printed: the titles are comments, so that pasting them does no harm. */
export const purchaseText = (steps: ReadonlyArray<Step>): string =>
  steps.map(({ title, command }) => `# ${title}\n${command}\n`).join("\n")
