import type { Move } from "./moves.ts"

// A naive ledger that proves nothing: balances in a map, searched lists, no events. What
// it answers to a move is compared with what the real one answers.

const ORPHAN_MS = 40_000
const SISTER_ORPHAN_MS = 5 * 60_000
const KEY_MS = 24 * 60 * 60_000

interface NaiveDebit {
  readonly id: string
  readonly account: string
  readonly credits: number
  readonly atMs: number
  readonly key: number | null
  readonly request: number
  state: "open" | "settled" | "free" | "refunded"
}

/** A reservation of the sister, and the answers that are repeated. */
interface NaiveReservation {
  readonly of: number
  /** The id of its debit. */
  readonly id: string
  readonly body: string
  readonly balance: number
  readonly atMs: number
  end: null | "returned" | { readonly charged: boolean; readonly balance: number }
}

/** The compared part of an answer: its balance, or the name of the refusal. */
export type NaiveOutcome = number | string

/** A naive ledger. */
export const makeNaive = () => {
  const accounts = new Map<string, { balance: number; shortfall: number; live: boolean }>()
  const debits: Array<NaiveDebit> = []
  const paid = new Map<number, { account: string; standing: boolean; final: boolean; block: number }>()
  const opened = new Map<string, string>()
  const reservations: Array<NaiveReservation> = []
  let nowMs = 0

  const give = (id: string, credits: number): number => {
    const account = accounts.get(id) ?? { balance: 0, shortfall: 0, live: true }
    accounts.set(id, account)
    for (let n = 0; n < credits; n++) {
      if (account.shortfall > 0) account.shortfall -= 1
      else account.balance += 1
    }
    return account.balance
  }
  const refund = (debit: NaiveDebit, isReleased = false): number => {
    debit.state = "refunded"
    const balance = give(debit.account, debit.credits)
    endedBy(debit.id, isReleased ? { charged: false, balance } : "returned")
    return balance
  }
  const reservationOf = (of: number): NaiveReservation | undefined =>
    reservations.findLast((one) => one.of === of && one.atMs + KEY_MS > nowMs)

  const spend = (move: Extract<Move, { do: "debit" }>, id: string): NaiveOutcome => {
    const account = accounts.get(move.account)
    if (account === undefined) return "invalid_token"
    if (!account.live) return "expired"
    const { key } = move
    if (key !== null) {
      const [last] = debits.filter((one) => one.account === move.account && one.key === key).slice(-1)
      if (last !== undefined && last.atMs + KEY_MS > nowMs) {
        if (last.request !== move.request) return "key_reused"
        if (last.state === "open") return "key_in_flight"
        if (last.state !== "refunded") return account.balance
      }
    }
    if (account.shortfall > 0 || account.balance < move.credits) return "insufficient_credits"
    account.balance -= move.credits
    const { request, credits } = move
    debits.push({ id, account: move.account, credits, atMs: nowMs, key, request, state: "open" })
    return account.balance
  }

  const settle = (move: Extract<Move, { do: "settle" }>, id: string): NaiveOutcome => {
    const debit = debits.find((one) => one.id === id)
    if (debit === undefined) return "unknown_debit"
    if (debit.state === "refunded") return "debit_refunded"
    if (debit.state === "open") {
      debit.state = move.free ? "free" : "settled"
      const balance = give(debit.account, move.free ? debit.credits : 0)
      endedBy(debit.id, { charged: !move.free, balance })
      return balance
    }
    return accounts.get(debit.account)?.balance ?? Number.NaN
  }

  const takeBack = (move: Extract<Move, { do: "refund" }>, id: string): NaiveOutcome => {
    const debit = debits.find((one) => one.id === id)
    if (debit === undefined) return "unknown_debit"
    if (debit.state === "refunded") return "debit_refunded"
    if (debit.state === "free" || (debit.state === "settled" && !move.operator)) return "debit_settled"
    return refund(debit, !move.operator)
  }

  const reserve = (move: Extract<Move, { do: "reserve" }>, id: string, token: string): NaiveOutcome => {
    const { credits, endpoint } = move
    const body = `${token} ${credits} ${endpoint}`
    const found = reservationOf(move.reservation)
    if (found !== undefined) return found.body === body ? found.balance : "key_reused"
    const account = accounts.get(move.account)
    if (account === undefined) return "invalid_token"
    if (!account.live) return "expired"
    if (account.shortfall > 0 || account.balance < credits) return "insufficient_credits"
    account.balance -= credits
    const { balance } = account
    debits.push({ id, account: move.account, credits, atMs: nowMs, key: null, request: 0, state: "open" })
    reservations.push({ of: move.reservation, id, body, balance, atMs: nowMs, end: null })
    return balance
  }
  const endReservation = (move: Extract<Move, { do: "endReservation" }>): NaiveOutcome => {
    const found = reservationOf(move.reservation)
    const debit = debits.find(({ id }) => id === found?.id)
    if (found === undefined || debit === undefined) return "unknown_debit"
    if (found.end === "returned") return "debit_refunded"
    if (found.end !== null) return found.end.charged === move.charged ? found.end.balance : "key_reused"
    debit.state = move.charged ? "settled" : "refunded"
    const balance = give(debit.account, move.charged ? 0 : debit.credits)
    found.end = { charged: move.charged, balance }
    return balance
  }
  /** How the sister's reservation of a debit came to its end by another command than its own. */
  const endedBy = (id: string, end: NaiveReservation["end"]) => {
    const found = reservations.findLast((one) => one.id === id)
    if (found?.end === null) found.end = end
  }

  const confirm = (move: Extract<Move, { do: "confirm" }>, credits: number): NaiveOutcome => {
    const { bearer, shows, transaction } = move
    if (bearer !== null && !accounts.has(bearer)) return "invalid_token"
    if (bearer !== null && accounts.get(bearer)?.live === false) return "expired"
    if (shows === "nothing" || shows === "another's") return "payer_proof_required"
    // Who shows memo and signature claims by the memo.
    const opener = `${shows === "signature" ? "payer" : "memo"} ${transaction}`
    const mine = bearer ?? opened.get(opener)
    const found = paid.get(transaction)
    if (found !== undefined && found.account !== mine) return "already_credited"
    const account = mine ?? `bought ${transaction}`
    if (mine === undefined) opened.set(opener, account)
    const held = accounts.get(account)
    if (held !== undefined && bearer === null) held.live = true
    if (found?.standing === true) return held?.balance ?? Number.NaN
    paid.set(transaction, { account, standing: true, final: false, block: 0 })
    return give(account, credits)
  }

  const observe = (move: Extract<Move, { do: "observe" }>, credits: number): NaiveOutcome => {
    const found = paid.get(move.transaction)
    if (found === undefined) return "no_payment"
    const moved = move.block !== found.block
    if (found.final) return move.block === null || moved ? "final_purchase" : "unchanged"
    if (!found.standing && move.block === null) return "unchanged"
    let became = "unchanged"
    const account = accounts.get(found.account)
    if (found.standing && moved && account !== undefined) {
      for (let n = 0; n < credits; n++) {
        if (account.balance > 0) account.balance -= 1
        else account.shortfall += 1
      }
      found.standing = false
      became = "reversed"
    }
    if (move.block === null) return became
    if (!found.standing) {
      give(found.account, credits)
      found.standing = true
      found.block = move.block
      became = became === "reversed" ? "moved" : "credited"
    }
    if (!move.final) return became
    found.final = true
    return "final"
  }

  return {
    accounts,
    /** Plays a move. `id` is the debit that the real ledger made, or would have; `token` the one that was sent along. */
    play: (move: Move, id: string, atMs: number, credits: number, token: string): NaiveOutcome => {
      nowMs = atMs
      switch (move.do) {
        case "grant":
          return give(move.account, move.credits)
        case "debit":
          return spend(move, id)
        case "settle":
          return settle(move, id)
        case "refund":
          return takeBack(move, id)
        case "reserve":
          return reserve(move, id, token)
        case "endReservation":
          return endReservation(move)
        case "orphans": {
          const lifeMs = (id: string) => (reservations.some((one) => one.id === id) ? SISTER_ORPHAN_MS : ORPHAN_MS)
          const due = debits.filter(({ id, state, atMs: at }) => state === "open" && at + lifeMs(id) <= nowMs)
          for (const debit of due) refund(debit)
          return due.length
        }
        case "confirm":
          return confirm(move, credits)
        case "observe":
          return observe(move, credits)
        case "revoke": {
          const account = accounts.get(move.account)
          if (account === undefined) return "invalid_token"
          if (!account.live) return "expired"
          account.live = false
          return account.balance
        }
      }
    },
  }
}
