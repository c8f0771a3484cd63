import { useState } from "preact/hooks"
import { askedAmount, creditsOf, textOfCents } from "./amounts.js"
import { AsCommand, Field, html, Problem } from "./view.js"

const FIRST_AMOUNT = "5"

/**
 * The amount, and the credits that it buys.
 * @param {{
 *   readonly state: import("./purchase.js").AmountState,
 *   readonly terms: import("./terms.js").Terms,
 *   readonly onAsk: (cents: bigint) => void,
 * }} props
 */
export const AmountStep = ({ state, terms, onAsk }) => {
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
