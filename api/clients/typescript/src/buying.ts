import { PAYMENT } from "../operations.js"
import type { PaymentBuyCreditsReply, PaymentConfirmReply, PaymentPending } from "../types.js"
import type { Claim, Hex } from "./claim.ts"
import { deadlineOf } from "./deadline.ts"
import { NoReplyError, ProblemError, PurchaseError, TimedOutError } from "./errors.ts"
import type { CallOptions } from "./options.ts"
import { transferCalldata } from "./transfer.ts"

/** A wallet, as far as buying needs it: a viem wallet client with its account and chain, or anything like it. */
export interface BuyingWallet {
  readonly getChainId: () => Promise<number>
  /** Signs and sends a transaction; resolves to its hash. */
  readonly sendTransaction: (transaction: { readonly to: Hex; readonly data: Hex }) => Promise<Hex>
}

/** The operations that buying calls: a `Tidewire` has them. */
export interface PaymentCalls {
  readonly paymentBuyCredits: (
    body: { readonly amount_usd: number },
    options?: CallOptions,
  ) => Promise<PaymentBuyCreditsReply>
  readonly paymentConfirm: (
    body: { readonly tx_hash: string; readonly nonce: string },
    options?: CallOptions,
  ) => Promise<PaymentConfirmReply | PaymentPending>
}

/** A step of a purchase. `quoted` and `paid` hold what a restarted program needs to claim what it paid. */
export type PurchaseStep =
  | { readonly step: "quoted"; readonly quote: PaymentBuyCreditsReply }
  | { readonly step: "paid"; readonly claim: Claim }
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
  if (cause instanceof ProblemError && [429, 503].includes(cause.status))
    return cause.retryAfterSeconds === null ? LOST_PAUSE_MS : pauseOf(cause.retryAfterSeconds)
  throw cause
}

/**
 * Confirms a payment until its credits are there, and gives the token. Repeats are free and credit nothing twice, so that a
 * claim that was stored can be claimed again at any time.
 */
export const claimPurchase = async (
  client: PaymentCalls,
  { transactionHash, memo }: Claim,
  options: ClaimOptions = {},
): Promise<PaymentConfirmReply> => {
  const call = { operation: "claim", idempotencyKey: null }
  const { signal, onStep, until = "credited", claimTimeoutMs = CLAIM_TIMEOUT_MS } = options
  const deadline = deadlineOf(claimTimeoutMs, signal)
  const confirm = () => client.paymentConfirm({ tx_hash: transactionHash, nonce: memo }, { signal: deadline.signal })
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
