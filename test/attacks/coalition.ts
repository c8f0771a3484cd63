import type { Transaction } from "../../ledger/chain.port.ts"
import type { Confirm } from "../../ledger/command.ts"
import { contradictionIn } from "../../ledger/model/balance.ts"
import { creditsOf } from "../../ledger/rules.ts"
import { makeOwnershipCheck } from "../../ledger/verify/owners.ts"
import {
  address,
  askQuote,
  confirm,
  confirmed,
  debit,
  given,
  MINUTE_MS,
  NOON_MS,
  observed,
  tokenOf,
  word,
} from "../conformance/ledger/given.ts"
import {
  BUYERS,
  type Buyer,
  EXCHANGE,
  type Intent,
  keyHashOf,
  type Mined,
  type Piece,
  pick,
  provedBy,
  type Shown,
  type Signature,
  SPENT_EACH,
  shuffled,
  signatureFor,
  transactionOf,
  USD,
  WALLETS,
} from "./coalition-world.ts"

// A small chain on which honest buyers pay, and a coalition decides what lies in a block with their payments, in which
// order, between which other logs, how often blocks are taken back, and who confirms when. It reads each signature with its
// text as soon as it exists, and shows it as it likes.

/** One step of a script: what is done, and four numbers that say with what. */
export type Step = readonly [what: number, a: number, b: number, c: number, d: number]

