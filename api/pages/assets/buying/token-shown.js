import { CopyButton, html, saveFile } from "./view.js"

/**
 * @param {import("./claim.js").Credited} credited
 * @param {string} txHash
 * @param {string | null} claimKey
 */
const tokenFile = ({ token, credits }, txHash, claimKey) =>
  [
    "A token that spends credits. It is secret: send it as the header Authorization: Bearer, and nowhere else.",
    "",
    `token: ${token}`,
    `credits of this purchase: ${credits}`,
    `transaction: ${txHash}`,
    ...(claimKey === null ? [] : [`claim key: ${claimKey}`]),
    "",
    claimKey === null
      ? "If it is lost: confirm the transaction again with the memo of the quote."
      : "If it is lost: confirm the transaction again with the claim key and a new signature of the paying wallet.",
    "",
  ].join("\n")

/**
 * Shows a new token, which is not shown again.
 * @param {{
 *   readonly credited: import("./claim.js").Credited, readonly txHash: string, readonly claimKey?: string | null
 * }} props
 */
export const TokenShown = ({ credited, txHash, claimKey = null }) => {
  const { token, credits, balance, provisional } = credited
  return html`<div>
    <p><span class="state good">${credits.toLocaleString("en-US")} credits added</span>
      <span class="soft"> The balance of the token is ${balance.toLocaleString("en-US")}.</span></p>
    <p class="token"><code>${token}</code></p>
    <p class="actions">
      <button type="button" class="primary" onClick=${() => saveFile("token.txt", tokenFile(credited, txHash, claimKey))}>Save the token</button>
      <${CopyButton} text=${token} what="the token" isLarge />
    </p>
    ${
      claimKey === null
        ? html`<p class="notice">This token is shown once. The page has forgotten the memo: after you leave, it shows the token
            again only for the memo that you have saved.</p>`
        : html`<p class="notice">This token is shown once. Save it with its claim key, which this browser keeps too: after you
            leave, the token is shown again only for a new signature of the paying wallet and this key.</p>
          <p class="token"><code>${claimKey}</code></p>`
    }
    ${
      provisional
        ? html`<p class="small soft">The credits can be spent now. Until the block of the payment is final, the chain could
            still take it back, and the credits with it.</p>`
        : null
    }
  </div>`
}
