import * as Schema from "effect/Schema"
import { type EventOf, eventType, Instant } from "../event.ts"
import { NonEmptyTextUpTo } from "../values.ts"

/** SHA-256 in lower-case hex. */
export const Sha256 = Schema.String.check(Schema.isPattern(/^[0-9a-f]{64}$/u)).annotate({
  identifier: "Sha256",
  description: "SHA-256, 64 lower-case hex digits",
})

/** 32 bytes as the chain writes them: transaction and block hashes, keccak-256 of a memo. Lower case. */
export const Word = Schema.String.check(Schema.isPattern(/^0x[0-9a-f]{64}$/u)).annotate({
  identifier: "Word",
  description: "32 bytes: 0x and 64 lower-case hex digits",
})

/** An address of the chain, in lower case. */
export const Address = Schema.String.check(Schema.isPattern(/^0x[0-9a-f]{40}$/u)).annotate({
  identifier: "Address",
  description: "Address: 0x and 40 lower-case hex digits",
})

/** A name that the ledger or its callers have made: an account, a debit, a key id. */
export const Name = NonEmptyTextUpTo(128)
/** Why an operator did something, in their own words. */
export const Note = NonEmptyTextUpTo(500)

/** The identity of a payment, independent of its block. */
export const Payment = Schema.Struct({
  chainId: Schema.Natural,
  transaction: Word,
  /** Rank of the transfer among those of its transaction to the wallet that are not zero, from 0. */
  position: Schema.Natural,
}).annotate({ identifier: "Payment" })
export type Payment = typeof Payment.Type

/** The evidence of which quote a transfer pays, the strongest first; `operator` is a grant for a payment that cannot be proved. */
export const Evidence = Schema.Literals(["authorization", "calldata", "amount", "signature", "operator"])
export type Evidence = typeof Evidence.Type

/** What an account was opened with: who shows it gets the account's token. An operator's grant cannot be shown. */
export const Opener = Schema.Union([
  Schema.Struct({
    by: Schema.Literal("memo"),
    /** keccak-256 of the memo. */
    memoHash: Word,
  }),
  Schema.Struct({
    by: Schema.Literal("payer"),
    payer: Address,
    /** SHA-256 of the claim key that the signed text names: the signature is void without that key. */
    claimKeyHash: Sha256,
    /** The payer's signature opens the account of this transaction alone. */
    chainId: Schema.Natural,
    transaction: Word,
  }),
  Schema.Struct({ by: Schema.Literal("operator") }),
]).annotate({ identifier: "Opener" })
export type Opener = typeof Opener.Type

/** Why a debit costs nothing after all. `client_gone`: the connection was closed before the reply was ready. */
export const NoChargeReason = Schema.Literals(["empty_range", "client_gone", "internal_error"])
export type NoChargeReason = typeof NoChargeReason.Type

/** Members of every entry of the ledger. */
const entry = {
  /** Position in the ledger, dense from 1. */
  sequence: Schema.Natural,
  /** SHA-256 over the stored bytes of the entry before; 64 zeros in the first. */
  previousHash: Sha256,
  /**
   * The first 16 hex digits of the SHA-256 over the entry's own stored bytes before this member, which is the last one: so
   * a damaged entry is known by itself, also when no other follows it.
   */
  checksum: Schema.String.check(Schema.isPattern(/^[0-9a-f]{16}$/u)),
}

/** Members of every entry that belongs to an account. */
const ofAccount = {
  ...entry,
  account: Name,
  /** Position among the entries of the account, dense from 1. */
  accountSequence: Schema.Natural,
}

/**
 * Who asked for a quote: keyed hashes of prefixes of the address, the narrowest first (/64, /48 and /32 of IPv6, /32, /24
 * and /16 of IPv4). They count for the limits on quotes; without the key they name no address.
 */
export const QuoteClient = Schema.Struct({ address: Name, network: Name, provider: Name }).annotate({
  identifier: "QuoteClient",
})
export type QuoteClient = typeof QuoteClient.Type

