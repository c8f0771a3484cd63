import { PAYMENT } from "../operations.js"
import type { PaymentBuyCreditsReply, PaymentConfirmBody, PaymentConfirmReply, PaymentPending } from "../types.js"
import { type Claim, type Hex, newClaimKey, type SignedClaim } from "./claim.ts"
import { deadlineOf } from "./deadline.ts"
import { NoReplyError, PayerProofError, ProblemError, PurchaseError, TimedOutError } from "./errors.ts"
import type { CallOptions } from "./options.ts"
import { transferCalldata } from "./transfer.ts"

/** A wallet, as far as buying needs it: a viem wallet client with its account and chain, or anything like it. */
export interface BuyingWallet {
  readonly getChainId: () => Promise<number>
  /** Signs and sends a transaction; resolves to its hash. */
  readonly sendTransaction: (transaction: { readonly to: Hex; readonly data: Hex }) => Promise<Hex>
}

/** A wallet, as far as a claim by signature needs it: a viem wallet client with its account, or anything like it. */
export interface SigningWallet {
  /** Signs a text (EIP-191 personal_sign). */
  readonly signMessage: (signed: { readonly message: string }) => Promise<Hex>
}

/** The operations that buying calls: a `Tidewire` has them. */
export interface PaymentCalls {
  readonly paymentBuyCredits: (
    body: { readonly amount_usd: number },
    options?: CallOptions,
  ) => Promise<PaymentBuyCreditsReply>
  readonly paymentConfirm: (
    body: PaymentConfirmBody,
    options?: CallOptions,
  ) => Promise<PaymentConfirmReply | PaymentPending>
}

/**
 * A step of a purchase. `quoted` and `paid` hold what a restarted program needs to claim what it paid; `signing`, what it needs
 * beside another signature, and the text that is signed next.
 */
export type PurchaseStep =
  | { readonly step: "quoted"; readonly quote: PaymentBuyCreditsReply }
  | { readonly step: "paid"; readonly claim: Claim }
  | { readonly step: "signing"; readonly claim: SignedClaim; readonly text: string }
  | { readonly step: "pending"; readonly confirmations: number; readonly required: number | "safe" }
  | { readonly step: "credited"; readonly confirmed: PaymentConfirmReply }

/** How a purchase is followed, and for how long. */
export interface ClaimOptions {
  /**
   * `credited`: until the token is there, after a few blocks; `final`: until no reorganisation of the chain can reverse the
   * payment. `credited` by default.
   */
  readonly until?: "credited" | "final" | undefined
  /** How long to wait for the chain: 40 minutes by default, more than the service waits for an unknown transaction. */
  readonly claimTimeoutMs?: number | undefined
  readonly signal?: AbortSignal | undefined
  /** Called at each step, and awaited: store the claim here. */
  readonly onStep?: ((step: PurchaseStep) => void | Promise<void>) | undefined
}

/** With which wallet a payment is claimed. */
export interface SignedClaimOptions extends ClaimOptions {
  /** The wallet that paid. */
  readonly wallet: SigningWallet
  /** Its address, where it is a contract: it is then checked before other payers of the transaction. */
  readonly payer?: string | undefined
}

/** What is bought, and with which wallet. */
export interface BuyOptions extends ClaimOptions {
  /** Dollars, with at most 2 decimals. The quote adds less than a cent, which names the payment. */
  readonly amountUsd: number
  readonly wallet: BuyingWallet
  /** Where the money may go. By default any address that the service names. */
  readonly expectedRecipient?: string | undefined
}

const CLAIM_TIMEOUT_MS = 40 * 60_000
/** Between two looks at a payment that is credited and not final yet. */
const FINAL_PAUSE_MS = 5_000
/** Between two confirms after one that had no answer. */
const LOST_PAUSE_MS = 5_000
/** Between any two confirms: the service allows a few in a minute. */
const PAUSE_MIN_MS = 1_000
const UNITS_PER_USD = 10 ** PAYMENT.tokenDecimals
/** A quote adds less than a cent to the amount that was asked for. */
const UNITS_PER_CENT = UNITS_PER_USD / 100

/** Why a quote is not paid; null where it may be. A service can err, or be another one than was meant. */
const quoteProblem = (
  { quote, wallet }: PaymentBuyCreditsReply,
  options: BuyOptions,
  chainId: number,
): string | null => {
  const askedUnits = Math.round(options.amountUsd * UNITS_PER_USD)
  const tailUnits = Number(quote.amount_units) - askedUnits
  const recipient = options.expectedRecipient ?? wallet
  if (!(tailUnits >= 0 && tailUnits < UNITS_PER_CENT))
    return `the quote is for ${quote.amount_units} units instead of ${askedUnits}`
  if (quote.token_contract.toLowerCase() !== PAYMENT.tokenContract.toLowerCase())
    return `the quote is in another token: ${quote.token_contract}`
  if (quote.chain_id !== PAYMENT.chainId) return `the quote is on another chain: ${quote.chain_id}`
  if (chainId !== quote.chain_id) return `the wallet is on chain ${chainId} instead of ${quote.chain_id}`
  return wallet.toLowerCase() === recipient.toLowerCase() ? null : `the quote names another recipient: ${wallet}`
}

/** The pause that a reply asks for. */
const pauseOf = (seconds: number): number => (seconds > 1 ? seconds * 1000 : PAUSE_MIN_MS)

