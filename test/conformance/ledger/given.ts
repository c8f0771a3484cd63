import { createHash } from "node:crypto"
import type { AnswerTo } from "../../../ledger/answers.ts"
import type { Transaction, Transfer } from "../../../ledger/chain.port.ts"
import type { Command, Confirm, Debit, Observe } from "../../../ledger/command.ts"
import { decide, evolve } from "../../../ledger/model/decider.ts"
import type { LedgerEvent } from "../../../ledger/model/entry.ts"
import { identityOf, unitsOf } from "../../../ledger/model/evidence.ts"
import { initialState, type State } from "../../../ledger/model/state.ts"
import type { Refusal } from "../../../ledger/refusal.ts"

/** A Monday noon, at which every scenario begins. */
export const NOON_MS = Date.parse("2026-08-17T12:00:00.000Z")
export const SECOND_MS = 1_000
export const MINUTE_MS = 60 * SECOND_MS
export const DAY_MS = 24 * 60 * MINUTE_MS

/** SHA-256 of a text: stands for the hash of a token or a key. */
export const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex")
/** 32 bytes of the chain from a text: stands for keccak-256 of a memo, and for hashes of transactions and blocks. */
export const word = (text: string): string => `0x${hashOf(text)}`
/** An address from a text. */
export const address = (text: string): string => `0x${hashOf(text).slice(0, 40)}`

export const CHAIN_ID = 8453
export const USDC = address("usdc")
/** The wallet that is paid. */
export const WALLET = address("wallet")

/** Who pays, unless a test says otherwise. */
export const buyer = address("buyer")
/** The hash of the memo that the buyer holds, unless a test says otherwise. */
export const memo = word("memo")
/** What a confirm shows of it. */
export const byMemo = { memoHash: memo }
/** Who its payments belong to. */
export const claimant = `memo/${memo}`
/** What a token is made for: a transaction, as the ledger names it. */
export const originOf = (paid: Transaction): string => `${CHAIN_ID}/${paid.hash}`

/** What became of a command. */
export type Outcome<C extends Command> =
  | { readonly events: ReadonlyArray<LedgerEvent>; readonly answer: AnswerTo<C> }
  | { readonly refused: Refusal }

/** A ledger without a log: what was decided is folded at once. */
export interface Scenario {
  readonly state: State
  /** Everything that has happened, with its time. */
  readonly history: ReadonlyArray<readonly [LedgerEvent, number]>
  /** Decides a command at a time, which may be left out: then it is the last one's. */
  readonly when: <C extends Command>(command: C, atMs?: number) => Outcome<C>
  /** Like `when`, for commands that must be accepted. */
  readonly accepted: <C extends Command>(command: C, atMs?: number) => AnswerTo<C>
  /** Like `when`, for commands that must be refused. */
  readonly refused: (command: Command, atMs?: number) => Refusal
}

/** Begins a scenario with events that have happened. */
export const given = (...events: ReadonlyArray<readonly [LedgerEvent, number]>): Scenario => {
  const state = initialState()
  const history: Array<readonly [LedgerEvent, number]> = []
  const happen = (event: LedgerEvent, atMs: number) => {
    evolve(state, event, atMs)
    history.push([event, atMs])
  }
  for (const [event, atMs] of events) happen(event, atMs)
  let now = NOON_MS
  const when = <C extends Command>(command: C, atMs?: number): Outcome<C> => {
    now = atMs ?? now
    const decided = decide(state, command, now)
    if (decided._tag === "Failure") return { refused: decided.failure }
    for (const event of decided.success.events) happen(event, Math.max(now, state.nowMs))
    return decided.success
  }
  return {
    state,
    history,
    when,
    accepted: (command, atMs) => {
      const outcome = when(command, atMs)
      if ("refused" in outcome) throw new Error(`refused: ${JSON.stringify(outcome.refused)}`)
      return outcome.answer
    },
    refused: (command, atMs) => {
      const outcome = when(command, atMs)
      if (!("refused" in outcome)) throw new Error(`accepted: ${JSON.stringify(outcome)}`)
      return outcome.refused
    },
  }
}

/** A transfer; a plain one of a payer, unless more is said. */
export const transfer = (payer: string, units: number, more: Partial<Transfer> = {}): Transfer => ({
  position: 0,
  logIndex: 7,
  payer,
  units,
  authorization: null,
  ...more,
})