/** A price was quoted to the holder of the memo. */
export const quoteIssued = eventType({
  type: "quote.issued",
  topic: "ledger",
  version: 1,
  description: "A quote: the total that names it, and the hash of its memo.",
  data: Schema.Struct({
    ...entry,
    /** keccak-256 of the memo. */
    memoHash: Word,
    /** USDC in millionths. */
    askedUnits: Schema.Natural,
    /** Asked units and the unique tail; the same as `askedUnits` where no tail was free. */
    totalUnits: Schema.Natural,
    /** Whether the total alone names the quote, or the payer must sign. */
    proof: Schema.Literals(["amount", "signature"]),
    expiresAt: Instant,
    client: QuoteClient,
  }),
})

/** A transfer on the chain became credits. */
export const purchaseCredited = eventType({
  type: "purchase.credited",
  topic: "ledger",
  version: 1,
  description: "A transfer of USDC was credited to an account.",
  data: Schema.Struct({
    ...ofAccount,
    payment: Payment,
    payer: Address,
    /** USDC in millionths, as really transferred. */
    units: Schema.Natural,
    /** `units` divided by 20,000, rounded down. */
    credits: Schema.Natural,
    /** Where it stands now; a reorganisation of the chain changes this. */
    block: Schema.Struct({ hash: Word, number: Schema.Natural, at: Instant }),
    logIndex: Schema.Natural,
    evidence: Evidence,
    /** keccak-256 of the memo of the quote that it pays; null when it pays none. */
    memoHash: Schema.NullOr(Word),
    /** The word that its payer named on the chain, a memo's hash or not: the signed nonce, or calldata; null for none. */
    namedHash: Schema.NullOr(Word),
    /** Who claimed it: `memo/<hash>`, `payer/<address>/<claim key hash>` or `bearer/<account>`. */
    claimant: Name,
    /** Whether its block may still change. */
    provisional: Schema.Boolean,
    /** The service's own wallet that was paid, and the USDC contract, by its settings then; absent in older entries. */
    wallet: Schema.optionalKey(Address),
    contract: Schema.optionalKey(Address),
  }),
})

/** The block of a purchase can no longer change. */
export const purchaseFinalised = eventType({
  type: "purchase.finalised",
  topic: "ledger",
  version: 1,
  description: "The block of a purchase became final.",
  data: Schema.Struct({ ...ofAccount, payment: Payment, blockHash: Word }),
})

/** The block of a purchase is no longer part of the chain. */
export const purchaseReversed = eventType({
  type: "purchase.reversed",
  topic: "ledger",
  version: 1,
  description: "A purchase was taken back: its block left the chain.",
  data: Schema.Struct({
    ...ofAccount,
    payment: Payment,
    blockHash: Word,
    /** Credits taken from the balance. */
    taken: Schema.Natural,
    /** Credits that were spent before, and are owed now. */
    shortfall: Schema.Natural,
  }),
})

/** A look at the chain did not find a purchase: it may have left the chain, or providers are behind. */
export const purchaseDoubted = eventType({
  type: "purchase.doubted",
  topic: "ledger",
  version: 1,
  description: "A look at the chain did not find a purchase where it was credited.",
  data: Schema.Struct({
    ...ofAccount,
    payment: Payment,
    blockHash: Word,
    /** The newest block of the chain at that look. */
    head: Schema.Natural,
    /** Looks in a row that have missed it. */
    misses: Schema.Natural,
  }),
})

/** A look at the chain found a doubted purchase. */
export const purchaseTrusted = eventType({
  type: "purchase.trusted",
  topic: "ledger",
  version: 1,
  description: "A look at the chain found a doubted purchase where it was credited.",
  data: Schema.Struct({ ...ofAccount, payment: Payment, blockHash: Word }),
})

