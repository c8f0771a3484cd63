import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import type { Answers } from "../../ledger/answers.ts"
import type { ClaimOutcome } from "../../ledger/buying/claim.ts"
import { ChainUnavailable } from "../../ledger/chain.port.ts"
import { BillingUnavailable } from "../../ledger/client.ts"
import type { Command } from "../../ledger/command.ts"
import type { Refusal } from "../../ledger/refusal.ts"
import {
  type ClaimResult,
  COMMANDS_MAX,
  type EdgeName,
  type Outcome,
  readClaimReply,
  readReply,
  readRequest,
  writeClaimReply,
  writeReply,
} from "./wire.ts"

const sha = "a".repeat(64)
const word = `0x${"b".repeat(64)}`
const address = `0x${"c".repeat(40)}`
const payment = { chainId: 8453, transaction: word, position: 3 }
const wanted = { claimant: `memo/${word}`, origin: `8453/${word}`, generation: 2 }
const block = { hash: word, number: 34_000_000, atMs: 1_790_000_000_000 }

/** One of every command: the compiler says which is missing. */
const commands: { readonly [Tag in Command["_tag"]]: Extract<Command, { readonly _tag: Tag }> } = {
  issueQuote: {
    _tag: "issueQuote",
    askedCents: 100,
    memoHash: word,
    tail: 417,
    client: { address: "a", network: "n", provider: "p" },
  },
  confirm: {
    _tag: "confirm",
    memoHash: word,
    signer: address,
    claimKeyHash: sha,
    signedUntil: "2026-08-24",
    bearer: sha,
    transaction: {
      chainId: 8453,
      hash: word,
      contract: address,
      wallet: address,
      block,
      confirmations: 5,
      depth: "latest",
      call: { from: address, to: null, selector: "0xa9059cbb", argument: word },
      transfers: [
        { position: 3, logIndex: 7, payer: address, units: 1_000_417, authorization: null },
        { position: 4, logIndex: 9, payer: address, units: 9, authorization: { authorizer: address, nonce: word } },
      ],
    },
    newAccount: "account",
    token: { ...wanted, kid: "k1", hash: sha },
  },
  readClaimant: { _tag: "readClaimant", memoHash: word, bearer: sha },
  observe: {
    _tag: "observe",
    payment,
    seen: {
      block,
      logIndex: 7,
      payer: address,
      units: 1_000_417,
      namedHash: word,
      transactionUnits: 2_000_417,
      confirmations: 9,
      depth: "finalized",
    },
  },
  doubt: { _tag: "doubt", payment, blockHash: word, head: 34_000_009 },
  trust: { _tag: "trust", payment, blockHash: word },
  revoke: { _tag: "revoke", token: sha, confirmed: false },
  debit: {
    _tag: "debit",
    token: sha,
    credits: 1,
    purpose: "/api/pro/briefing",
    debit: "d1",
    mayEndFree: true,
    idempotency: { key: sha, request: sha },
  },
  settle: { _tag: "settle", debit: "d1", noChargeReason: "empty_range" },
  refund: { _tag: "refund", debit: "d1", operator: { name: "jane", note: "a note" } },
  reserve: { _tag: "reserve", token: sha, credits: 100, endpoint: "scan/domain", reservation: "r-1" },
  endReservation: { _tag: "endReservation", reservation: "r-1", charged: false },
  refundOrphans: { _tag: "refundOrphans" },
  grant: { _tag: "grant", account: "a", credits: 5, operator: "jane", reason: "why", payment, token: null },
  acceptClock: { _tag: "acceptClock", operator: "jane", reason: "why" },
  reissue: {
    _tag: "reissue",
    account: "a",
    operator: "jane",
    reason: "why",
    token: { ...wanted, kid: "k1", hash: sha },
  },
  listAccounts: { _tag: "listAccounts", after: -1 },
  readAccount: { _tag: "readAccount", by: { account: "a" }, purchases: true, before: 101 },
  readAttempt: { _tag: "readAttempt", token: sha, idempotency: { key: sha, request: sha } },
  listUnfinal: { _tag: "listUnfinal", after: "8453/x/1" },
}

const purchases: Answers["readAccount"]["purchases"] = [
  {
    payment: "8453/x/1",
    units: 1_000_417,
    credits: 50,
    blockNumber: 34_000_000,
    creditedAtMs: 1_790_000_000_000,
    provisional: true,
    status: "credited",
  },
]