/** Plays a script, and throws where the coalition has what an honest buyer paid, or he ends with less. */
export const playCoalition = (script: ReadonlyArray<Step>): void => {
  const scenario = given()
  let nowMs = NOON_MS
  const known = new Set<string>()
  const accountsOf = new Map<string, Set<string>>()
  const seen = { events: 0 }

  const quoted = Array.from({ length: BUYERS }, (_, n) => askQuote(scenario, `memo ${n}`, { usd: 3, tail: 100 + n }))
  for (const n of [0, 1]) askQuote(scenario, `coalition memo ${n}`, { usd: 3, tail: 500 + n, client: "coalition" })
  const buyers: ReadonlyArray<Buyer> = Array.from({ length: BUYERS }, (_, n) => ({
    // The first names his hash, the second pays the exact total, the third signs for his claim key or his token, the fourth
    // signs and shows his memo.
    memoHash: n === 2 ? null : word(`memo ${n}`),
    signs: n < 2 ? null : address(`buyer ${n}`),
    claimKeyHash: keyHashOf(`buyer ${n}`),
    tokens: new Map(),
    spent: 0,
  }))
  const intents: ReadonlyArray<Intent> = [
    { buyer: 0, payer: address("buyer 0"), units: 15 * USD, nonce: word("memo 0"), sent: false },
    { buyer: 0, payer: address("buyer 0"), units: 3 * USD, nonce: word("memo 0"), sent: true },
    { buyer: 1, payer: EXCHANGE, units: quoted[1]?.totalUnits ?? 0, nonce: null, sent: false },
    { buyer: 1, payer: address("buyer 1"), units: quoted[1]?.totalUnits ?? 0, nonce: word("drawn"), sent: false },
    // One payer for two of them, with equal amounts.
    { buyer: 0, payer: EXCHANGE, units: 3 * USD, nonce: word("memo 0"), sent: false },
    { buyer: 1, payer: EXCHANGE, units: 3 * USD, nonce: word("memo 1"), sent: false },
    { buyer: 2, payer: address("buyer 2"), units: 3 * USD, nonce: null, sent: false },
    { buyer: 2, payer: address("buyer 2"), units: 15 * USD, nonce: word("drawn"), sent: false },
    { buyer: 3, payer: address("buyer 3"), units: 15 * USD, nonce: null, sent: false },
    { buyer: 3, payer: address("buyer 3"), units: 3 * USD, nonce: word("drawn too"), sent: false },
  ].map((intent) => ({ ...intent, minedIn: null, addedTo: null }))
  const chain: Array<Mined> = []
  /** Every signature of an honest buyer, the transaction that it is for, and the key's hash in its text. */
  const read: Array<{ readonly signature: Signature; readonly mined: Mined; readonly claimKeyHash: string }> = []

  /** The honest intent that a purchase is of; undefined for what the coalition paid. */
  const isHonest = ({ payer, units, nonce }: { payer: string; units: number; nonce: string | null }): boolean =>
    intents.some((one) => one.payer === payer && one.units === units && (nonce === null || one.nonce === nonce))

  const check = (): void => {
    for (const [{ type, data }] of scenario.history.slice(seen.events)) {
      if (type === "token.issued") {
        const tokens = accountsOf.get(data.account) ?? new Set()
        accountsOf.set(data.account, tokens.add(data.tokenHash))
      }
    }
    seen.events = scenario.history.length
    const contradiction = contradictionIn(scenario.state)
    if (contradiction !== null) throw new Error(contradiction)
    for (const [{ type, data }] of scenario.history)
      if (type === "purchase.credited" && isHonest({ ...data, nonce: null }))
        for (const token of accountsOf.get(data.account) ?? [])
          if (known.has(token))
            throw new Error(`the coalition holds a token of ${data.account}, which ${data.payer} paid`)
  }

  /** Confirms, and gives the token's hash and the account. */
  const claim = (paid: Transaction, shown: Partial<Confirm>) => {
    const command = confirm(paid, { newAccount: `account ${scenario.history.length}`, ...shown })
    const outcome = confirmed(scenario, command, nowMs)
    if ("refused" in outcome) return null
    const { account, token } = outcome.answer
    return { account, token: token === null ? null : tokenOf(token.claimant, token.origin, token.generation) }
  }

  const mine = (pieces: ReadonlyArray<Piece>, noise = 0): Mined => {
    const depth: Transaction["depth"] = "latest"
    const mined: Mined = { name: `mined ${chain.length}`, pieces, fork: 0, noise, confirmations: 1, depth, atMs: nowMs }
    for (const { intent } of pieces) if (intent !== null) intent.minedIn = mined
    chain.push(mined)
    return mined
  }
  const pieceOf = (intent: Intent): Piece => ({ ...intent, intent })
  const gift = (n: number): Piece => ({
    payer: n % 7 === 6 ? EXCHANGE : (pick(WALLETS, n) ?? WALLETS[0]),
    units: pick([20_000, USD, 3 * USD, 15 * USD, quoted[1]?.totalUnits ?? 0, 3_000_500], n >> 2) ?? USD,
    nonce:
      n % 7 === 6
        ? null
        : (pick([word("memo 0"), word("memo 1"), word("memo 3"), word("coalition memo 0"), null], n >> 3) ?? null),
    intent: null,
  })

  /** Bundles what waits with gifts of the coalition's; what a payer sends himself stands alone. */
  const bundle = (mask: number, gifts: number, order: number): void => {
    const waiting = intents.filter((intent, index) => intent.minedIn === null && (mask >> index) % 2 === 1)
    const alone = waiting.find(({ sent }) => sent)
    if (alone !== undefined) return void mine([pieceOf(alone)])
    const given = Array.from({ length: gifts % 3 }, (_, n) => gift(gifts * 5 + n * 11))
    const pieces = shuffled([...waiting.map(pieceOf), ...given], order)
    if (pieces.length > 0) mine(pieces, order + gifts)
  }

  /** Takes a block back: the same transactions come again, in another order, with less or other things in them. */
  const reorganise = (n: number, order: number, mask: number, gifts: number): void => {
    const mined = pick(chain, n)
    if (mined === undefined || mined.depth !== "latest" || mined.pieces[0]?.intent?.sent === true) return
    const stays = mined.pieces.filter(({ intent }, index) => intent === null || (mask >> index) % 4 !== 3)
    for (const { intent } of mined.pieces) if (intent !== null) intent.minedIn = null
    for (const { intent } of stays) if (intent !== null) intent.minedIn = mined
    mined.pieces = shuffled(gifts % 4 === 0 ? [...stays, gift(gifts)] : stays, order)
    mined.fork += 1
    mined.noise = order * 3 + mask
    mined.confirmations = 1
  }

  const deepen = (mined: Mined | undefined, n: number): void => {
    if (mined === undefined) return
    mined.confirmations = Math.max(mined.confirmations, 5 + n)
    if (n % 4 === 3 && mined.depth === "latest") mined.depth = "safe"
  }

  /** What the watcher does with one transaction, when it is deep enough to be believed. */
  const watch = (mined: Mined | undefined): void => {
    if (mined === undefined || (mined.depth === "latest" && mined.confirmations < 5)) return
    const paid = transactionOf(mined)
    for (const [key] of [...scenario.state.unfinal.entries()]) {
      const [, hash, position] = key.split("/")
      if (hash === paid.hash) scenario.when(observed(paid, Number(position)), nowMs)
    }
  }

  /**
   * A buyer claims one of his payments the way he always does; whether he adds it to the token that he has. `unsent`: he has
   * signed, and the confirm never arrives.
   */
  const honest = (intent: Intent | undefined, adds: boolean, lost: boolean, unsent = false) => {
    const buyer = intent === undefined ? undefined : buyers[intent.buyer]
    if (intent?.minedIn == null || buyer === undefined) return null
    const before = scenario.history.length
    const [any] = buyer.tokens
    const [to, token] =
      intent.addedTo === null
        ? ((adds ? any : null) ?? [null, null])
        : [intent.addedTo, buyer.tokens.get(intent.addedTo)]
    if (token === undefined) return null
    const paid = transactionOf(intent.minedIn)
    const { memoHash, claimKeyHash, signs } = buyer
    const shown: Shown = { memoHash, claimKeyHash, showsKey: true, bearer: token }
    const signature = signs === null ? null : signatureFor(signs, paid.hash, shown, nowMs)
    if (signature !== null) read.push({ signature, mined: intent.minedIn, claimKeyHash })
    if (unsent) return null
    const answer = claim(paid, provedBy(paid.hash, shown, signature))
    if (answer === null) return null
    const isFirst = scenario.history
      .slice(before)
      .some(([{ type, data }]) => type === "purchase.credited" && data.claimant.startsWith("bearer/"))
    if (isFirst) intent.addedTo = to
    if (answer.token !== null && !lost) buyer.tokens.set(answer.account, answer.token)
    return answer
  }

  const spend = (buyer: Buyer): void => {
    const [token] = buyer.tokens.values()
    if (token === undefined) return
    const id = `debit ${scenario.history.length}`
    const outcome = scenario.when(debit(token, id, { credits: SPENT_EACH }), nowMs)
    if ("answer" in outcome) buyer.spent += SPENT_EACH
  }
  /** Gives a token up, where the buyer can have another: a signature may speak of a transaction that is gone. */
  const revoke = (buyer: Buyer): void => {
    const [held] = buyer.tokens
    if (held === undefined) return
    const [account, token] = held
    if (buyer.memoHash === null && intents.some(({ addedTo }) => addedTo === account)) return
    scenario.when({ _tag: "revoke", token, confirmed: true }, nowMs)
    buyer.tokens.delete(account)
  }

  /**
   * The coalition shows what it has: its memos, keys and tokens, the hashes of others' keys, its wallets' signatures of
   * anything, and the signatures of others that it has read.
   */
  const attack = (n: number, what: number, bearer: number, which: number): void => {
    const heard = pick(read, which >> 3)
    // What was read is shown where it was meant for, with the hash that stands in it; or anywhere.
    const repeats = which % 4 === 3 && heard !== undefined
    const mined = repeats ? heard.mined : pick(chain, n)
    if (mined === undefined) return
    const paid = transactionOf(mined)
    const tokens = [...known]
    const shown: Shown = {
      memoHash: repeats ? null : (pick([null, word("coalition memo 0"), word("coalition memo 1")], what) ?? null),
      claimKeyHash: repeats ? heard.claimKeyHash : (pick([null, keyHashOf("coalition")], which >> 2) ?? null),
      showsKey: !repeats,
      bearer: !repeats && bearer % 2 === 0 ? (pick(tokens, bearer >> 1) ?? null) : null,
    }
    const wallet = pick([null, ...WALLETS], what >> 2) ?? null
    const own = wallet === null ? null : signatureFor(wallet, paid.hash, shown, nowMs)
    const signature = repeats || which % 4 === 1 ? (heard?.signature ?? null) : own
    const answer = claim(paid, provedBy(paid.hash, shown, signature))
    if (answer?.token != null) known.add(answer.token)
    if (what % 5 === 4 && tokens.length > 0)
      scenario.when(
        debit(pick(tokens, bearer) ?? "", `debit ${scenario.history.length}`, { credits: SPENT_EACH }),
        nowMs,
      )
    if (what % 11 === 10) scenario.when({ _tag: "revoke", token: pick(tokens, bearer) ?? "", confirmed: true }, nowMs)
  }

  for (const [what, a, b, c, d] of script) {
    nowMs += (d % 4) * 1_000
    const moves = [
      () => bundle(a, b, c),
      () => reorganise(a, b, c, d),
      () => deepen(pick(chain, a), b),
      () => watch(pick(chain, a)),
      () => honest(pick(intents, a), b % 3 === 0, c % 3 === 0, c % 7 === 6),
      () => attack(a, b, c, d),
      () => attack(a, b, c, d),
      () => {
        const buyer = buyers[a % BUYERS]
        if (buyer !== undefined) (b % 3 === 0 ? revoke : spend)(buyer)
      },
    ]
    pick(moves, what)?.()
    check()
  }

  // In the end everything is mined and final, the watcher has looked, and each buyer has claimed what he paid.
  for (const intent of intents) if (intent.minedIn === null) mine([pieceOf(intent)])
  for (const mined of chain) Object.assign(mined, { depth: "finalized", confirmations: 100 })
  nowMs += MINUTE_MS
  for (const mined of [...chain, ...chain]) watch(mined)
  for (const [index, buyer] of buyers.entries()) {
    const mine = intents.filter((intent) => intent.buyer === index)
    // What opened an account comes first: it brings the token to which others were added.
    const ordered = mine.toSorted((one, other) => Number(one.addedTo !== null) - Number(other.addedTo !== null))
    const accounts = new Set<string>()
    for (const intent of ordered) {
      const answer = honest(intent, false, false)
      if (answer === null) throw new Error(`buyer ${index} is refused the ${intent.units} units that he paid`)
      accounts.add(answer.account)
    }
    check()
    let has = buyer.spent
    for (const account of accounts) {
      const { balance, shortfall } = scenario.accepted({ _tag: "readAccount", by: { account } })
      has += balance - shortfall
    }
    const paid = mine.reduce((sum, { units }) => sum + creditsOf(units), 0)
    if (has < paid) throw new Error(`buyer ${index} paid for ${paid} credits and ends with ${has}`)
  }
  const problemOf = makeOwnershipCheck()
  for (const [event] of scenario.history) {
    const problem = problemOf(event)
    if (problem !== null) throw new Error(problem)
  }
}
