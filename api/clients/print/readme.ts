import { type ClientContract, type ClientOperation, costOf, PRINTED } from "./contract.ts"
import { camelCase } from "./names.ts"

const HEAD = `<!-- ${PRINTED} -->`

const operationsTable = ({ operations }: ClientContract, methodOf: (operation: ClientOperation) => string): string => {
  const rows = operations.map(
    (operation) =>
      `| \`${methodOf(operation)}\` | ${costOf(operation)} | ${operation.summary.replaceAll("|", "\\|")} |`,
  )
  return ["| Method | Request | What it gives |", "|---|---|---|", ...rows].join("\n")
}

/** `README.md` of the TypeScript client. */
export const typescriptReadme = (contract: ClientContract): string => `${HEAD}

# Tidewire client for TypeScript and JavaScript

Contract ${contract.version}. ES modules without dependencies, for Node 20.3 and later and for browsers of 2025 and later
(\`fetch\`, \`AbortSignal.any\`, Ed25519 in WebCrypto).

\`\`\`ts
import { Tidewire } from "tidewire-client"

const tidewire = new Tidewire({ baseUrl: "https://data.example" })
const { data, _meta } = await tidewire.earthquake()
const briefing = await new Tidewire({ ...tidewire.options, token }).proBriefing({ include: ["earthquakes"] })
\`\`\`

- **Replies** have the contract's types: what may be missing is \`null\`, with its reason in \`_meta\`. A format other than JSON
  (\`{ format: "csv" }\`) is a text, GeoJSON an object.
- **Members**: \`{ fields: ["place", "magnitude"] }\` asks for these alone, of each item of a list or of the data, and the type of the reply
  has no others.
- **Refusals** are errors. \`ProblemError\` has \`status\`, \`error\`, \`parameter\`, \`allowed\`, \`retryAfterSeconds\` and the \`body\`;
  \`PaymentRequiredError\`, \`PayerProofError\` and \`AlreadyCreditedError\` have bodies of their own. \`NoReplyError\`, \`TimedOutError\`
  and \`UnreadableReplyError\` are failures of the way there. All are \`TidewireError\`s.
- **Retries**: after 429, and a GET after 503, a call waits for \`Retry-After\` and is sent again, at most \`retriesMax\` times (2) and only if
  the pause ends within \`timeoutMs\` (30,000), which bounds the whole call. A GET without a response is sent again, too.
- **Paid calls** carry an \`Idempotency-Key\`, the same in each retry, so that they are charged once. Errors have it as
  \`idempotencyKey\`: pass it on to repeat a call later, for 24 hours. With \`idempotencyKey: null\` nothing is sent twice.
- **Receipts** of paid replies are verified: the signature by the published keys (or by those of \`keys\`), the reply, and the
  request. One that does not hold is a \`ReceiptError\` with the \`reply\`. \`verifyReceipt\` verifies stored replies.
- **Freshness**: \`maxAgeMs\` refuses older data by its \`_meta.as_of\` with a \`StaleDataError\`, which has the \`reply\`.
- **The past**: \`{ at }\` gives the reply as it was known then, \`_meta.at\` names its instant, and \`maxAgeMs\` does not count. A paid one is
  charged once a day, without a key.
- **Cancelling**: \`{ signal }\`. The reason of the signal is thrown.

The token is sent to the operations that take it alone, and redirects are refused.

## Changes

\`\`\`ts
import { CursorError } from "tidewire-client"

for await (const change of tidewire.changes({ after: stored, feeds: ["earthquakes"] }, { onCursor: store })) {
  await apply(change)
  await store(change.cursor)
}
\`\`\`

Every change behind \`after\` comes once and in order, then each as it happens; without \`after\`, from now on. The connection is
made again, from the last cursor, whenever it ends: after a pause that grows with each failure in a row, to a minute, or as
\`Retry-After\` says. \`onReconnect\` sees why and for how long, \`failuresMax\` bounds failures in a row. Store the cursor of each
change once it is applied; with filters, also those of \`onCursor\`, which move on past what they leave out. \`break\` ends the
connection, and so does \`signal\`. Behind a proxy that holds a stream back, pages that wait for changes are read instead.

Where changes behind the cursor are no longer held (\`cursor_gone\`), or the service has another log (\`other_log\`,
\`future_cursor\`), the iteration ends with a \`CursorError\`: read the data anew, and begin again. \`changesPage\` reads one page;
it gives \`null\` where nothing came within \`wait\`.

## Buying

With a [viem](https://viem.sh) wallet client that has an account and a chain, or anything else with these two methods:

\`\`\`ts
import { buyCredits, claimPurchase } from "tidewire-client"

const { token, credits } = await buyCredits(tidewire, {
  amountUsd: 5,
  wallet,
  onStep: async (step) => { if (step.step === "paid") await store(step.claim) },
})
\`\`\`

The amount, token and chain of the quote are checked before anything is sent (\`expectedRecipient\` pins the address, too). The
transfer names its quote by its exact amount, and by the hash of the memo behind the call's arguments. The memo is a secret:
with the hash of the transaction it claims the purchase, now or later (\`claimPurchase\`). \`until: "final"\` waits until no
reorganisation of the chain can reverse the payment.

A payment without a memo is claimed by a signature of the wallet that paid (\`claimBySignature\`). The text that it signs says
where the credits go: to the holder of a claim key, which is made for you. Store it when the step \`signing\` brings it: the
token is given again for this key alone, with another signature.

## Operations

${operationsTable(contract, ({ methodName }) => camelCase(methodName))}
`

