import { useMemo, useState } from "preact/hooks"
import { encode } from "uqr"
import { textOfUnits } from "./amounts.js"
import { isWord, transferUri } from "./calldata.js"
import { isOpen } from "./purchase.js"
import { clockText } from "./text.js"
import { AsCommand, AskedTwice, CopyButton, Field, html, Problem, saveFile, useNowMs } from "./view.js"
import { WalletList } from "./wallet-list.js"

/** Modules of white around the code, without which cameras do not find it. */
const BORDER = 4

/** @param {string} text */
const pathOf = (text) => {
  const { data, size } = encode(text, { border: BORDER, ecc: "M" })
  const path = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : []))).join("")
  return { path, size }
}

/**
 * A QR code: dark on white in both colour schemes, as cameras expect it.
 * @param {{readonly text: string, readonly label: string}} props
 */
const QrCode = ({ text, label }) => {
  const { path, size } = useMemo(() => pathOf(text), [text])
  return html`<svg class="qr" role="img" aria-label=${label} viewBox=${`0 0 ${size} ${size}`} shape-rendering="crispEdges">
    <path fill="#fff" d=${`M0 0h${size}v${size}H0z`} />
    <path fill="#000" d=${path} />
  </svg>`
}

/** @typedef {"wallet" | "phone" | "transfer"} Way */

const ways = /** @type {ReadonlyArray<readonly [Way, string]>} */ ([
  ["wallet", "Wallet in this browser"],
  ["phone", "Phone"],
  ["transfer", "Any other transfer"],
])

const phases = /** @type {const} */ ({
  connecting: "Allow the wallet to show an account to this page.",
  switching: "Allow the wallet to change to the chain of the payment.",
  checking: "Reading the balance of the account.",
  sending: "Check the payment in the wallet, and send it there.",
})

/**
 * A value to copy.
 * @param {{readonly name: string, readonly value: string, readonly unit?: string}} props
 */
const Copied = ({ name, value, unit = "" }) => html`<div>
  <dt>${name}</dt>
  <dd><code>${value}</code>${unit === "" ? null : ` ${unit}`} <${CopyButton} text=${value} what=${name.toLowerCase()} /></dd>
</div>`

/** @param {{readonly quote: import("./quote.js").Quote, readonly sale: import("./terms.js").Sale}} props */
const Facts = ({ quote, sale }) => html`<dl class="facts">
  <${Copied} name="Exact amount" value=${textOfUnits(quote.units)} unit="USDC" />
  <${Copied} name="To the wallet" value=${quote.wallet} />
  <${Copied} name="Token contract" value=${quote.contract} />
  <div><dt>Chain</dt><dd>${sale.chainName}, chain id ${quote.chainId}</dd></div>
</dl>`

/**
 * @param {{
 *   readonly wallet: import("./purchase.js").WalletRequest,
 *   readonly onLeave: () => void,
 * }} props
 */
const WalletWait = ({ wallet, onLeave }) => html`<div class="waiting">
  <p><b>Waiting for ${wallet.name}</b></p>
  <p>${phases[wallet.phase]}</p>
  <p class="actions"><button type="button" class="quiet" onClick=${onLeave}>Do not wait any longer</button></p>
</div>`

/** @param {{readonly onEnter: (txHash: string) => void}} props */
const TransactionForm = ({ onEnter }) => {
  const [text, setText] = useState("")
  const [problem, setProblem] = useState(/** @type {string | null} */ (null))
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault()
    const hash = text.trim()
    if (isWord(hash)) onEnter(hash.toLowerCase())
    else setProblem("The hash of a transaction is 0x and 64 hex digits.")
  }
  return html`<form onSubmit=${submit} novalidate>
    <${Field} id="transaction" label="Paid already? The hash of the transaction" value=${text} onText=${setText}
      isWrong=${problem !== null} describedBy="transaction-problem"><button>Confirm</button><//>
    <${Problem} id="transaction-problem" text=${problem} />
  </form>`
}

/** @param {import("./quote.js").Quote} quote */
const memoFile = (quote) =>
  [
    "The memo of a purchase of credits. It is secret: it claims the payment.",
    "With the hash of the transaction it returns the token, also after a token was lost.",
    "",
    `memo: ${quote.memo}`,
    `amount: ${textOfUnits(quote.units)} USDC`,
    `wallet: ${quote.wallet}`,
    `chain id: ${quote.chainId}`,
    "",
  ].join("\n")

