import { beneficiaryOf, textToSign } from "../../ledger/buying/proof.ts"
import type { Transaction, Transfer } from "../../ledger/chain.port.ts"
import type { Confirm } from "../../ledger/command.ts"
import { lastDayOf } from "../../ledger/model/claims.ts"
import { address, CHAIN_ID, hashOf, plainCall, transaction, transfer, word } from "../conformance/ledger/given.ts"

// What there is on the small chain of the coalition: payments that wait, transactions with all of their logs, signatures that
// are read by everyone, and who is there.

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
  /** Which logs of other contracts, and which transfers of nothing, lie between its payments, and how many. */
  noise: number
  confirmations: number
  depth: Transaction["depth"]
  readonly atMs: number
}

/** A signature as everyone reads it: what was signed, by which wallet. */
export interface Signature {
  readonly by: string
  readonly text: string
  readonly until: string
}

/** What a claimant shows: what is secret of it, the rest of the coalition can only repeat. */
export interface Shown {
  readonly memoHash: string | null
  /** SHA-256 of a claim key, and whether the key itself is shown. */
  readonly claimKeyHash: string | null
  readonly showsKey: boolean
  /** Hash of the bearer token. */
  readonly bearer: string | null
}

export interface Buyer {
  readonly memoHash: string | null
  /** The wallet that signs his claims; null where his memo is enough. */
  readonly signs: string | null
  readonly claimKeyHash: string
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

/** The text that is signed for what a claimant shows; null where it names no beneficiary. */
const textOf = (transaction: string, shown: Shown, until: string): string | null => {
  const beneficiary = beneficiaryOf(shown)
  const facts = { service: "tidewire.example", chainId: CHAIN_ID, wallet: address("wallet"), transaction, until }
  return beneficiary === null ? null : textToSign({ ...facts, memoHash: shown.memoHash, beneficiary })
}

/** The signature of a wallet for a claim. */
export const signatureFor = (by: string, transaction: string, shown: Shown, nowMs: number): Signature => {
  const until = lastDayOf(nowMs)
  return { by, text: textOf(transaction, shown, until) ?? "", until }
}

/** The members of a confirm: its signer is who signed the text for exactly what is shown. */
export const provedBy = (
  transaction: string,
  shown: Shown,
  signature: Signature | null,
): Pick<Confirm, "memoHash" | "signer" | "claimKeyHash" | "signedUntil" | "bearer"> => ({
  memoHash: shown.memoHash,
  signer: signature !== null && textOf(transaction, shown, signature.until) === signature.text ? signature.by : null,
  claimKeyHash: shown.showsKey ? shown.claimKeyHash : null,
  signedUntil: signature?.until ?? null,
  bearer: shown.bearer,
})

/** The hash of a claim key of this name. */
export const keyHashOf = (name: string): string => hashOf(`claim key of ${name}`)

/** A log of a receipt: one of another contract, or a transfer of the token with the authorization directly before it. */
type Log =
  | { readonly of: "foreign" }
  | { readonly of: "token"; readonly to: string; readonly transfer: Omit<Transfer, "position" | "logIndex"> }

const RECIPIENT = address("wallet")

/** What a stranger's contract may write between two payments: logs of its own, transfers of nothing, transfers to others. */
const noiseOf = (seed: number): ReadonlyArray<Log> =>
  Array.from({ length: seed % 41 }, (_, n): Log => {
    const kind = (seed + n * 7) % 4
    if (kind < 2) return { of: "foreign" }
    const authorization = { authorizer: WALLETS[0], nonce: word(n % 2 === 0 ? "coalition memo 0" : "memo 0") }
    const nothing = { payer: pick([EXCHANGE, ...WALLETS], n) ?? EXCHANGE, units: kind === 2 ? 0 : USD, authorization }
    return { of: "token", to: kind === 2 ? RECIPIENT : address("somebody else"), transfer: nothing }
  })

/** Transfers as the port defines them: those of something to the wallet, by their rank; no other log counts. */
const transfersOf = (logs: ReadonlyArray<Log>): ReadonlyArray<Transfer> =>
  logs
    .flatMap((log, logIndex) =>
      log.of === "token" && log.to === RECIPIENT && log.transfer.units > 0 ? [{ ...log.transfer, logIndex }] : [],
    )
    .map((one, position) => transfer(one.payer, one.units, { ...one, position }))

/** A transaction as the chain shows it now. */
export const transactionOf = (mined: Mined): Transaction => {
  const { name, pieces, fork, confirmations, depth, atMs, noise } = mined
  const [only] = pieces
  const sent = only?.intent?.sent === true
  const logs = pieces.flatMap(({ payer, units, nonce }, index): ReadonlyArray<Log> => {
    const authorization = sent
      ? null
      : nonce === null
        ? // Directly before what names nothing stands an authorization of the coalition's.
          { authorizer: WALLETS[0], nonce: word("coalition memo 0") }
        : { authorizer: payer, nonce }
    const paid: Log = { of: "token", to: RECIPIENT, transfer: { payer, units, authorization } }
    return sent ? [paid] : [...noiseOf(noise + index * 13 + fork), paid]
  })
  const transfers = transfersOf(logs)
  const block = { hash: word(`${name} ${fork}`), number: 34_000_000, atMs }
  const call = sent && only !== undefined ? { call: plainCall(only.payer, only.nonce) } : {}
  return transaction(name, transfers, { block, confirmations, depth, ...call })
}
