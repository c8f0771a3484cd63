import { existsSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { v7 } from "uuid"
import type { AccountSummary, Answers } from "../../../ledger/answers.ts"
import { type LedgerClient, makeToken, tokenHashOf } from "../../../ledger/client.ts"
import type { TokenCandidate, TokenWanted } from "../../../ledger/command.ts"
import { readListed } from "../../../ledger/read-listed.ts"
import type { Payment } from "../../../schemas/events/ledger.ts"
import type { Settings } from "../../config/settings.ts"
import { loadTokenKeys } from "../../secrets/secrets.ts"
import { Refused, type Report, submit } from "./report.ts"

// Commands of operators on accounts.

const usd = (units: number): string => (units / 1_000_000).toFixed(2)

const accountLines = (account: Answers["readAccount"]): ReadonlyArray<string> => [
  `account ${account.account}`,
  `balance ${account.balance} credits${account.shortfall > 0 ? `, shortfall ${account.shortfall}` : ""}`,
  `added ${account.added}, spent ${account.spent} (${account.spentBySister} by the sister service), paid ${usd(account.purchasedUnits)} USD`,
  `token ${account.issuedAtMs === null ? "none" : `issued ${new Date(account.issuedAtMs).toISOString()}`}`,
  ...account.purchases.map(
    ({ payment, units, credits, status, creditedAtMs }) =>
      `  ${new Date(creditedAtMs).toISOString()}  ${payment}  ${usd(units)} USD  ${credits} credits  ${status}`,
  ),
]

/** Shows balance and purchases of an account. */
export const show = (ledger: LedgerClient, account: string) =>
  Effect.map(submit(readListed(ledger, { account })), (read) => ({ facts: read, lines: accountLines(read) }))

/** Derives the token that a command must name, with the keys of this installation. */
const newToken = (settings: Settings, wanted: TokenWanted) =>
  Effect.gen(function* () {
    const directory = existsSync(join(settings.dataDirectory, "secrets")) ? settings.dataDirectory : null
    const environment = { TOKEN_KEYS: settings.tokenKeys ?? undefined }
    const tokenKeys = yield* loadTokenKeys({ directory, environment })
    const kid = tokenKeys.current
    const token = makeToken(tokenKeys, kid, wanted)
    if (token === null) return yield* new Refused({ problem: "there is no key to derive a token with" })
    return { token, candidate: { ...wanted, kid, hash: tokenHashOf(token) } satisfies TokenCandidate }
  })

/** Options of a grant. */
export interface GrantOptions {
  readonly account: string
  readonly credits: number
  readonly operator: string
  readonly reason: string
  readonly payment: Payment | null
}

/** Grants credits; a new account gets a token. */
export const grant = (settings: Settings, ledger: LedgerClient, options: GrantOptions) =>
  Effect.gen(function* () {
    const isNew = options.account === "new"
    const account = isNew ? v7() : options.account
    const give = (token: TokenCandidate | null) =>
      ledger.submit({ _tag: "grant", ...options, account, token }).pipe(Effect.map(({ answer }) => answer))
    if (!isNew) {
      const { balance } = yield* submit(
        give(null).pipe(
          // Only an unknown account needs a token, so the id was misspelt.
          Effect.catchTag("token_needed", () => Effect.fail({ _tag: "unknown_account" as const })),
        ),
      )
      const facts = { account, credits: options.credits, balance }
      return { facts, lines: [`${options.credits} credits given to ${account}; its balance is ${balance}`] }
    }
    const { token, candidate } = yield* newToken(settings, {
      claimant: `grant/${account}`,
      origin: account,
      generation: 1,
    })
    const { balance } = yield* submit(give(candidate))
    return {
      facts: { account, credits: options.credits, balance, token },
      lines: [`account ${account} has ${balance} credits and this token, which is shown this once:`, token],
    }
  })

/** Refunds the debit of a call. */
export const refund = (
  ledger: LedgerClient,
  debit: string,
  operator: { readonly name: string; readonly note: string },
) =>
  Effect.map(submit(ledger.submit({ _tag: "refund", debit, operator })), ({ answer }) => ({
    facts: { debit, ...answer },
    lines: [
      `${answer.credits} credits of debit ${debit} are back with ${answer.account}; its balance is ${answer.balance}`,
    ],
  }))

/** Issues a new token for an account, which replaces its opener. */
export const reissue = (
  settings: Settings,
  ledger: LedgerClient,
  options: { readonly account: string; readonly operator: string; readonly reason: string },
) =>
  Effect.gen(function* () {
    const ask = (token: TokenCandidate | null) => ledger.submit({ _tag: "reissue", ...options, token })
    const first = yield* Effect.flip(ask(null)).pipe(
      Effect.mapError(() => new Refused({ problem: "the ledger has reissued a token that was not made" })),
    )
    if (first._tag !== "token_needed") return yield* submit(Effect.fail(first))
    const { token, candidate } = yield* newToken(settings, first.wanted)
    const { answer } = yield* submit(ask(candidate))
    const { account, balance } = answer
    return {
      facts: { account, balance, token },
      lines: [
        `account ${account} has ${balance} credits and this token, which is shown this once; the one before is refused:`,
        token,
      ],
    }
  })

const openerWords = ({ opener }: AccountSummary): string => {
  switch (opener?.by) {
    case "memo":
      return `memo ${opener.memoHash}`
    case "payer":
      return `payer ${opener.payer} in ${opener.transaction}, claim key hash ${opener.claimKeyHash}`
    default:
      return "operator"
  }
}

const accountLine = (seen: AccountSummary): string =>
  [
    String(seen.place).padStart(6),
    seen.account.padEnd(36),
    `${seen.balance} credits${seen.shortfall > 0 ? `, shortfall ${seen.shortfall}` : ""}`,
    `${seen.purchaseCount} purchases`,
    `token ${seen.token}`,
    `opened by ${openerWords(seen)}`,
  ].join("  ")

/** Lists accounts in the order of their opening, after a place, up to a number of them. */
export const list = (ledger: LedgerClient, { after, limit }: { readonly after: number; readonly limit: number }) =>
  Effect.gen(function* () {
    const accounts: Array<AccountSummary> = []
    for (let more = true; more && accounts.length < limit; ) {
      const last: number = accounts.at(-1)?.place ?? after
      const page: Answers["listAccounts"] = (yield* submit(ledger.submit({ _tag: "listAccounts", after: last }))).answer
      accounts.push(...page.accounts)
      more = page.more && page.accounts.length > 0
    }
    const shown = accounts.slice(0, limit)
    const next = shown.at(-1)?.place ?? after
    return {
      facts: { accounts: shown, next },
      lines: [
        ...shown.map(accountLine),
        shown.length < limit ? `${shown.length} accounts` : `${shown.length} accounts; what follows: --after ${next}`,
      ],
    } satisfies Report
  })

/** Accepts the doubted clock of the ledger's machine. */
export const acceptClock = (ledger: LedgerClient, decided: { readonly operator: string; readonly reason: string }) =>
  Effect.map(submit(ledger.submit({ _tag: "acceptClock", ...decided })), ({ answer: { atMs } }) => ({
    facts: { time: new Date(atMs).toISOString() },
    lines: [
      `the clock of the ledger's machine is taken as it is; the ledger's time is ${new Date(atMs).toISOString()}`,
    ],
  }))
