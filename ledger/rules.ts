// The numbers of the ledger. USDC counts in units of a millionth of a dollar.

/** Units of one cent, the step of amounts that a quote can be issued for. */
export const UNITS_PER_CENT = 10_000
/** Units that buy one credit: 50 credits a dollar. */
const UNITS_PER_CREDIT = 20_000
/** A claim of less than one dollar credits nothing. */
export const PAYMENT_UNITS_MIN = 1_000_000
/** Bounds of the amount of a quote, in cents. */
export const ASKED_CENTS_MIN = 100
export const ASKED_CENTS_MAX = 1_000_000
/** The unique tail of a quoted total, in units. */
export const TAIL_MAX = 9_999

/** How long a quote may be paid, in milliseconds. */
export const QUOTE_LIFE_MS = 30 * 60_000
/** How long after its expiry a quote's total still names it, and belongs to no other quote. */
export const TOTAL_HELD_MS = 7 * 24 * 60 * 60_000
/** How long after its expiry a quote is remembered, for late confirms. */
export const QUOTE_REMEMBERED_MS = 90 * 24 * 60 * 60_000
/** How long before its quote a block may seem to be that pays it, as blocks lag our clock. */
export const EARLY_BLOCK_MAX_MS = 30_000
/** Bounds on the quotes of one prefix of addresses. */
export interface QuoteCaps {
  readonly perMinute: number
  readonly open: number
  readonly unpaid: number
  readonly tails: number
}
/**
 * Quotes that are not paid yet, of one address (IPv4 /32, IPv6 /64), of its network (/24, /48) and of its provider
 * (/16, /32): in a minute, open at a time, within the window of their totals, and tails of one amount within that window.
 */
export const QUOTE_CAPS: Readonly<Record<"address" | "network" | "provider", QuoteCaps>> = {
  address: { perMinute: 10, open: 20, unpaid: 200, tails: 4 },
  network: { perMinute: 30, open: 60, unpaid: 600, tails: 16 },
  provider: { perMinute: 120, open: 1_000, unpaid: 10_000, tails: 256 },
}
/** Open quotes of all clients. An expired one counts until the next event. */
export const OPEN_QUOTES_MAX = 100_000

/** Up to this amount `CONFIRMATIONS_MIN` are enough; above it, the block must be `safe`. */
export const PROVISIONAL_MAX_UNITS = 20_000_000
/** Confirmations of a small payment, its own block included. */
export const CONFIRMATIONS_MIN = 5

/** A payer's signature may be used from the day of its text (UTC) until this many days later. */
export const SIGNATURE_LIFE_DAYS = 7

/** A payment counts as gone once so many looks in a row have missed it, */
export const MISSES_MIN = 6
/** the first and the last of them at least so far apart, */
export const MISSED_MIN_MS = 10 * 60_000
/** and the chain has grown meanwhile by so many blocks (some four minutes), and by so many beyond the payment's block. */
export const MISSED_BLOCKS_MIN = 120

/**
 * Deadline of a call's debit: an unsettled one is refunded after this time. A call is answered within 30 s; the rest is what
 * a clock may jump without being doubted (10 s), so that no call of a live process is refunded before its answer is due.
 */
export const DEBIT_LIFE_MS = 40_000
/** The same for a reservation of the sister service, whose calls are its own. */
export const RESERVED_DEBIT_LIFE_MS = 5 * 60_000
/** Overdue debits that one command refunds at most. */
export const ORPHANS_PER_COMMAND_MAX = 1_000
/** Ended debits that are remembered, so that a repeated settle or refund gets the same answer. */
export const CLOSED_DEBITS_REMEMBERED_MAX = 65_536
/** Ended debits above that number before the oldest are dropped, in one batch. */
export const CLOSED_DEBITS_SLACK_MAX = 4_096
/** Payments in one page of those that are not final. */
export const UNFINAL_PAGE_MAX = 500
/** Accounts in one page of a list. */
export const ACCOUNTS_PAGE_MAX = 200
/** Purchases of an account that are listed: the newest. */
export const PURCHASES_LISTED_MAX = 1_000
/**
 * Purchases in one page of them. Each may be a look-up on the disk while every other command waits: 1,000 took 8 ms, a page
 * takes half a millisecond.
 */
export const PURCHASES_PAGE_MAX = 100
/** How long an Idempotency-Key is remembered after its last attempt. */
export const KEY_LIFE_MS = 24 * 60 * 60_000
/** How long a reservation of the sister service is remembered: the same one has the same answers for so long. */
export const RESERVATION_LIFE_MS = 24 * 60 * 60_000
/** Expired rows of each kind that the fold of one event drops at most. */
export const SWEPT_PER_EVENT_MAX = 1_000
/** Credits that one debit or grant may move at most. */
export const CREDITS_MAX = 1_000_000_000

/** The USDC contract's `transfer(address,uint256)`. */
export const TRANSFER_SELECTOR = "0xa9059cbb"

/** Credits of an amount, rounded down. */
export const creditsOf = (units: number): number => Math.floor(units / UNITS_PER_CREDIT)
