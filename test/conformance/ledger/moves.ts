import * as fc from "fast-check"
import type { Command, Confirm } from "../../../ledger/command.ts"
import { address, CHAIN_ID, confirm, debit, hashOf, plainCall, transaction, transfer, word } from "./given.ts"

/** What may be done in a random run. Names are few, so that moves meet each other. */
export type Move =
  | { readonly do: "grant"; readonly account: string; readonly credits: number }
  | {
      readonly do: "debit"
      readonly account: string
      readonly credits: number
      readonly key: number | null
      readonly request: number
    }
  | { readonly do: "settle"; readonly debit: number; readonly free: boolean }
  | { readonly do: "refund"; readonly debit: number; readonly operator: boolean }
  | {
      readonly do: "reserve"
      readonly account: string
      readonly credits: number
      readonly endpoint: "lookup" | "scan"
      readonly reservation: number
    }
  | { readonly do: "endReservation"; readonly reservation: number; readonly charged: boolean }
  | { readonly do: "orphans" }
  | {
      readonly do: "confirm"
      readonly transaction: number
      readonly shows: "memo" | "signature" | "both" | "another's" | "nothing"
      /** The account whose token is sent along; null for none. */
      readonly bearer: string | null
    }
  | { readonly do: "observe"; readonly transaction: number; readonly block: number | null; readonly final: boolean }
  | { readonly do: "revoke"; readonly account: string }

/** A move, and the time that passes before it. */
export interface Step {
  readonly move: Move
  readonly afterMs: number
}

const TRANSACTIONS = 3
const granted = fc.constantFrom("a", "b")
const anyAccount = fc.oneof(
  granted,
  fc.nat(TRANSACTIONS - 1).map((n) => `bought ${n}`),
)
const nth = fc.nat(11)

const move: fc.Arbitrary<Move> = fc.oneof(
  fc.record({ do: fc.constant("grant" as const), account: granted, credits: fc.integer({ min: 1, max: 9 }) }),
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("debit" as const),
      account: anyAccount,
      credits: fc.integer({ min: 1, max: 30 }),
      key: fc.option(fc.nat(1)),
      request: fc.nat(1),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("settle" as const), debit: nth, free: fc.boolean() }) },
  fc.record({ do: fc.constant("refund" as const), debit: nth, operator: fc.boolean() }),
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("reserve" as const),
      account: anyAccount,
      credits: fc.constantFrom(1, 7, 20),
      endpoint: fc.constantFrom("lookup" as const, "scan" as const),
      reservation: fc.nat(2),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("endReservation" as const),
      reservation: fc.nat(2),
      charged: fc.boolean(),
    }),
  },
  fc.record({ do: fc.constant("orphans" as const) }),
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("confirm" as const),
      transaction: fc.nat(TRANSACTIONS - 1),
      shows: fc.constantFrom(
        "memo" as const,
        "signature" as const,
        "both" as const,
        "another's" as const,
        "nothing" as const,
      ),
      bearer: fc.option(anyAccount, { freq: 2 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("observe" as const),
      transaction: fc.nat(TRANSACTIONS - 1),
      block: fc.option(fc.nat(1)),
      final: fc.boolean(),
    }),
  },
  fc.record({ do: fc.constant("revoke" as const), account: anyAccount }),
)

/** Any run. Time passes in steps that let debits grow old, and now and then a day. */
export const steps: fc.Arbitrary<ReadonlyArray<Step>> = fc.array(
  fc.record({ move, afterMs: fc.constantFrom(0, 0, 1, 60_000, 4 * 60_000, 24 * 60 * 60_000) }),
  { maxLength: 60, size: "max" },
)

/** Credits of the n-th transaction. */
export const creditsOfTransaction = (n: number): number => 50 + 7 * n

const payer = (n: number): string => address(`payer ${n}`)
const units = (n: number): number => creditsOfTransaction(n) * 20_000 + 3

const paid = (n: number) =>
  transaction(`transaction ${n}`, [transfer(payer(n), units(n))], {
    call: plainCall(payer(n), word(`memo ${n}`)),
    block: { hash: word("block 0"), number: 1, atMs: 0 },
  })

const shown = (n: number, shows: Extract<Move, { do: "confirm" }>["shows"]): Partial<Confirm> => {
  switch (shows) {
    case "memo":
      return { memoHash: word(`memo ${n}`) }
    case "signature":
      return { signer: payer(n) }
    case "both":
      return { memoHash: word(`memo ${n}`), signer: payer(n) }
    case "another's":
      return { memoHash: word(`memo ${n + 1}`), signer: payer(n + 1) }
    case "nothing":
      return {}
  }
}

/** The command of a move. `tokenOf` gives the last token that an account got, `idOf` the n-th debit made. */
export const commandOf = (
  move: Move,
  tokenOf: (account: string) => string,
  idOf: (nth: number) => string,
  fresh: string,
): Command => {
  switch (move.do) {
    case "grant": {
      const { account, credits } = move
      const token = { claimant: `grant/${account}`, origin: account, generation: 1, kid: "k1", hash: hashOf(account) }
      return { _tag: "grant", account, credits, operator: "jane", reason: "a run", payment: null, token }
    }
    case "debit": {
      const idempotency =
        move.key === null ? null : { key: hashOf(`key ${move.key}`), request: hashOf(`request ${move.request}`) }
      return debit(tokenOf(move.account), fresh, { credits: move.credits, idempotency })
    }
    case "settle":
      return { _tag: "settle", debit: idOf(move.debit), noChargeReason: move.free ? "empty_range" : null }
    case "refund":
      return {
        _tag: "refund",
        debit: idOf(move.debit),
        operator: move.operator ? { name: "jane", note: "a run" } : null,
      }
    case "reserve": {
      const { account, credits, endpoint, reservation } = move
      return { _tag: "reserve", token: tokenOf(account), credits, endpoint, reservation: `r-${reservation}` }
    }
    case "endReservation":
      return { _tag: "endReservation", reservation: `r-${move.reservation}`, charged: move.charged }
    case "orphans":
      return { _tag: "refundOrphans" }
    case "confirm":
      return confirm(paid(move.transaction), {
        newAccount: `bought ${move.transaction}`,
        bearer: move.bearer === null ? null : tokenOf(move.bearer),
        ...shown(move.transaction, move.shows),
      })
    case "observe": {
      const { transaction: n, block, final } = move
      const { hash } = paid(n)
      return {
        _tag: "observe",
        payment: { chainId: CHAIN_ID, transaction: hash, position: 0 },
        seen:
          block === null
            ? null
            : {
                block: { hash: word(`block ${block}`), number: 1, atMs: 0 },
                logIndex: 7,
                payer: payer(n),
                units: units(n),
                namedHash: word(`memo ${n}`),
                transactionUnits: units(n),
                confirmations: 5,
                depth: final ? "finalized" : "safe",
              },
      }
    }
    case "revoke":
      return { _tag: "revoke", token: tokenOf(move.account), confirmed: true }
  }
}
