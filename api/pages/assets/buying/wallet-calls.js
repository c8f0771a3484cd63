import { textOfUnits } from "./amounts.js"
import {
  balanceCalldata,
  chainIdFrom,
  chainIdText,
  isAddress,
  isWord,
  transferCalldata,
  unitsFrom,
} from "./calldata.js"
import { membersOf } from "./quote.js"
import { cleanText } from "./text.js"

// What a wallet is asked for, one request after the other. Its answers are checked: it may be on another chain than it was
// sent to, name no account, or answer with anything.

/** @typedef {import("./wallets.js").Provider} Provider */

const REJECTED = 4001
/** Codes with which a wallet refuses before it sends. After any other one a payment may be on its way all the same. */
const UNSENT = /** @type {ReadonlyArray<number | null>} */ ([REJECTED, 4100, 4200, -32602, -32003])
const CHAIN_UNKNOWN = 4902
const MESSAGE_MAX_CHARACTERS = 200

/** In words, what the codes of EIP-1193 and EIP-1474 say. */
const words = /** @type {Readonly<Record<number, string>>} */ ({
  [REJECTED]: "You have rejected the request in the wallet.",
  4100: "The wallet has not given this page access to the account.",
  4200: "The wallet cannot do this.",
  4900: "The wallet is not connected to any chain.",
  4901: "The wallet is not connected to this chain.",
  [-32002]: "The wallet has an open request already: open it, and answer that one first.",
})

/** Why a wallet did not do what it was asked for. `unsent`: certainly no payment was sent. */
export class WalletProblem extends Error {
  /**
   * @param {string} message
   * @param {{readonly code?: number | null, readonly unsent?: boolean}} facts
   */
  constructor(message, { code = null, unsent = true } = {}) {
    super(message)
    this.code = code
    this.unsent = unsent
  }
}

/**
 * The code of a refusal, also of one that is wrapped into another.
 * @param {unknown} cause
 * @returns {number | null}
 */
const codeOf = (cause) => {
  const members = membersOf(cause)
  const inner = membersOf(membersOf(members?.data)?.originalError)?.code
  if (typeof inner === "number") return inner
  return typeof members?.code === "number" ? members.code : null
}

/**
 * @param {unknown} cause
 * @returns {WalletProblem}
 */
const problemOf = (cause) => {
  const code = codeOf(cause)
  const known = code === null ? undefined : words[code]
  if (known !== undefined) return new WalletProblem(known, { code })
  const said = cleanText(membersOf(cause)?.message, MESSAGE_MAX_CHARACTERS)
  return new WalletProblem(said === "" ? "The wallet has refused." : `The wallet says: ${said}`, { code })
}

/**
 * @param {Provider} provider
 * @param {string} method
 * @param {ReadonlyArray<unknown>} [params]
 */
const ask = async (provider, method, params) => {
  try {
    return await provider.request(params === undefined ? { method } : { method, params })
  } catch (cause) {
    throw problemOf(cause)
  }
}

/** @param {Provider} provider */
const accountOf = async (provider) => {
  const accounts = await ask(provider, "eth_requestAccounts")
  const [account] = Array.isArray(accounts) ? accounts : []
  if (!isAddress(account)) throw new WalletProblem("The wallet has named no account.")
  return account
}

/** @param {Provider} provider */
const chainOf = async (provider) => chainIdFrom(await ask(provider, "eth_chainId"))

/**
 * Brings a wallet to the chain of a sale, which it may not know yet, and looks whether it is there.
 * @param {Provider} provider
 * @param {import("./terms.js").Sale} sale
 */
const switchChain = async (provider, { chainId, chainName, addable }) => {
  if ((await chainOf(provider)) === chainId) return
  const target = [{ chainId: chainIdText(chainId) }]
  try {
    await ask(provider, "wallet_switchEthereumChain", target)
  } catch (problem) {
    if (!(problem instanceof WalletProblem) || problem.code !== CHAIN_UNKNOWN || addable === null) throw problem
    await ask(provider, "wallet_addEthereumChain", [addable])
    // Some wallets add a chain without going there.
    if ((await chainOf(provider)) !== chainId) await ask(provider, "wallet_switchEthereumChain", target)
  }
  if ((await chainOf(provider)) !== chainId)
    throw new WalletProblem(`The wallet is not on ${chainName} (chain id ${chainId}). Choose that chain in it.`)
}

/**
 * Refuses a payment that the account cannot make. A wallet that does not answer this is asked to pay all the same: it
 * checks the balance itself.
 * @param {Provider} provider
 * @param {string} account
 * @param {import("./quote.js").Quote} quote
 */
const checkBalance = async (provider, account, { contract, units }) => {
  const call = { to: contract, data: balanceCalldata(account) }
  const held = unitsFrom(await ask(provider, "eth_call", [call, "latest"]).catch(() => null))
  if (held !== null && held < units)
    throw new WalletProblem(
      `The account ${account} holds ${textOfUnits(held)} USDC; the payment is ${textOfUnits(units)}.`,
    )
}

/**
 * Pays a quote and gives the hash of the transaction. `reach` is called before each phase; false ends the payment there.
 * Null: it was ended. Throws a `WalletProblem`.
 * @param {Provider} provider
 * @param {import("./quote.js").Quote} quote
 * @param {import("./terms.js").Sale} sale
 * @param {(phase: import("./purchase.js").WalletPhase) => boolean} reach
 */
export const payByWallet = async (provider, quote, sale, reach) => {
  const account = await accountOf(provider)
  if (!reach("switching")) return null
  await switchChain(provider, sale)
  if (!reach("checking")) return null
  await checkBalance(provider, account, quote)
  if (!reach("sending")) return null
  const call = { from: account, to: quote.contract, value: "0x0", data: transferCalldata(quote) }
  // Wallets refuse a transaction for another chain than theirs: the user may have changed it meanwhile.
  const transaction = { ...call, chainId: chainIdText(sale.chainId) }
  const sent = await ask(provider, "eth_sendTransaction", [transaction]).catch((problem) => {
    const isUnsent = UNSENT.includes(problem.code) || /insufficient funds/i.test(problem.message)
    throw new WalletProblem(problem.message, { code: problem.code, unsent: isUnsent })
  })
  if (!isWord(sent))
    throw new WalletProblem("The wallet has answered without the hash of a transaction.", { unsent: false })
  return sent
}

/** @param {string} text */
const hexOf = (text) =>
  `0x${[...new TextEncoder().encode(text)].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`

/**
 * Signs a text (EIP-191) and gives the signature and its account. Throws a `WalletProblem`.
 * @param {Provider} provider
 * @param {string} text
 */
export const signByWallet = async (provider, text) => {
  const payer = await accountOf(provider)
  const signature = await ask(provider, "personal_sign", [hexOf(text), payer])
  if (!isSignature(signature)) throw new WalletProblem("The wallet has answered without a signature.")
  return { signature, payer }
}

/** Signatures of contract wallets hold calls. */
export const SIGNATURE_MAX_CHARACTERS = 20_000

/**
 * Whether a value has the form of a signature.
 * @param {unknown} value
 * @returns {value is string}
 */
export const isSignature = (value) =>
  typeof value === "string" && value.length <= SIGNATURE_MAX_CHARACTERS && /^0x(?:[0-9a-fA-F]{2})+$/.test(value)
