import type { Transaction } from "../../ledger/chain.port.ts"
import type { Confirm } from "../../ledger/command.ts"
import { address, plainCall, transaction, transfer, word } from "../conformance/ledger/given.ts"

// What there is on the small chain of the coalition: payments that wait, transactions, and who is there.

/** What an honest buyer wants to pay. The coalition sees it before it is mined, and may bundle what is not sent by him. */
export interface Intent {
  readonly buyer: number
  readonly payer: string
  readonly units: number
  readonly nonce: string | null
  /** Sent by its payer himself as a plain transfer: nothing can be bundled with it. */
  readonly sent: boolean
  minedIn: Mined | null
  /** The account to which it was added by a token: then it is claimed so again. */
  addedTo: string | null
}

export interface Piece {
  readonly payer: string
  readonly units: number
  readonly nonce: string | null
  readonly intent: Intent | null
}

export interface Mined {
  readonly name: string
  pieces: ReadonlyArray<Piece>
  fork: number
  confirmations: number
  depth: Transaction["depth"]
  readonly atMs: number
}

export interface Buyer {
  readonly shown: Pick<Confirm, "memoHash" | "signer">
  /** The tokens that he got, by account; those that he gave up, or whose reply was lost, are not there. */
  readonly tokens: Map<string, string>
  spent: number
}

export const USD = 1_000_000
export const WALLETS = [address("coalition 0"), address("coalition 1")] as const
export const EXCHANGE = address("exchange")
export const BUYERS = 4
export const SPENT_EACH = 20

export const pick = <A>(all: ReadonlyArray<A>, n: number): A | undefined => all[n % Math.max(1, all.length)]
export const shuffled = <A>(all: ReadonlyArray<A>, seed: number): ReadonlyArray<A> =>
  all
    .map((one, index) => [((index + 1) * 7_919 * (seed + 1)) % 101, one] as const)
    .sort(([one], [other]) => one - other)
    .map(([, one]) => one)

/** A transaction as the chain shows it now. */
export const transactionOf = (mined: Mined): Transaction => {
  const { name, pieces, fork, confirmations, depth, atMs } = mined
  const [only] = pieces
  const sent = only?.intent?.sent === true
  const transfers = pieces.map(({ payer, units, nonce }, index) =>
    transfer(payer, units, {
      // Logs that a contract writes in one fork and not in another.
      position: 2 * index + (fork % 3),
      // Directly before what names nothing stands an authorization of the coalition's.
      authorization: sent
        ? null
        : nonce === null
          ? { authorizer: WALLETS[0], nonce: word("coalition memo 0") }
          : { authorizer: payer, nonce },
    }),
  )
  const block = { hash: word(`${name} ${fork}`), number: 34_000_000, atMs }
  const call = sent && only !== undefined ? { call: plainCall(only.payer, only.nonce) } : {}
  return transaction(name, transfers, { block, confirmations, depth, ...call })
}
