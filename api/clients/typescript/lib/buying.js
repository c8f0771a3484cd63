import { PAYMENT } from "../operations.js";
import { newClaimKey } from "./claim.js";
import { deadlineOf } from "./deadline.js";
import { NoReplyError, PayerProofError, ProblemError, PurchaseError, TimedOutError } from "./errors.js";
import { transferCalldata } from "./transfer.js";
const CLAIM_TIMEOUT_MS = 40 * 60_000;
/** Between two looks at a payment that is credited and not final yet. */
const FINAL_PAUSE_MS = 5_000;
/** Between two confirms after one that had no answer. */
const LOST_PAUSE_MS = 5_000;
/** Between any two confirms: the service allows a few in a minute. */
const PAUSE_MIN_MS = 1_000;
const UNITS_PER_USD = 10 ** PAYMENT.tokenDecimals;
/** A quote adds less than a cent to the amount that was asked for. */
const UNITS_PER_CENT = UNITS_PER_USD / 100;
/** Why a quote is not paid; null where it may be. A service can err, or be another one than was meant. */
const quoteProblem = ({ quote, wallet }, options, chainId) => {
    const askedUnits = Math.round(options.amountUsd * UNITS_PER_USD);
    const tailUnits = Number(quote.amount_units) - askedUnits;
    const recipient = options.expectedRecipient ?? wallet;
    if (!(tailUnits >= 0 && tailUnits < UNITS_PER_CENT))
        return `the quote is for ${quote.amount_units} units instead of ${askedUnits}`;
    if (quote.token_contract.toLowerCase() !== PAYMENT.tokenContract.toLowerCase())
        return `the quote is in another token: ${quote.token_contract}`;
    if (quote.chain_id !== PAYMENT.chainId)
        return `the quote is on another chain: ${quote.chain_id}`;
    if (chainId !== quote.chain_id)
        return `the wallet is on chain ${chainId} instead of ${quote.chain_id}`;
    return wallet.toLowerCase() === recipient.toLowerCase() ? null : `the quote names another recipient: ${wallet}`;
};
/** The pause that a reply asks for. */
const pauseOf = (seconds) => (seconds > 1 ? seconds * 1000 : PAUSE_MIN_MS);
/** The pause after a confirm that failed for now; any other failure is thrown on. */
const pauseMsOf = (cause) => {
    if (cause instanceof NoReplyError || cause instanceof TimedOutError)
        return LOST_PAUSE_MS;
    if (cause instanceof ProblemError && [429, 503].includes(cause.status))
        return cause.retryAfterSeconds === null ? LOST_PAUSE_MS : pauseOf(cause.retryAfterSeconds);
    throw cause;
};
/** Confirms until the credits are there, as long as the options say. */
const confirmUntil = async (send, options) => {
    const call = { operation: "claim", idempotencyKey: null };
    const { signal, onStep, until = "credited", claimTimeoutMs = CLAIM_TIMEOUT_MS } = options;
    const deadline = deadlineOf(claimTimeoutMs, signal);
    const confirm = () => send({ signal: deadline.signal });
    try {
        for (;;) {
            const reply = await confirm().catch(pauseMsOf);
            if (typeof reply === "number")
                await deadline.sleep(reply);
            else if ("status" in reply) {
                await onStep?.({ step: "pending", confirmations: reply.confirmations, required: reply.required });
                await deadline.sleep(pauseOf(reply.retry_after_seconds));
            }
            else if (until === "final" && reply.provisional) {
                await deadline.sleep(FINAL_PAUSE_MS);
            }
            else {
                await onStep?.({ step: "credited", confirmed: reply });
                return reply;
            }
        }
    }
    catch (cause) {
        throw deadline.errorOf(cause, call);
    }
};
/**
 * Confirms a payment until its credits are there, and gives the token. Repeats are free and credit nothing twice, so that a
 * claim that was stored can be claimed again at any time.
 */
export const claimPurchase = (client, { transactionHash, memo }, options = {}) => confirmUntil((call) => client.paymentConfirm({ tx_hash: transactionHash, nonce: memo }, call), options);
/** The text that a refusal asks the payer to sign; null for a refusal that another signature does not mend. */
const textOf = (cause, transactionHash) => {
    if (!(cause instanceof PayerProofError))
        return null;
    const { reason, text_to_sign } = cause.body;
    // What is signed must be this claim and none other.
    const isAsked = reason === "proof_required" || reason === "signature_expired";
    return isAsked && text_to_sign?.includes(transactionHash.toLowerCase()) ? text_to_sign : null;
};
/**
 * Claims a payment by a signature of the wallet that paid, where there is no memo of it. Without a claim key a new one is
 * made; `onStep` gets it before anything is signed: store it there, as the token is given again for it alone, with another
 * signature. A client with a token adds the credits to that token instead.
 */
export const claimBySignature = (client, { transactionHash, claimKey = newClaimKey(), }, options) => {
    const { wallet, payer, onStep } = options;
    const claim = { transactionHash, claimKey };
    const unsigned = { tx_hash: transactionHash, claim_key: claimKey, ...(payer === undefined ? {} : { payer }) };
    let body = unsigned;
    return confirmUntil(async (call) => {
        try {
            return await client.paymentConfirm(body, call);
        }
        catch (cause) {
            const text = textOf(cause, transactionHash);
            if (text === null || !(cause instanceof PayerProofError))
                throw cause;
            await onStep?.({ step: "signing", claim, text });
            const signature = await wallet.signMessage({ message: text });
            body = { ...unsigned, signature, signature_until: cause.body.signature_until };
            return client.paymentConfirm(body, call);
        }
    }, options);
};
/**
 * Buys credits: asks for a quote, checks it, transfers its exact amount with the hash of the memo behind the call's arguments,
 * and claims the payment. A client with a token adds the credits to that token. When a step after the payment fails, the
 * `PurchaseError` has the claim: give it to `claimPurchase`.
 */
export const buyCredits = async (client, options) => {
    const { amountUsd, wallet, signal, onStep } = options;
    const chainId = await wallet.getChainId();
    const quote = await client.paymentBuyCredits({ amount_usd: amountUsd }, { signal });
    const problem = quoteProblem(quote, options, chainId);
    if (problem !== null)
        throw new PurchaseError(problem, null);
    const { amount_units, memo_hash } = quote.quote;
    const data = transferCalldata(quote.wallet, BigInt(amount_units), memo_hash);
    await onStep?.({ step: "quoted", quote });
    signal?.throwIfAborted();
    const claim = {
        transactionHash: await wallet.sendTransaction({ to: PAYMENT.tokenContract, data }),
        memo: quote.memo,
    };
    try {
        await onStep?.({ step: "paid", claim });
        return await claimPurchase(client, claim, options);
    }
    catch (cause) {
        throw new PurchaseError("paid, and not claimed yet", claim, cause);
    }
};
