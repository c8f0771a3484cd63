import { useEffect, useReducer, useState } from "preact/hooks"
import { askedAmount, creditsOf, textOfCents, textOfUnits } from "./amounts.js"
import { ClaimProgress, ProofStep, progressText } from "./claim-view.js"
import { PayStep } from "./pay-step.js"
import { TokenShown } from "./token-shown.js"
import { AsCommand, AskedTwice, Field, html, Problem, useFocusAt } from "./view.js"

const FIRST_AMOUNT = "5"

/**
 * The amount, and the credits that it buys.
 * @param {{
 *   readonly state: import("./purchase.js").AmountState,
 *   readonly terms: import("./terms.js").Terms,
 *   readonly onAsk: (cents: bigint) => void,
 * }} props
 */
const AmountStep = ({ state, terms, onAsk }) => {
  const [text, setText] = useState(FIRST_AMOUNT)
  const [isSubmitted, setSubmitted] = useState(false)
  const asked = askedAmount(text, terms)
  const isValid = "cents" in asked
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault()
    setSubmitted(true)
    if ("cents" in asked) onAsk(asked.cents)
  }
  const credits = "cents" in asked ? creditsOf(asked.cents, terms.creditsPerUsd) : null
  const problem = isSubmitted && "problem" in asked ? asked.problem : state.problem
  return html`<form onSubmit=${submit} novalidate>
    <${Field} id="amount" label="Amount in US dollars" value=${text} onText=${setText} isNumber charactersMax=${12}
      isWrong=${isSubmitted && !isValid} describedBy="amount-buys amount-problem">
      <button class="primary" disabled=${state.asking !== null}>${state.asking === null ? "Get a quote" : "Asking…"}</button>
    <//>
    <p id="amount-buys" class="soft">${
      credits === null
        ? `${terms.creditsPerUsd} credits for 1 USD`
        : `Buys ${credits.toLocaleString("en-US")} credits, ${terms.creditsPerUsd} for 1 USD`
    }. From ${terms.usdMin} to ${terms.usdMax.toLocaleString("en-US")} USD.</p>
    <${Problem} id="amount-problem" text=${problem} />
    <${AsCommand} command=${terms.commands.quote} values=${"cents" in asked ? { AMOUNT_USD: textOfCents(asked.cents) } : {}} />
  </form>`
}

/** @typedef {import("./purchase.js").State} State */

const steps = /** @type {ReadonlyArray<readonly [State["tag"], string]>} */ ([
  ["amount", "Amount"],
  ["paying", "Pay"],
  ["claiming", "Confirm"],
  ["done", "Token"],
])

/**
 * What a screen reader hears when it changes.
 * @param {State} state
 */
const announced = (state) => {
  switch (state.tag) {
    case "amount":
      return state.asking === null ? "" : "Asking for a quote"
    case "paying":
      return state.wallet === null
        ? `Pay exactly ${textOfUnits(state.quote.units)} USDC`
        : `Waiting for the wallet: ${state.wallet.phase}`
    case "claiming":
      return state.claim.step.tag === "waiting" ? progressText(state.claim) : ""
    case "done":
      return `${state.credited.credits} credits added`
  }
}

/**
 * @param {{
 *   readonly state: import("./purchase.js").ClaimingState,
 *   readonly terms: import("./terms.js").Terms,
 *   readonly wallets: ReadonlyArray<import("./wallets.js").Wallet>,
 *   readonly dispatch: (event: import("./purchase.js").PurchaseEvent) => void,
 * }} props
 */
const ConfirmStep = ({ state, terms, wallets, dispatch }) => {
  const { claim } = state
  const { step, txHash } = claim
  const leave = () => dispatch({ tag: "claimLeft" })
  return html`<div>
    <p class="soft">Transaction <code>${txHash}</code></p>
    ${step.tag === "asking" || step.tag === "waiting" ? html`<${ClaimProgress} claim=${claim} />` : null}
    ${
      step.tag === "proof"
        ? html`<${ProofStep} key=${claim.attempt} text=${step.text} refused=${step.problem} wallets=${wallets}
            onSigned=${(/** @type {string} */ signature, /** @type {string | null} */ payer) =>
              dispatch({ tag: "claimSigned", signature, payer })} />`
        : null
    }
    <${Problem} text=${step.tag === "refused" ? step.message : null} />
    ${
      step.tag === "refused"
        ? html`<p class="actions"><button type="button" class="primary" onClick=${leave}>Back to the payment</button></p>`
        : html`<${AskedTwice} label="Use another transaction" yes="Enter another hash"
            question="Does your wallet show another hash for this payment? It does where the payment was sped up or replaced."
            onYes=${leave} />`
    }
    <${AsCommand} command=${terms.commands.confirm} values=${{ TX_HASH: txHash }} />
  </div>`
}

/**
 * Buys credits, step by step.
 * @param {{
 *   readonly buyer: import("./buyer.js").Buyer,
 *   readonly terms: import("./terms.js").Terms,
 *   readonly sale: import("./terms.js").Sale,
 *   readonly wallets: ReadonlyArray<import("./wallets.js").Wallet>,
 * }} props
 */
export const BuySection = ({ buyer, terms, sale, wallets }) => {
  const [, redraw] = useReducer((/** @type {number} */ count) => count + 1, 0)
  useEffect(() => {
    const leave = buyer.subscribe(() => redraw(0))
    buyer.start()
    return leave
  }, [buyer])
  const state = buyer.state()
  const { dispatch } = buyer
  const current = useFocusAt(state.tag)
  const position = steps.findIndex(([tag]) => tag === state.tag)
  return html`<section aria-labelledby="buy-heading" data-state=${state.tag}>
    <h2 id="buy-heading">Buy in this browser</h2>
    <ol class="steps">
      ${steps.map(([tag, label], index) =>
        index === position
          ? html`<li key=${tag} aria-current="step" tabindex="-1" ref=${current}>${label}</li>`
          : html`<li key=${tag} class=${index < position ? "past" : ""}>${label}</li>`,
      )}
    </ol>
    <p class="unseen" role="status">${announced(state)}</p>
    ${
      state.stray === null
        ? null
        : html`<p class="notice">A wallet has answered late: it has sent the transaction <code>${state.stray}</code>. Get its
            credits by a signature of that wallet, under “Lost token”.</p>`
    }
    ${state.tag === "amount" ? html`<${AmountStep} state=${state} terms=${terms} onAsk=${buyer.askQuote} />` : null}
    ${
      state.tag === "paying"
        ? html`<${PayStep} state=${state} sale=${sale} terms=${terms} isStored=${buyer.isStored()} wallets=${wallets}
            onPay=${buyer.pay} dispatch=${dispatch} />`
        : null
    }
    ${
      state.tag === "claiming"
        ? html`<${ConfirmStep} state=${state} terms=${terms} wallets=${wallets} dispatch=${dispatch} />`
        : null
    }
    ${
      state.tag === "done"
        ? html`<${TokenShown} credited=${state.credited} txHash=${state.txHash} />
            <${AskedTwice} label="Buy again" question="The token above is then shown no more. Have you saved it?"
              yes="It is saved" onYes=${() => dispatch({ tag: "restarted" })} />
            <${AsCommand} command=${terms.commands.balance} />`
        : null
    }
  </section>`
}