/** `README.md` of the Python client. */
export const pythonReadme = (contract: ClientContract): string => `${HEAD}

# Tidewire client for Python

Contract ${contract.version}. Python 3.11 and later, the standard library alone, with types.

\`\`\`python
from tidewire_client import Tidewire

tidewire = Tidewire("https://data.example", token=token)
quakes = tidewire.earthquake()
briefing = tidewire.pro_briefing(include=["earthquakes"], max_age_seconds=600)
\`\`\`

- **Replies** are dictionaries with the contract's types (\`TypedDict\`): what may be missing is \`None\`, with its reason in
  \`_meta\`. A format other than JSON (\`format="csv"\`) is a text, GeoJSON a dictionary.
- **Members**: \`fields=["place", "magnitude"]\` asks for these alone, of each item of a list or of the data. Such a reply has the type
  \`dict[str, Any]\`, as Python cannot derive one that lacks the others.
- **Refusals** are exceptions. \`ProblemError\` has \`status\`, \`error\`, \`parameter\`, \`allowed\`, \`retry_after_seconds\` and the
  \`body\`; \`PaymentRequiredError\`, \`PayerProofError\` and \`AlreadyCreditedError\` have more. \`NoReplyError\`, \`TimedOutError\` and
  \`UnreadableReplyError\` are failures of the way there. All are \`TidewireError\`s.
- **Retries**: after 429, and a GET after 503, a call waits for \`Retry-After\` and is sent again, at most \`retries_max\` times (2) and only if
  the pause ends within \`timeout_seconds\` (30), which bounds the whole call. A GET without a response is sent again, too.
- **Paid calls** carry an \`Idempotency-Key\`, the same in each retry, so that they are charged once. Exceptions have it as
  \`idempotency_key\`: pass it on to repeat a call later, for 24 hours. With \`idempotency_key=None\` nothing is sent twice.
- **Receipts** of paid replies are verified here, not by the service: the signature by the published keys (or by those of
  \`keys\`), the reply, and the request. One that does not hold is a \`ReceiptError\` with the \`reply\`. The standard library has
  no Ed25519, so the verification of RFC 8032 is included; it takes a few milliseconds. \`verify_receipt\` verifies a stored
  reply, which \`read_json\` reads as the client does: JSON that parsers understand differently is refused.
- **Freshness**: \`max_age_seconds\` refuses older data by its \`_meta.as_of\` with a \`StaleDataError\`, which has the \`reply\`.
- **The past**: \`at=...\` gives the reply as it was known then, \`_meta.at\` names its instant, and \`max_age_seconds\` does not count. A
  paid one is charged once a day, without a key.

## Changes

\`\`\`python
from tidewire_client import CursorError

with tidewire.changes(after=stored, feeds=["earthquakes"], on_cursor=store) as changes:
    for change in changes:
        apply(change)
        store(change["cursor"])
\`\`\`

Every change behind \`after\` comes once and in order, then each as it happens; without \`after\`, from now on. The connection is
made again, from the last cursor, whenever it ends: after a pause that grows with each failure in a row, to a minute, or as
\`Retry-After\` says. \`on_reconnect\` sees why and for how long, \`failures_max\` bounds failures in a row. Store the cursor of each
change once it is applied; with filters, also those of \`on_cursor\`, which move on past what they leave out. Leaving the
\`with\` block closes the connection; \`close\` does, from any thread. Behind a proxy that holds a stream back, pages that wait for
changes are read instead.

Where changes behind the cursor are no longer held (\`cursor_gone\`), or the service has another log (\`other_log\`,
\`future_cursor\`), the iteration ends with a \`CursorError\`: read the data anew, and begin again. \`changes_page\` reads one page;
it gives \`None\` where nothing came within \`wait\`.

## Blocking, tokens, buying

Calls block; in \`asyncio\`, use \`asyncio.to_thread\`. The token is sent to the operations that take it alone, and redirects are
refused. Credits are bought with \`payment_buy_credits\`, a transfer by a wallet, and \`payment_confirm\`. A
payment without a memo is claimed by \`claim_by_signature\`: the text that the paying wallet signs names a claim key, which is
made for you and handed to \`on_claim_key\` to be stored; the token is given again for this key alone, with another signature.

## Operations

${operationsTable(contract, ({ methodName }) => methodName)}
`