/** An account has a new token. */
export const tokenIssued = eventType({
  type: "token.issued",
  topic: "ledger",
  version: 1,
  description: "A token of an account, by its hash.",
  data: Schema.Struct({
    ...ofAccount,
    tokenHash: Sha256,
    /** Which key its HMAC was made with. */
    kid: Name,
    generation: Schema.Natural,
    /** The claimant, which its HMAC covers beside the generation. */
    claimant: Name,
    origin: Name,
    /** What the account was opened with: the same in every token of an account, unless an operator has reissued it. */
    opener: Opener,
    /** The operator who reissued it, and why; null if its opener or a grant caused it. */
    reissue: Schema.NullOr(Schema.Struct({ operator: Name, reason: Note })),
  }),
})

/** A token was revoked. */
export const tokenRevoked = eventType({
  type: "token.revoked",
  topic: "ledger",
  version: 1,
  description: "A token was revoked by who holds it.",
  data: Schema.Struct({ ...ofAccount, tokenHash: Sha256, generation: Schema.Natural }),
})

/** Credits left the balance for a call that is about to be served. */
export const creditsDebited = eventType({
  type: "credits.debited",
  topic: "ledger",
  version: 1,
  description: "Credits were taken for a call, before it is served.",
  data: Schema.Struct({
    ...ofAccount,
    debit: Name,
    credits: Schema.Natural,
    /** The endpoint, or the service that reserved. */
    purpose: Name,
    /** Hash of account and Idempotency-Key, with the hash of the request it was first sent with; null without one. */
    idempotency: Schema.NullOr(Schema.Struct({ key: Sha256, request: Sha256, attempt: Schema.Natural })),
  }),
})

/** A debit was settled: its call was served. */
export const debitSettled = eventType({
  type: "debit.settled",
  topic: "ledger",
  version: 1,
  description: "A debit came to its end: the call was served, charged or free of charge.",
  data: Schema.Struct({
    ...ofAccount,
    debit: Name,
    charged: Schema.Natural,
    returned: Schema.Natural,
    /** Why nothing was charged; null when it was. */
    noChargeReason: Schema.NullOr(NoChargeReason),
  }),
})

/** A debit was refunded. */
export const creditsRefunded = eventType({
  type: "credits.refunded",
  topic: "ledger",
  version: 1,
  description: "The credits of a debit went back to the account.",
  data: Schema.Struct({
    ...ofAccount,
    debit: Name,
    credits: Schema.Natural,
    /** `orphaned`: not settled in time. `released`: refunded by the caller that reserved it. `operator`: by hand. */
    reason: Schema.Literals(["orphaned", "released", "operator"]),
    operator: Schema.NullOr(Name),
    note: Schema.NullOr(Note),
  }),
})

/** An operator granted credits. */
export const creditsGranted = eventType({
  type: "credits.granted",
  topic: "ledger",
  version: 1,
  description: "An operator gave credits to an account.",
  data: Schema.Struct({
    ...ofAccount,
    credits: Schema.Natural,
    operator: Name,
    reason: Note,
    /** The payment that it stands for, and uses up; null when it stands for none. */
    payment: Schema.NullOr(Payment),
  }),
})

/** An operator accepted the clock of the ledger's machine while the ledger doubted it. */
export const clockAccepted = eventType({
  type: "clock.accepted",
  topic: "ledger",
  version: 1,
  description: "An operator decided that the clock of the ledger's machine is right.",
  data: Schema.Struct({ ...entry, operator: Name, reason: Note }),
})

/** Every event type of the ledger. */
export const ledgerEventTypes = [
  quoteIssued,
  purchaseCredited,
  purchaseFinalised,
  purchaseReversed,
  purchaseDoubted,
  purchaseTrusted,
  tokenIssued,
  tokenRevoked,
  creditsDebited,
  debitSettled,
  creditsRefunded,
  creditsGranted,
  clockAccepted,
] as const

/** An entry of the ledger as it stands in the log. */
export type LedgerEntry = EventOf<(typeof ledgerEventTypes)[number]>