const answers: Answers = {
  issueQuote: { totalUnits: 1_000_417, credits: 50, proof: "amount", expiresAtMs: 1_790_000_000_000 },
  confirm: { account: "a", credits: 50, balance: 50, provisional: true, token: { ...wanted, kid: "k1" }, purchases },
  readClaimant: { memoKnown: true },
  observe: { became: "moved" },
  doubt: { became: "doubted" },
  trust: { became: "trusted" },
  revoke: { account: "a", balance: 3, wayBack: { by: "memo", transaction: word, shown: word } },
  debit: { debit: "d1", account: "a", balance: 49, replayed: false },
  settle: { account: "a", charged: 0, returned: 1, balance: 50 },
  refund: { account: "a", credits: 1, balance: 50 },
  reserve: { debit: "sister/20000/r-1", account: "a", balance: 49, expiresAtMs: 1_790_000_300_000 },
  endReservation: { account: "a", charged: 0, balance: 149 },
  refundOrphans: { refunded: 2 },
  grant: { account: "a", balance: 55, token: null },
  acceptClock: { atMs: 1_790_000_000_000 },
  reissue: { account: "a", balance: 55, token: { ...wanted, kid: "k1" } },
  listAccounts: {
    accounts: [
      {
        place: 0,
        account: "a",
        balance: 55,
        shortfall: 0,
        opener: { by: "payer", payer: address, claimKeyHash: sha, chainId: 8453, transaction: word },
        token: "live",
        purchaseCount: 1,
      },
    ],
    more: false,
  },
  readAccount: {
    account: "a",
    balance: 50,
    shortfall: 0,
    issuedAtMs: null,
    purchases,
    earlier: 1,
    purchaseCount: 1,
    purchasedUnits: 1_000_417,
    added: 50,
    spent: 0,
    spentBySister: 0,
  },
  readAttempt: { account: "a", balance: 50, replay: "d1" },
  listUnfinal: {
    purchases: [
      {
        key: "8453/x/1",
        payment,
        payer: address,
        units: 1_000_417,
        namedHash: word,
        blockHash: word,
        blockNumber: 34_000_000,
        creditedAtMs: 1_790_000_000_000,
        doubted: false,
        status: "reversed",
      },
    ],
    more: true,
    creditedUnits: 1_000_417,
  },
}

const refusals: { readonly [Tag in Refusal["_tag"]]: Extract<Refusal, { readonly _tag: Tag }> } = {
  invalid_command: { _tag: "invalid_command" },
  invalid_amount: { _tag: "invalid_amount" },
  memo_in_use: { _tag: "memo_in_use" },
  too_many_quotes: { _tag: "too_many_quotes", of: "client", retryAfterMs: 1_234 },
  missing_token: { _tag: "missing_token" },
  invalid_token: { _tag: "invalid_token" },
  expired: { _tag: "expired", of: "quote" },
  insufficient_credits: { _tag: "insufficient_credits", balance: 1, shortfall: 2, needed: 3 },
  no_payment: { _tag: "no_payment" },
  payer_proof_required: { _tag: "payer_proof_required" },
  signature_expired: { _tag: "signature_expired" },
  free_allowance_spent: { _tag: "free_allowance_spent", retryAfterMs: 43_200_000 },
  token_allowance_spent: { _tag: "token_allowance_spent", retryAfterMs: 43_200_000 },
  already_credited: { _tag: "already_credited", opener: { by: "payer", shown: address, bearer: true } },
  too_small: { _tag: "too_small", units: 999_999 },
  pending: { _tag: "pending", confirmations: 3, required: "safe" },
  token_needed: { _tag: "token_needed", wanted },
  confirmation_required: { _tag: "confirmation_required" },
  unknown_debit: { _tag: "unknown_debit" },
  debit_refunded: { _tag: "debit_refunded" },
  debit_settled: { _tag: "debit_settled" },
  duplicate_debit: { _tag: "duplicate_debit" },
  key_in_flight: { _tag: "key_in_flight", openMs: 900, dueMs: 39_100 },
  key_reused: { _tag: "key_reused" },
  unknown_account: { _tag: "unknown_account" },
  account_in_use: { _tag: "account_in_use" },
  final_purchase: { _tag: "final_purchase" },
}

const outcomes: ReadonlyArray<ClaimOutcome> = [
  { _tag: "credited", ...answers.confirm },
  { _tag: "pending", confirmations: 3, required: "safe", retryAfterSeconds: 30 },
  { _tag: "unknown_transaction" },
  { _tag: "failed_transaction" },
  { _tag: "payer_proof_required", reason: "proof_required", toSign: { text: "I claim", until: "2026-08-24" } },
]

/** What each edge takes; everything else it does not. */
const taken: Readonly<Record<EdgeName, ReadonlyArray<Command>>> = {
  api: [
    commands.issueQuote,
    commands.revoke,
    commands.debit,
    commands.settle,
    { _tag: "refund", debit: "d1", operator: null },
    commands.reserve,
    commands.endReservation,
    { _tag: "readAccount", by: { token: sha } },
    { _tag: "readAccount", by: { token: sha }, purchases: false },
    commands.readAttempt,
  ],
  operator: [
    commands.refund,
    commands.grant,
    commands.acceptClock,
    commands.reissue,
    commands.listAccounts,
    commands.readAccount,
  ],
}
const everyCommand = [...new Set([...Object.values(commands), ...taken.api, ...taken.operator])]
const onEdges = everyCommand.flatMap((command) =>
  (["api", "operator"] as const).map((edge) => ({ command, edge, isTaken: taken[edge].includes(command) })),
)

