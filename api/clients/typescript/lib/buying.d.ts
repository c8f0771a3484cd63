import type { PaymentBuyCreditsReply, PaymentConfirmBody, PaymentConfirmReply, PaymentPending } from "../types.js";
import { type Claim, type Hex, type SignedClaim } from "./claim.ts";
import type { CallOptions } from "./options.ts";
/** A wallet, as far as buying needs it: a viem wallet client with its account and chain, or anything like it. */
export interface BuyingWallet {
    readonly getChainId: () => Promise<number>;
    /** Signs and sends a transaction; resolves to its hash. */
    readonly sendTransaction: (transaction: {
        readonly to: Hex;
        readonly data: Hex;
    }) => Promise<Hex>;
}
/** A wallet, as far as a claim by signature needs it: a viem wallet client with its account, or anything like it. */
export interface SigningWallet {
    /** Signs a text (EIP-191 personal_sign). */
    readonly signMessage: (signed: {
        readonly message: string;
    }) => Promise<Hex>;
}
/** The operations that buying calls: a `Tidewire` has them. */
export interface PaymentCalls {
    readonly paymentBuyCredits: (body: {
        readonly amount_usd: number;
    }, options?: CallOptions) => Promise<PaymentBuyCreditsReply>;
    readonly paymentConfirm: (body: PaymentConfirmBody, options?: CallOptions) => Promise<PaymentConfirmReply | PaymentPending>;
}
/**
 * A step of a purchase. `quoted` and `paid` hold what a restarted program needs to claim what it paid; `signing`, what it needs
 * beside another signature, and the text that is signed next.
 */
export type PurchaseStep = {
    readonly step: "quoted";
    readonly quote: PaymentBuyCreditsReply;
} | {
    readonly step: "paid";
    readonly claim: Claim;
} | {
    readonly step: "signing";
    readonly claim: SignedClaim;
    readonly text: string;
} | {
    readonly step: "pending";
    readonly confirmations: number;
    readonly required: number | "safe";
} | {
    readonly step: "credited";
    readonly confirmed: PaymentConfirmReply;
};
/** How a purchase is followed, and for how long. */
export interface ClaimOptions {
    /**
     * `credited`: until the token is there, after a few blocks; `final`: until no reorganisation of the chain can reverse the
     * payment. `credited` by default.
     */
    readonly until?: "credited" | "final" | undefined;
    /** How long to wait for the chain: 40 minutes by default, more than the service waits for an unknown transaction. */
    readonly claimTimeoutMs?: number | undefined;
    readonly signal?: AbortSignal | undefined;
    /** Called at each step, and awaited: store the claim here. */
    readonly onStep?: ((step: PurchaseStep) => void | Promise<void>) | undefined;
}
/** With which wallet a payment is claimed. */
export interface SignedClaimOptions extends ClaimOptions {
    /** The wallet that paid. */
    readonly wallet: SigningWallet;
    /** Its address, where it is a contract: it is then checked before other payers of the transaction. */
    readonly payer?: string | undefined;
}
/** What is bought, and with which wallet. */
export interface BuyOptions extends ClaimOptions {
    /** Dollars, with at most 2 decimals. The quote adds less than a cent, which names the payment. */
    readonly amountUsd: number;
    readonly wallet: BuyingWallet;
    /** Where the money may go. By default any address that the service names. */
    readonly expectedRecipient?: string | undefined;
}
/**
 * Confirms a payment until its credits are there, and gives the token. Repeats are free and credit nothing twice, so that a
 * claim that was stored can be claimed again at any time.
 */
export declare const claimPurchase: (client: PaymentCalls, { transactionHash, memo }: Claim, options?: ClaimOptions) => Promise<PaymentConfirmReply>;
/**
 * Claims a payment by a signature of the wallet that paid, where there is no memo of it. Without a claim key a new one is
 * made; `onStep` gets it before anything is signed: store it there, as the token is given again for it alone, with another
 * signature. A client with a token adds the credits to that token instead.
 */
export declare const claimBySignature: (client: PaymentCalls, { transactionHash, claimKey, }: {
    readonly transactionHash: Hex;
    readonly claimKey?: string | undefined;
}, options: SignedClaimOptions) => Promise<PaymentConfirmReply>;
/**
 * Buys credits: asks for a quote, checks it, transfers its exact amount with the hash of the memo behind the call's arguments,
 * and claims the payment. A client with a token adds the credits to that token. When a step after the payment fails, the
 * `PurchaseError` has the claim: give it to `claimPurchase`.
 */
export declare const buyCredits: (client: PaymentCalls, options: BuyOptions) => Promise<PaymentConfirmReply>;
