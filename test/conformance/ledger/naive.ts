import type { Move } from "./moves.ts"

// A naive ledger that proves nothing: balances in a map, searched lists, no events. What
// it answers to a move is compared with what the real one answers.

const ORPHAN_MS = 5 * 60_000
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

/** The compared part of an answer: its balance, or the name of the refusal. */
export type NaiveOutcome = number | string

/** A naive ledger. */
export const makeNaive = () => {
  const accounts = new Map<string, { balance: number; shortfall: number; live: boolean }>()
  const debits: Array<NaiveDebit> = []
  const paid = new Map<number, { account: string; standing: boolean; final: boolean; block: number }>()
  const opened = new Map<string, string>()
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
  const refund = (debit: NaiveDebit): number => {
    debit.state = "refunded"
    return give(debit.account, debit.credits)
  }

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
      if (move.free) return give(debit.account, debit.credits)
    }
    return accounts.get(debit.account)?.balance ?? Number.NaN
  }

  const takeBack = (move: Extract<Move, { do: "refund" }>, id: string): NaiveOutcome => {
    const debit = debits.find((one) => one.id === id)
    if (debit === undefined) return "unknown_debit"
    if (debit.state === "refunded") return "debit_refunded"
    if (debit.state === "free" || (debit.state === "settled" && !move.operator)) return "debit_settled"
    return refund(debit)
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
    /** Plays a move. `id` is the debit that the real ledger made, or would have. */
    play: (move: Move, id: string, atMs: number, credits: number): NaiveOutcome => {
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
        case "orphans": {
          const due = debits.filter(({ state, atMs: at }) => state === "open" && at + ORPHAN_MS <= nowMs)
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
