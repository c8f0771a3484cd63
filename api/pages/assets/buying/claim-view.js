import { useState } from "preact/hooks"
import { isAddress } from "./calldata.js"
import { cleanText } from "./text.js"
import { Field, html, Problem, useNowMs } from "./view.js"
import { isSignature, SIGNATURE_MAX_CHARACTERS, signByWallet } from "./wallet-calls.js"
import { WalletList } from "./wallet-list.js"

/** @typedef {import("./claim.js").Claim} Claim */
/** @typedef {(signature: string, payer: string | null) => void} OnSigned */

/**
 * How far a payment has come, in words.
 * @param {Claim} claim
 */
export const progressText = ({ step, depth, failures }) => {
  if (failures > 0) return "The service does not answer at the moment. Your payment is not lost."
  if (step.tag === "asking" && depth === null) return "Looking for the payment on the chain"
  if (depth === null || depth.confirmations === 0) return "Not in a block yet"
  if (depth.required === "safe")
    return `${depth.confirmations} confirmations; an amount like this waits until its block is safe, some minutes`
  return `${depth.confirmations} of ${depth.required} confirmations`
}

/** @param {{readonly claim: Claim}} props */
export const ClaimProgress = ({ claim }) => {
  const { step, depth, failures } = claim
  const nowMs = useNowMs(step.tag === "waiting")
  const seconds = step.tag === "waiting" ? Math.max(0, Math.ceil((step.untilMs - nowMs) / 1000)) : 0
  return html`<div class="waiting">
    <p>${failures > 0 ? html`<span class="state warn">${progressText(claim)}</span>` : html`<b>${progressText(claim)}</b>`}</p>
    ${
      depth !== null && typeof depth.required === "number"
        ? html`<progress max=${depth.required} value=${depth.confirmations} aria-label="Confirmations"></progress>`
        : null
    }
    <p class="small soft">${seconds > 0 ? `Next look in ${seconds} s.` : "Asking the service…"}</p>
  </div>`
}

/** @param {{readonly onSigned: OnSigned}} props */
const SignedElsewhere = ({ onSigned }) => {
  const [signature, setSignature] = useState("")
  const [payer, setPayer] = useState("")
  const [problem, setProblem] = useState(/** @type {string | null} */ (null))
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault()
    const named = payer.trim()
    if (!isSignature(signature.trim())) setProblem("A signature is 0x and hex digits.")
    else if (named !== "" && !isAddress(named)) setProblem("An address is 0x and 40 hex digits.")
    else onSigned(signature.trim(), named === "" ? null : named)
  }
  return html`<details>
    <summary>Signed elsewhere</summary>
    <form onSubmit=${submit} novalidate>
      <${Field} id="signature" label="Signature of the text" value=${signature} onText=${setSignature}
        charactersMax=${SIGNATURE_MAX_CHARACTERS} />
      <${Field} id="payer" label="Address of the paying wallet, where it is a contract" value=${payer} onText=${setPayer}>
        <button>Send the signature</button><//>
      <${Problem} text=${problem} />
    </form>
  </details>`
}

/**
 * Asks for the signature of the paying wallet.
 * @param {{
 *   readonly text: string,
 *   readonly refused: string | null,
 *   readonly wallets: ReadonlyArray<import("./wallets.js").Wallet>,
 *   readonly onSigned: OnSigned,
 * }} props
 */
export const ProofStep = ({ text, refused, wallets, onSigned }) => {
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState(refused)
  const sign = async (/** @type {import("./wallets.js").Wallet} */ { provider }) => {
    setBusy(true)
    setProblem(null)
    try {
      const { signature, payer } = await signByWallet(provider, text)
      onSigned(signature, payer)
    } catch (cause) {
      setProblem(cleanText(cause instanceof Error ? cause.message : "", 300) || "The text could not be signed.")
    }
    setBusy(false)
  }
  return html`<div>
    <p>The wallet that has paid signs this text, which costs nothing and moves nothing:</p>
    <blockquote class="to-sign">${text}</blockquote>
    <${WalletList} wallets=${wallets} verb="Sign with" disabled=${busy} onChoose=${sign} />
    ${busy ? html`<p role="status">Waiting for the wallet.</p>` : null}
    <${Problem} text=${problem} />
    <${SignedElsewhere} onSigned=${onSigned} />
  </div>`
}
