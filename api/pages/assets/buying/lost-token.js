import { useEffect, useMemo, useState } from "preact/hooks"
import { isWord } from "./calldata.js"
import { claimAfter, isClaimKey, startClaim } from "./claim.js"
import { claimKeyFor } from "./claim-keys.js"
import { runClaims } from "./claim-runner.js"
import { ClaimProgress, ProofStep } from "./claim-view.js"
import { isMemo } from "./quote.js"
import { TokenShown } from "./token-shown.js"
import { AsCommand, Field, html, Problem } from "./view.js"

/** @typedef {import("./claim.js").Claim} Claim */

/**
 * A claim that is no purchase of this tab: its state, and the functions that begin and sign it.
 * @param {Omit<Parameters<typeof runClaims>[0], "path">} surroundings
 * @param {string} path
 */
const useClaim = (surroundings, path) => {
  const [claim, setClaim] = useState(/** @type {Claim | null} */ (null))
  const claims = useMemo(() => {
    /** @type {Claim | null} */
    let current = null
    let attempts = 0
    /** @param {Claim | null} next */
    const set = (next) => {
      current = next
      attempts = Math.max(attempts, next?.attempt ?? 0)
      setClaim(next)
      follow(next)
    }
    /** @param {import("./claim.js").ClaimEvent} event */
    const dispatch = (event) => {
      if (current === null) return
      const next = claimAfter(current, event)
      if (next !== current) set(next)
    }
    const follow = runClaims({ ...surroundings, path }, dispatch)
    return {
      dispatch,
      leave: () => set(null),
      /** @param {{readonly txHash: string, readonly memo: string | null, readonly claimKey: string | null}} shown */
      begin: (shown) => set(startClaim({ ...shown, attempt: attempts + 1 })),
    }
  }, [])
  useEffect(() => claims.leave, [claims])
  return { claim, ...claims }
}

/**
 * The token of a payment that was made before: by the memo, or by a signature of the paying wallet and the claim key, which
 * this page makes and keeps.
 * @param {{
 *   readonly surroundings: Omit<Parameters<typeof runClaims>[0], "path"> & {
 *     readonly keys: import("./claim-keys.js").KeyStorage
 *   },
 *   readonly terms: import("./terms.js").Terms,
 *   readonly wallets: ReadonlyArray<import("./wallets.js").Wallet>,
 * }} props
 */
export const LostToken = ({ surroundings, terms, wallets }) => {
  const { claim, begin, dispatch, leave } = useClaim(surroundings, terms.paths.confirm)
  const [txHash, setTxHash] = useState("")
  const [secret, setSecret] = useState("")
  const [problem, setProblem] = useState(/** @type {string | null} */ (null))
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault()
    const hash = txHash.trim().toLowerCase()
    const shown = secret.trim()
    if (!isWord(hash)) return setProblem("The hash of a transaction is 0x and 64 hex digits.")
    if (shown !== "" && !isMemo(shown) && !isClaimKey(shown))
      return setProblem("A memo is tw_buy_ and 32 hex digits, a claim key tw_claim_ and 64.")
    setProblem(null)
    // The field forgets the secret; the claim holds it until it is credited.
    setSecret("")
    const typed = isClaimKey(shown) ? shown : null
    if (isMemo(shown)) begin({ txHash: hash, memo: shown, claimKey: null })
    else begin({ txHash: hash, memo: null, claimKey: claimKeyFor(surroundings.keys, hash, typed) })
  }
  const step = claim?.step
  return html`<details class="tool">
    <summary><h2>Lost token</h2></summary>
    <p>The token of a payment is shown again for the memo of its quote, or for a signature of the paying wallet. A signature
      counts together with a claim key, which this browser makes at the first time, keeps, and shows with the token.</p>
    <form onSubmit=${submit} novalidate>
      <${Field} id="lost-transaction" label="Hash of the transaction that paid" value=${txHash} onText=${setTxHash}
        describedBy="lost-problem" />
      <${Field} id="lost-memo" label="Memo, or a claim key of before; leave it empty to sign" value=${secret} onText=${setSecret} isSecret
        describedBy="lost-problem">
        <button disabled=${step?.tag === "asking" || step?.tag === "waiting"}>Get the token</button><//>
      <${Problem} id="lost-problem" text=${problem ?? (step?.tag === "refused" ? step.message : null)} />
    </form>
    ${step?.tag === "asking" || step?.tag === "waiting" ? html`<${ClaimProgress} claim=${claim} />` : null}
    ${
      claim !== null && step?.tag === "proof"
        ? html`<${ProofStep} key=${claim.attempt} text=${step.text} refused=${step.problem} wallets=${wallets}
            onSigned=${(/** @type {string} */ signature, /** @type {string | null} */ payer) =>
              dispatch({ tag: "claimSigned", signature, payer })} />`
        : null
    }
    ${
      claim !== null && step?.tag === "credited"
        ? html`<${TokenShown} credited=${step.credited} txHash=${claim.txHash} claimKey=${claim.claimKey} />
            <p class="actions"><button type="button" class="quiet" onClick=${leave}>Hide the token</button></p>`
        : null
    }
    <${AsCommand} command=${terms.commands.sign} />
  </details>`
}
