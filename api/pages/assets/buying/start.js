import { render } from "preact"
import { useMemo } from "preact/hooks"
import { BuySection } from "./buy-section.js"
import { openBuyer } from "./buyer.js"
import { LostToken } from "./lost-token.js"
import { send } from "./service.js"
import { MOUNT_ID, termsOf } from "./terms.js"
import { TokenAccount } from "./token-account.js"
import { html } from "./view.js"
import { useWallets } from "./wallet-list.js"

// Starts buying in the browser, in the page that explains it with commands.

/** @param {() => void} run @param {number} pauseMs */
const later = (run, pauseMs) => {
  const timer = setTimeout(run, pauseMs)
  return () => clearTimeout(timer)
}

const surroundings = { send, later, nowMs: () => Date.now() }

/** The storage of the browser, for claim keys; reading it throws where the browser lets no page store anything. */
const keys = {
  getItem: (/** @type {string} */ key) => localStorage.getItem(key),
  setItem: (/** @type {string} */ key, /** @type {string} */ value) => localStorage.setItem(key, value),
}

/** The storage of the tab; reading it throws as well. */
const storage = {
  getItem: (/** @type {string} */ key) => sessionStorage.getItem(key),
  setItem: (/** @type {string} */ key, /** @type {string} */ value) => sessionStorage.setItem(key, value),
  removeItem: (/** @type {string} */ key) => sessionStorage.removeItem(key),
}

/** @param {{readonly terms: import("./terms.js").Terms}} props */
const Buying = ({ terms }) => {
  const { sale } = terms
  const wallets = useWallets()
  const buyer = useMemo(
    () => (sale === null ? null : openBuyer({ ...surroundings, storage, terms: { ...terms, sale } })),
    [],
  )
  return html`
    ${buyer === null ? null : html`<${BuySection} buyer=${buyer} terms=${terms} sale=${sale} wallets=${wallets} />`}
    ${sale === null ? null : html`<${LostToken} surroundings=${{ ...surroundings, keys }} terms=${terms} wallets=${wallets} />`}
    <${TokenAccount} send=${send} terms=${terms} />
  `
}

// A page that the browser brings back from its memory would show the token that it had shown.
window.addEventListener("pageshow", ({ persisted }) => persisted && location.reload())

const terms = termsOf(document)
const mount = document.getElementById(MOUNT_ID)
if (terms !== null && mount !== null) {
  mount.replaceChildren()
  render(html`<${Buying} terms=${terms} />`, mount)
}