/** What arrives of something that was sent as JSON. */
const sent = <A>(value: A): unknown => JSON.parse(JSON.stringify(value))

describe("the ledger on the wire", () => {
  it.each(onEdges)("takes $command._tag on the edge $edge: $isTaken", ({ command, edge, isTaken }) => {
    expect(readRequest(sent({ commands: [command] }), edge)).toEqual([
      { command: isTaken ? command : null, request: null },
    ])
  })

  it.each([...taken.api, ...taken.operator])("brings the answer to $_tag as it is, and its entries", (command) => {
    const outcome: Outcome = Result.succeed({
      answer: answers[command._tag],
      entries: [{ sequence: 7, accountSequence: 3, hash: sha }],
      atMs: 1_790_000_000_123,
    })
    expect(readReply(JSON.stringify(writeReply([outcome])), [command])).toEqual([outcome])
  })

  const longest = { claimant: `grant/${"a".repeat(128)}`, origin: "a".repeat(128), generation: 1 }
  it.each([...Object.values(refusals), { _tag: "token_needed" as const, wanted: longest }])(
    "brings the refusal $_tag as it is",
    (refusal) => {
      const outcome: Outcome = Result.fail(refusal)
      expect(readReply(JSON.stringify(writeReply([outcome])), [commands.debit])).toEqual([outcome])
    },
  )

  it.each([
    ...outcomes.map((outcome): ClaimResult => Result.succeed(outcome)),
    ...Object.values(refusals).map((refusal): ClaimResult => Result.fail(refusal)),
    Result.fail(new BillingUnavailable({ reason: "standby", retryAfterSeconds: 2 })),
    Result.fail(new ChainUnavailable({ problem: "too large", retryAfterSeconds: 5, of: "receipt" })),
  ])("brings the result of a claim as it is (%#)", (claimed) => {
    expect(readClaimReply(JSON.stringify(writeClaimReply(claimed)))).toEqual(claimed)
  })

  it("brings that billing is unavailable, with its reason", () => {
    const outcome: Outcome = Result.fail(new BillingUnavailable({ reason: "overloaded", retryAfterSeconds: 3 }))
    expect(readReply(JSON.stringify(writeReply([outcome])), [commands.debit])).toEqual([outcome])
  })

  it("takes none of a command that has not the form of one, and leaves those beside it alone", () => {
    const wrong = [
      { ...commands.debit, credits: -1 },
      { ...commands.debit, credits: 0.5 },
      { ...commands.debit, token: "svc_live_x" },
      { ...commands.debit, purpose: "x".repeat(1_000) },
      { ...commands.revoke, token: "" },
      { _tag: "drop" },
      null,
    ]
    const read = readRequest(sent({ commands: [commands.revoke, ...wrong, commands.settle] }), "api")
    expect(read?.map(({ command }) => command)).toEqual([commands.revoke, ...wrong.map(() => null), commands.settle])
  })

  it("takes the request that each command belongs to, and no list of another length or form", () => {
    const body = (requests: unknown) => sent({ commands: [commands.revoke, commands.settle], requests })
    expect(readRequest(body(["0123abcd-1", null]), "api")).toEqual([
      { command: commands.revoke, request: "0123abcd-1" },
      { command: commands.settle, request: null },
    ])
    for (const wrong of [[], ["0123abcd-1"], [null, null, null], ["short", null], ['text","for the log', null], "x"])
      expect(readRequest(body(wrong), "api")).toBeNull()
  })

  it("takes no request that is none, or has too many commands", () => {
    for (const body of [undefined, null, [], {}, { commands: 1 }, "x"]) expect(readRequest(body, "api")).toBeNull()
    const many = Array.from({ length: COMMANDS_MAX + 1 }, () => commands.refundOrphans)
    expect(readRequest({ commands: many }, "api")).toBeNull()
    expect(readRequest({ commands: many.slice(1) }, "api")).toHaveLength(COMMANDS_MAX)
  })

  it("takes no reply that is none, or answers something else", () => {
    const reply = JSON.stringify(writeReply([Result.fail(refusals.no_payment)]))
    for (const text of ["", "{", "{}", '{"results":[{}]}', '{"results":[{"refusal":{"_tag":"no"}}]}', '{"results":[]}'])
      expect(readReply(text, [commands.debit])).toBeNull()
    expect(readReply(reply, [commands.debit, commands.debit])).toBeNull()
  })

  it("does not believe an answer to another command", () => {
    const outcome: Outcome = Result.succeed({ answer: answers.observe, entries: [], atMs: 1 })
    const [read] = readReply(JSON.stringify(writeReply([outcome])), [commands.debit]) ?? []
    expect(read).toMatchObject({ _tag: "Failure", failure: { _tag: "billing_unavailable", reason: "unknown" } })
  })
})
