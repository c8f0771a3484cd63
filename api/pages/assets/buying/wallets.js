import { cleanText } from "./text.js"

// Wallets of this browser, which announce themselves (EIP-6963). Everything that they say about themselves is hostile.

/**
 * The interface of a wallet (EIP-1193). It may throw, answer anything, or never answer.
 * @typedef {{readonly request: (call: {readonly method: string, readonly params?: ReadonlyArray<unknown>}) => Promise<unknown>}} Provider
 */

/**
 * @typedef {object} Wallet
 * @property {string} id
 * @property {string} name
 * @property {string} domain Its origin by its own account, to distinguish equal names; empty where unknown.
 * @property {string | null} icon A `data:` image; null for none.
 * @property {Provider} provider
 */

const WALLETS_MAX = 12
const NAME_MAX_CHARACTERS = 40
const DOMAIN_MAX_CHARACTERS = 60
const ID_MAX_CHARACTERS = 64
const ICON_MAX_CHARACTERS = 200_000
/** Images as data alone: an address would tell its host who is about to pay. An SVG in an `img` runs no script. */
const ICON = /^data:image\/(?:png|svg\+xml|webp|jpeg|gif|avif)[;,]/

/**
 * @param {unknown} value
 * @returns {value is Provider}
 */
const isProvider = (value) =>
  typeof value === "object" && value !== null && "request" in value && typeof value.request === "function"

/** @param {unknown} value */
const iconOf = (value) =>
  typeof value === "string" && value.length <= ICON_MAX_CHARACTERS && ICON.test(value) ? value : null

/**
 * The wallet of an announcement; null where it is none.
 * @param {unknown} detail
 * @returns {Wallet | null}
 */
export const walletOf = (detail) => {
  try {
    const { info, provider } = /** @type {{info: Record<string, unknown>, provider: unknown}} */ (detail)
    if (!isProvider(provider)) return null
    const { uuid, name, rdns, icon } = info
    const id = cleanText(uuid, ID_MAX_CHARACTERS)
    if (id === "") return null
    return {
      id,
      name: cleanText(name, NAME_MAX_CHARACTERS) || "Wallet without a name",
      domain: cleanText(rdns, DOMAIN_MAX_CHARACTERS),
      icon: iconOf(icon),
      provider,
    }
  } catch {
    // A getter of the announcement has thrown.
    return null
  }
}

/**
 * The known wallets and a newly announced one. The first of an id stays: another with it cannot take its place.
 * @param {ReadonlyArray<Wallet>} known
 * @param {Wallet} wallet
 */
export const withWallet = (known, wallet) =>
  known.length >= WALLETS_MAX || known.some(({ id, provider }) => id === wallet.id || provider === wallet.provider)
    ? known
    : [...known, wallet]

/**
 * Calls back with all wallets whenever one announces itself, at once or later; the result ends that. A wallet that only
 * sets `window.ethereum` is listed while none announces itself.
 * @param {(wallets: ReadonlyArray<Wallet>) => void} onChange
 */
export const discoverWallets = (onChange) => {
  /** @type {ReadonlyArray<Wallet>} */
  let known = []
  /** @param {Event} event */
  const hear = (event) => {
    const wallet = walletOf("detail" in event ? event.detail : null)
    if (wallet === null) return
    const next = withWallet(known, wallet)
    if (next === known) return
    known = next
    onChange(known)
  }
  window.addEventListener("eip6963:announceProvider", hear)
  window.dispatchEvent(new Event("eip6963:requestProvider"))
  const legacy = walletOf({
    info: { uuid: "ethereum", name: "Wallet of this browser" },
    provider: "ethereum" in window ? window.ethereum : null,
  })
  if (known.length === 0 && legacy !== null) onChange([legacy])
  return () => window.removeEventListener("eip6963:announceProvider", hear)
}