/** The pause after a confirm that failed for now; any other failure is thrown on. */
const pauseMsOf = (cause: unknown): number => {
  if (cause instanceof NoReplyError || cause instanceof TimedOutError) return LOST_PAUSE_MS
  if (cause instanceof ProblemError && [408, 429, 503].includes(cause.status))
    return cause.retryAfterSeconds === null ? LOST_PAUSE_MS : pauseOf(cause.retryAfterSeconds)
  throw cause
}

/** Confirms until the credits are there, as long as the options say. */
const confirmUntil = async (
  send: (call: CallOptions) => ReturnType<PaymentCalls["paymentConfirm"]>,
  options: ClaimOptions,
): Promise<PaymentConfirmReply> => {
  const call = { operation: "claim", idempotencyKey: null }
  const { signal, onStep, until = "credited", claimTimeoutMs = CLAIM_TIMEOUT_MS } = options
  const deadline = deadlineOf(claimTimeoutMs, signal)
  const confirm = () => send({ signal: deadline.signal })
  try {
    for (;;) {
      const reply = await confirm().catch(pauseMsOf)
      if (typeof reply === "number") await deadline.sleep(reply)
      else if ("status" in reply) {
        await onStep?.({ step: "pending", confirmations: reply.confirmations, required: reply.required })
        await deadline.sleep(pauseOf(reply.retry_after_seconds))
      } else if (until === "final" && reply.provisional) {
        await deadline.sleep(FINAL_PAUSE_MS)
      } else {
        await onStep?.({ step: "credited", confirmed: reply })
        return reply
      }
    }
  } catch (cause) {
    throw deadline.errorOf(cause, call)
  }
}

/**
 * Confirms a payment until its credits are there, and gives the token. Repeats are free and credit nothing twice, so that a
 * claim that was stored can be claimed again at any time.
 */
export const claimPurchase = (
  client: PaymentCalls,
  { transactionHash, memo }: Claim,
  options: ClaimOptions = {},
): Promise<PaymentConfirmReply> =>
  confirmUntil((call) => client.paymentConfirm({ tx_hash: transactionHash, nonce: memo }, call), options)

/** The text that a refusal asks the payer to sign; null for a refusal that another signature does not mend. */
const textOf = (cause: unknown, transactionHash: Hex): string | null => {
  if (!(cause instanceof PayerProofError)) return null
  const { reason, text_to_sign } = cause.body
  // What is signed must be this claim and none other.
  const isAsked = reason === "proof_required" || reason === "signature_expired"
  return isAsked && text_to_sign?.includes(transactionHash.toLowerCase()) ? text_to_sign : null
}

/**
 * Claims a payment by a signature of the wallet that paid, where there is no memo of it. Without a claim key a new one is
 * made; `onStep` gets it before anything is signed: store it there, as the token is given again for it alone, with another
 * signature. A client with a token adds the credits to that token instead.
 */
export const claimBySignature = (
  client: PaymentCalls,
  {
    transactionHash,
    claimKey = newClaimKey(),
  }: { readonly transactionHash: Hex; readonly claimKey?: string | undefined },
  options: SignedClaimOptions,
): Promise<PaymentConfirmReply> => {
  const { wallet, payer, onStep } = options
  const claim: SignedClaim = { transactionHash, claimKey }
  const unsigned = { tx_hash: transactionHash, claim_key: claimKey, ...(payer === undefined ? {} : { payer }) }
  let body: PaymentConfirmBody = unsigned
  return confirmUntil(async (call) => {
    try {
      return await client.paymentConfirm(body, call)
    } catch (cause) {
      const text = textOf(cause, transactionHash)
      if (text === null || !(cause instanceof PayerProofError)) throw cause
      await onStep?.({ step: "signing", claim, text })
      const signature = await wallet.signMessage({ message: text })
      body = { ...unsigned, signature, signature_until: cause.body.signature_until }
      return client.paymentConfirm(body, call)
    }
  }, options)
}

/**
 * Buys credits: asks for a quote, checks it, transfers its exact amount with the hash of the memo behind the call's arguments,
 * and claims the payment. A client with a token adds the credits to that token. When a step after the payment fails, the
 * `PurchaseError` has the claim: give it to `claimPurchase`.
 */
export const buyCredits = async (client: PaymentCalls, options: BuyOptions): Promise<PaymentConfirmReply> => {
  const { amountUsd, wallet, signal, onStep } = options
  const chainId = await wallet.getChainId()
  const quote = await client.paymentBuyCredits({ amount_usd: amountUsd }, { signal })
  const problem = quoteProblem(quote, options, chainId)
  if (problem !== null) throw new PurchaseError(problem, null)
  const { amount_units, memo_hash } = quote.quote
  const data = transferCalldata(quote.wallet, BigInt(amount_units), memo_hash)
  await onStep?.({ step: "quoted", quote })
  signal?.throwIfAborted()
  const claim: Claim = {
    transactionHash: await wallet.sendTransaction({ to: PAYMENT.tokenContract, data }),
    memo: quote.memo,
  }
  try {
    await onStep?.({ step: "paid", claim })
    return await claimPurchase(client, claim, options)
  } catch (cause) {
    throw new PurchaseError("paid, and not claimed yet", claim, cause)
  }
}