/**
 * The three ways to pay a quote.
 * @param {{
 *   readonly state: import("./purchase.js").PayingState,
 *   readonly sale: import("./terms.js").Sale,
 *   readonly terms: import("./terms.js").Terms,
 *   readonly isStored: boolean,
 *   readonly wallets: ReadonlyArray<import("./wallets.js").Wallet>,
 *   readonly onPay: (wallet: import("./wallets.js").Wallet) => void,
 *   readonly dispatch: (event: import("./purchase.js").PurchaseEvent) => void,
 * }} props
 */
export const PayStep = ({ state, sale, terms, isStored, wallets, onPay, dispatch }) => {
  const { quote, wallet, problem, handedOver } = state
  const [way, setWay] = useState(/** @type {Way} */ ("wallet"))
  const nowMs = useNowMs(true)
  const open = isOpen(quote, nowMs)
  const amount = textOfUnits(quote.units)
  const uri = transferUri(quote)
  return html`<div>
    <p class="amount"><b>${amount}</b> USDC <span class="soft">for ${quote.credits.toLocaleString("en-US")} credits</span></p>
    <p class="soft" role="timer">${
      open
        ? `This quote is valid for ${clockText(quote.expiresAtMs - nowMs)}.`
        : "This quote has expired. A payment that was sent is credited all the same: enter its hash. Else ask for a new quote."
    }</p>
    ${
      handedOver && wallet === null
        ? html`<p class="notice">A wallet was asked to pay this quote. If it shows the payment as sent, enter the hash of its
            transaction below, and do not pay again.</p>`
        : null
    }
    ${wallet === null ? null : html`<${WalletWait} wallet=${wallet} onLeave=${() => dispatch({ tag: "walletLeft" })} />`}
    <${Problem} text=${problem} />
    ${
      open && wallet === null
        ? html`<fieldset class="ways">
              <legend>How do you pay?</legend>
              ${ways.map(
                ([name, label]) => html`<label key=${name}>
                  <input type="radio" name="way" value=${name} checked=${way === name} onChange=${() => setWay(name)} />
                  <span>${label}</span>
                </label>`,
              )}
            </fieldset>
            ${way === "wallet" ? html`<${WalletList} wallets=${wallets} verb="Pay with" disabled=${false} onChoose=${onPay} />` : null}
            ${
              way === "phone"
                ? html`<div class="phone">
                    <${QrCode} text=${uri} label=${`QR code of a transfer of ${amount} USDC on ${sale.chainName}`} />
                    <div>
                    <p>Scan it with a wallet app. It asks for a transfer of exactly ${amount} USDC on ${sale.chainName}.
                      Then enter the hash of the transaction that the app shows.</p>
                    <p><a href=${uri}>Open in a wallet of this device</a></p>
                    </div>
                  </div>`
                : null
            }
            ${
              way === "transfer"
                ? html`<p>Send exactly this amount, from any wallet or exchange: its last digits identify your quote.</p>
                    <${Facts} quote=${quote} sale=${sale} />`
                : null
            }
            ${
              quote.proof === "signature" && way !== "wallet"
                ? html`<p class="notice">The amount does not identify this quote. After the transfer the paying wallet also
                    signs a text, which an exchange cannot do.</p>`
                : null
            }`
        : null
    }
    ${wallet === null ? html`<${TransactionForm} onEnter=${(/** @type {string} */ txHash) => dispatch({ tag: "transactionEntered", txHash })} />` : null}
    <div class="memo">
      <p class="small soft">${
        isStored
          ? "This tab remembers the quote until it is closed. "
          : "This browser lets no page store anything: a reload forgets the quote. "
      }Save its memo before you pay: without it, only a signature of the paying wallet claims the payment.</p>
      <p class="actions">
        <button type="button" class="quiet" onClick=${() => saveFile("memo.txt", memoFile(quote))}>Save the memo</button>
        ${
          wallet === null
            ? html`<${AskedTwice} label="Start over" yes="Forget the quote"
                question="Forget this quote? If you have paid it already, save its memo first."
                onYes=${() => dispatch({ tag: "restarted" })} />`
            : null
        }
      </p>
    </div>
    <${AsCommand} command=${terms.commands.pay} values=${{ UNITS: String(quote.units) }} />
  </div>`
}
