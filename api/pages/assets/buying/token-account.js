import { useState } from "preact/hooks"
import { isToken } from "./claim.js"
import { membersOf } from "./quote.js"
import { cleanText, shortHex } from "./text.js"
import { AsCommand, AskedTwice, Field, html, Problem } from "./view.js"

const MESSAGE_MAX_CHARACTERS = 600
/** Purchases that are shown; the reply to the command holds all of them. */
const PURCHASES_MAX = 50

/** @param {unknown} value */
const countText = (value) => (typeof value === "number" ? value.toLocaleString("en-US") : "unknown")

/** @param {unknown} value */
const timeText = (value) => {
  const text = cleanText(value, 40)
  return html`<time datetime=${text}>${text.slice(0, 16).replace("T", " ")} UTC</time>`
}

/** @param {import("./service.js").Reply} reply */
const problemOf = (reply) =>
  reply.tag === "failed"
    ? "The service does not answer. Try again."
    : cleanText(reply.body.message, MESSAGE_MAX_CHARACTERS) || `The service answered with status ${reply.status}.`

/** @param {{readonly purchases: ReadonlyArray<unknown>}} props */
const Purchases = ({ purchases }) => {
  if (purchases.length === 0) return html`<p class="soft">No purchase is recorded for this token.</p>`
  const rows = purchases.slice(0, PURCHASES_MAX).map((one) => membersOf(one) ?? {})
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Purchases"><table>
    <thead><tr><th scope="col">Time</th><th scope="col" class="number">USD</th><th scope="col" class="number">Credits</th>
      <th scope="col">State</th><th scope="col">Transaction</th></tr></thead>
    <tbody>${rows.map((row) => {
      const hash = cleanText(row.tx_hash, 80)
      return html`<tr key=${hash}>
        <td>${timeText(row.confirmed_at)}</td>
        <td class="number">${typeof row.amount_usd === "number" ? String(row.amount_usd) : "unknown"}</td>
        <td class="number">${countText(row.credits_added)}</td>
        <td>${cleanText(row.status, 20)}</td>
        <td><code title=${hash}>${shortHex(hash)}</code></td>
      </tr>`
    })}</tbody>
  </table></div>`
}

/**
 * The account of a token, as the service has replied.
 * @typedef {{
 *   readonly balance: Readonly<Record<string, unknown>>,
 *   readonly history: Readonly<Record<string, unknown>>,
 * }} Account
 */

/** @param {{readonly account: Account}} props */
const AccountShown = ({ account: { balance, history } }) => {
  const totals = membersOf(history.totals) ?? {}
  const shortfall = typeof balance.shortfall === "number" ? balance.shortfall : 0
  return html`<div role="status">
    <dl class="facts">
      <div><dt>Credits</dt><dd><b>${countText(balance.credits)}</b></dd></div>
      <div><dt>Spent</dt><dd>${countText(totals.total_credits_spent)} of ${countText(totals.total_credits_added)}</dd></div>
      <div><dt>Token issued</dt><dd>${timeText(balance.issued_at)}</dd></div>
    </dl>
    ${shortfall === 0 ? null : html`<p class="notice">${countText(shortfall)} credits are missing: the chain took a payment back.</p>`}
    <${Purchases} purchases=${Array.isArray(history.purchases) ? history.purchases : []} />
  </div>`
}

/**
 * Balance and history of a token that is typed in, and its revocation. The token stays in the field.
 * @param {{readonly send: import("./service.js").Send, readonly terms: import("./terms.js").Terms}} props
 */
export const TokenAccount = ({ send, terms: { paths, commands } }) => {
  const [text, setText] = useState("")
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState(/** @type {string | null} */ (null))
  const [account, setAccount] = useState(/** @type {Account | null} */ (null))
  const [revoked, setRevoked] = useState(/** @type {string | null} */ (null))
  const [confirmsOperator, setConfirmsOperator] = useState(false)
  const token = text.trim()

  /** @param {() => Promise<string | null>} run */
  const during = async (run) => {
    setBusy(true)
    setRevoked(null)
    setProblem(isToken(token) ? await run() : "A token is svc_live_ and 64 hex digits.")
    setBusy(false)
  }
  const read = () =>
    during(async () => {
      setAccount(null)
      setConfirmsOperator(false)
      const replies = await Promise.all([send(paths.balance, { token }), send(paths.history, { token })])
      const refused = replies.find((reply) => reply.tag === "failed" || reply.status !== 200)
      if (refused !== undefined) return problemOf(refused)
      const [balance, history] = replies.map((reply) => (reply.tag === "reply" ? reply.body : {}))
      setAccount({ balance: balance ?? {}, history: history ?? {} })
      return null
    })
  const revoke = () =>
    during(async () => {
      const reply = await send(paths.revoke, { token, body: confirmsOperator ? { confirm: true } : {} })
      if (reply.tag === "failed" || reply.status !== 200) {
        setConfirmsOperator(reply.tag === "reply" && reply.body.error === "confirmation_required")
        return problemOf(reply)
      }
      setAccount(null)
      setText("")
      setRevoked(cleanText(membersOf(reply.body.way_back)?.message, MESSAGE_MAX_CHARACTERS))
      return null
    })
  /** Takes a newly entered token, and clears what was shown of the one before. */
  const enter = (/** @type {string} */ entered) => {
    setText(entered)
    setAccount(null)
    setProblem(null)
    setRevoked(null)
    setConfirmsOperator(false)
  }
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault()
    read()
  }
  return html`<details class="tool">
    <summary><h2>Balance, history, revoke</h2></summary>
    <form onSubmit=${submit} novalidate>
      <${Field} id="token" label="Token" value=${text} onText=${enter} isFixed=${busy} isSecret charactersMax=${100}
        describedBy="token-problem"><button disabled=${busy}>Show the balance</button><//>
      <${Problem} id="token-problem" text=${problem} />
    </form>
    ${account === null ? null : html`<${AccountShown} account=${account} />`}
    ${
      token === ""
        ? null
        : html`<${AskedTwice} label="Revoke this token" yes="Revoke it" onYes=${revoke}
            question=${
              confirmsOperator
                ? "Only the operator of this service can issue a new token. Revoke it anyway?"
                : "Revoke this token? It is refused from then on; the credits stay with its account."
            } />`
    }
    ${revoked === null ? null : html`<p role="status"><span class="state good">Revoked</span> For a new token: ${revoked}</p>`}
    <${AsCommand} command=${`${commands.balance}\n${commands.revoke}`} />
  </details>`
}
