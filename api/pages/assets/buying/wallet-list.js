import { useEffect, useState } from "preact/hooks"
import { html } from "./view.js"
import { discoverWallets } from "./wallets.js"

/** The wallets of this browser, also those that announce themselves later. */
export const useWallets = () => {
  const [wallets, setWallets] = useState(/** @type {ReadonlyArray<import("./wallets.js").Wallet>} */ ([]))
  useEffect(() => discoverWallets(setWallets), [])
  return wallets
}

/**
 * Wallets to choose from.
 * @param {{
 *   readonly wallets: ReadonlyArray<import("./wallets.js").Wallet>,
 *   readonly verb: string,
 *   readonly disabled: boolean,
 *   readonly onChoose: (wallet: import("./wallets.js").Wallet) => void,
 * }} props
 */
export const WalletList = ({ wallets, verb, disabled, onChoose }) => {
  if (wallets.length === 0)
    return html`<p class="soft">No wallet has announced itself in this browser. Wallets are extensions of browsers, or
      browsers within a wallet app; the other ways need none here.</p>`
  return html`<ul class="wallets">
    ${wallets.map(
      (wallet) => html`<li key=${wallet.id}>
        <button type="button" class="wallet" disabled=${disabled} onClick=${() => onChoose(wallet)}>
          ${
            wallet.icon === null
              ? html`<span class="no-icon" aria-hidden="true"></span>`
              : html`<img src=${wallet.icon} alt="" width="32" height="32" />`
          }
          <span><span class="unseen">${verb} </span><b>${wallet.name}</b><span class="soft small">${wallet.domain}</span></span>
        </button>
      </li>`,
    )}
  </ul>`
}