/** A transaction in a block of a time, final unless said otherwise; called by a stranger's contract unless said otherwise. */
export const transaction = (
  name: string,
  transfers: ReadonlyArray<Transfer>,
  more: Partial<Transaction> & { readonly atMs?: number } = {},
): Transaction => {
  const { atMs = NOON_MS + MINUTE_MS, ...rest } = more
  return {
    chainId: CHAIN_ID,
    hash: word(name),
    contract: USDC,
    wallet: WALLET,
    block: { hash: word(`block of ${name}`), number: 34_000_000, atMs },
    confirmations: 100,
    depth: "finalized",
    call: { from: address("somebody"), to: address("some contract"), selector: "0x12345678", argument: null },
    transfers,
    ...rest,
  }
}

/** What the watcher says of a transfer of a transaction: where it stands now, and that it is gone where it does not. */
export const observed = (paid: Transaction, position = 0): Observe => {
  const { block, confirmations, depth } = paid
  const found = paid.transfers.find((one) => one.position === position)
  const rest = { block, confirmations, depth, transactionUnits: unitsOf(paid) }
  return {
    _tag: "observe",
    payment: { chainId: paid.chainId, transaction: paid.hash, position },
    seen: found === undefined ? null : { logIndex: found.logIndex, ...identityOf(paid, found), ...rest },
  }
}

/** The call of a plain `transfer` to the USDC contract by a payer, with a word behind its arguments. */
export const plainCall = (payer: string, argument: string | null = null): Transaction["call"] => ({
  from: payer,
  to: USDC,
  selector: "0xa9059cbb",
  argument,
})

/** SHA-256 of the claim key that a confirm shows, unless a test says otherwise. */
export const claimKeyHash = hashOf("claim key")
/** The last day of a signature of a text that was made when scenarios begin. */
export const SIGNED_UNTIL = "2026-08-24"

/** A confirm that shows a claim key and no proof, unless more is said. */
export const confirm = (paid: Transaction | null, more: Partial<Confirm> = {}): Confirm => ({
  _tag: "confirm",
  memoHash: null,
  signer: null,
  claimKeyHash,
  signedUntil: SIGNED_UNTIL,
  bearer: null,
  transaction: paid,
  newAccount: "account",
  token: null,
  ...more,
})

/** Confirms as the gate does: makes the token that the ledger asks for, and says it again. The token is its hash's text. */
export const confirmed = (scenario: Scenario, command: Confirm, atMs?: number) => {
  const first = scenario.when(command, atMs)
  if (!("refused" in first) || first.refused._tag !== "token_needed") return first
  const { wanted } = first.refused
  const hash = tokenOf(wanted.claimant, wanted.origin, wanted.generation)
  return scenario.when({ ...command, token: { ...wanted, kid: "k1", hash } }, atMs)
}

/** The hash of the token that a claimant gets for an origin: stands for the HMAC. */
export const tokenOf = (claimant: string, origin: string, generation = 1): string =>
  hashOf(`token/${claimant}/${origin}/${generation}`)

/** Who asks for a quote: a client in a network, at a provider; each its own unless said otherwise. */
export const clientOf = (address: string, network = `network of ${address}`, provider = `provider of ${network}`) => ({
  address,
  network,
  provider,
})

/** A quote of a dollar amount, for the memo of this name. */
export const askQuote = (
  scenario: Scenario,
  memo: string,
  more: { usd?: number; tail?: number; client?: string } = {},
) =>
  scenario.accepted({
    _tag: "issueQuote",
    askedCents: Math.round((more.usd ?? 1) * 100),
    memoHash: word(memo),
    tail: more.tail ?? 417,
    client: clientOf(more.client ?? "client"),
  })

/** A debit of one credit without a key, unless more is said. */
export const debit = (token: string | null, id: string, more: Partial<Debit> = {}): Debit => ({
  _tag: "debit",
  token,
  credits: 1,
  purpose: "/api/pro/briefing",
  debit: id,
  mayEndFree: false,
  idempotency: null,
  ...more,
})

/** An account with credits, given by an operator: its token's hash. */
export const funded = (scenario: Scenario, account: string, credits: number): string => {
  const wanted = { claimant: `grant/${account}`, origin: account, generation: 1 }
  const hash = hashOf(`token of ${account}`)
  scenario.accepted({
    _tag: "grant",
    account,
    credits,
    operator: "jane",
    reason: "for a test",
    payment: null,
    token: { ...wanted, kid: "k1", hash },
  })
  return hash
}
