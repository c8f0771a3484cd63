import { existsSync } from "node:fs"
import { join } from "node:path"
import { Effect, Schema } from "effect"
import { v7 } from "uuid"
import { type LedgerClient, makeToken, tokenHashOf } from "../../ledger/client.ts"
import type { Answers, TokenCandidate } from "../../ledger/command.ts"
import { verifyLedger } from "../../ledger/verify.ts"
import { EXIT_CODES, readArguments } from "../config/arguments.ts"
import { type Command, runCommand } from "../config/command.ts"
import { openProgress } from "../config/progress.ts"
import type { Settings } from "../config/settings.ts"
import { openWholeLog, refuseMissing } from "../log/open.ts"
import { showReading } from "../log/show-reading.ts"
import { loadTokenKeys } from "../secrets/secrets.ts"
import { reachLedger } from "./reach.ts"
import { sentenceOf } from "./sentences.ts"

const USAGE = `usage: npm run ledger -- verify
       npm run ledger -- show ACCOUNT
       npm run ledger -- grant ACCOUNT|new CREDITS --operator NAME --reason TEXT [--payment TRANSACTION:POSITION]
       npm run ledger -- refund DEBIT --operator NAME --note TEXT
       npm run ledger -- accept-clock --operator NAME --reason TEXT

verify   folds the whole ledger and proves it; exit code 1 and the first entry that offends where it does not hold. It
         changes nothing and may run beside the service.
show     balance and purchases of an account.
grant    gives credits. A new account gets a token, which is printed this once. --payment names a transfer on the chain
         that nobody can prove, by its transaction and the position of its log in the receipt, and uses it up.
refund   gives back what a call cost.
accept-clock  takes the clock of the ledger's machine as it is, where the ledger doubts it and writes nothing (/readyz says
         why). Look at the clock first: an entry at a wrong time holds all later ones at it.

All take --json. What changes something goes through the running service (ADMIN_PORT, or LEDGER_URLS); where none runs, the
log is claimed for the moment.
${EXIT_CODES}`

/** The chain id of Base: the one chain on which credits are paid. */
const CHAIN_ID = 8453

/** What was asked for cannot be done. */
class Refused extends Schema.TaggedError<Refused>()("Refused", { problem: Schema.String }) {
  override get message() {
    return this.problem
  }
}

/** A result: words for people, or the same facts for programs. */
interface Told {
  readonly facts: object
  readonly lines: ReadonlyArray<string>
  readonly code?: number
}

const tell = (json: boolean, { facts, lines, code = 0 }: Told): number => {
  process.stdout.write(json ? `${JSON.stringify(facts)}\n` : `${lines.join("\n")}\n`)
  return code
}

const usd = (units: number): string => (units / 1_000_000).toFixed(2)

const submit = <A, E extends Parameters<typeof sentenceOf>[0]>(asked: Effect.Effect<A, E>) =>
  asked.pipe(Effect.mapError((refusal) => new Refused({ problem: sentenceOf(refusal) })))

const verify = (settings: Settings) =>
  Effect.gen(function* () {
    yield* refuseMissing(settings)
    const log = yield* openWholeLog(settings)
    const total = (yield* log.end("ledger")) - (yield* log.start("ledger"))
    const proof = yield* verifyLedger(showReading(log, (yield* openProgress()).begin("verify", total, "entries")))
    const { entries, accounts, purchases, balance, shortfall, tail, offence } = proof
    const counts = `${entries} entries, ${accounts} accounts, ${purchases} purchases; balances ${balance}, shortfalls ${shortfall} credits`
    return {
      facts: proof,
      code: offence === null ? 0 : 1,
      lines:
        offence === null
          ? [`the ledger holds: ${counts}`, `last entry ${tail.sequence}, SHA-256 ${tail.hash}`]
          : [
              `THE LEDGER DOES NOT HOLD: entry ${offence.sequence} (offset ${offence.offset}): ${offence.problem}`,
              `up to there: ${counts}`,
            ],
    }
  })

const accountLines = (account: Answers["readAccount"]): ReadonlyArray<string> => [
  `account ${account.account}`,
  `balance ${account.balance} credits${account.shortfall > 0 ? `, shortfall ${account.shortfall}` : ""}`,
  `added ${account.added}, spent ${account.spent}, paid ${usd(account.purchasedUnits)} USD`,
  `token ${account.issuedAtMs === null ? "none" : `issued ${new Date(account.issuedAtMs).toISOString()}`}`,
  ...account.purchases.map(
    ({ payment, units, credits, status, creditedAtMs }) =>
      `  ${new Date(creditedAtMs).toISOString()}  ${payment}  ${usd(units)} USD  ${credits} credits  ${status}`,
  ),
]

const show = (ledger: LedgerClient, account: string) =>
  Effect.map(submit(ledger.submit({ _tag: "readAccount", by: { account } })), ({ answer }) => ({
    facts: answer,
    lines: accountLines(answer),
  }))

/** A transfer by `TRANSACTION:POSITION`. */
const paymentOf = (text: string | undefined) => {
  if (text === undefined) return null
  const [, transaction, position] = /^(0x[0-9a-fA-F]{64}):(\d{1,6})$/u.exec(text) ?? []
  if (transaction === undefined) throw new Error("--payment is TRANSACTION:POSITION, as 0x...:0")
  return { chainId: CHAIN_ID, transaction: transaction.toLowerCase(), position: Number(position) }
}

interface GrantOptions {
  readonly account: string
  readonly credits: number
  readonly operator: string
  readonly reason: string
  readonly payment: ReturnType<typeof paymentOf>
}

const grant = (settings: Settings, ledger: LedgerClient, options: GrantOptions) =>
  Effect.gen(function* () {
    const isNew = options.account === "new"
    const account = isNew ? v7() : options.account
    const give = (token: TokenCandidate | null) =>
      ledger.submit({ _tag: "grant", ...options, account, token }).pipe(Effect.map(({ answer }) => answer))
    if (!isNew) {
      const { balance } = yield* submit(
        give(null).pipe(
          // A new account would need a token: this one was misspelt.
          Effect.catchTag("token_needed", () => Effect.fail({ _tag: "unknown_account" as const })),
        ),
      )
      const facts = { account, credits: options.credits, balance }
      return { facts, lines: [`${options.credits} credits given to ${account}; its balance is ${balance}`] }
    }
    const directory = existsSync(join(settings.dataDirectory, "secrets")) ? settings.dataDirectory : null
    const environment = { TOKEN_KEYS: settings.tokenKeys ?? undefined }
    const tokenKeys = yield* loadTokenKeys({ directory, environment })
    const kid = tokenKeys.current
    const wanted = { claimant: `grant/${account}`, origin: account, generation: 1 }
    const token = makeToken(tokenKeys, kid, wanted)
    if (token === null) return yield* new Refused({ problem: "there is no key to make a token with" })
    const { balance } = yield* submit(give({ ...wanted, kid, hash: tokenHashOf(token) }))
    return {
      facts: { account, credits: options.credits, balance, token },
      lines: [`account ${account} has ${balance} credits and this token, which is shown this once:`, token],
    }
  })

const refund = (ledger: LedgerClient, debit: string, operator: { readonly name: string; readonly note: string }) =>
  Effect.map(submit(ledger.submit({ _tag: "refund", debit, operator })), ({ answer }) => ({
    facts: { debit, ...answer },
    lines: [
      `${answer.credits} credits of debit ${debit} are back with ${answer.account}; its balance is ${answer.balance}`,
    ],
  }))

const acceptClock = (ledger: LedgerClient, decided: { readonly operator: string; readonly reason: string }) =>
  Effect.map(submit(ledger.submit({ _tag: "acceptClock", ...decided })), ({ answer: { atMs } }) => ({
    facts: { time: new Date(atMs).toISOString() },
    lines: [
      `the clock of the ledger's machine is taken as it is; the ledger's time is ${new Date(atMs).toISOString()}`,
    ],
  }))

const needed = (value: string | undefined, what: string): string => {
  if (value === undefined || value.trim() === "") throw new Error(`say ${what}`)
  return value
}

const creditsOf = (text: string): number => {
  if (!/^[1-9]\d{0,9}$/u.test(text)) throw new Error("CREDITS is a whole number from 1")
  return Number(text)
}

const prepare = (): Command => {
  const { values, positionals } = readArguments(
    USAGE,
    {
      json: { type: "boolean", default: false },
      operator: { type: "string" },
      reason: { type: "string" },
      note: { type: "string" },
      payment: { type: "string" },
    },
    { min: 1, max: 3 },
  )
  const [command, first, second, ...rest] = positionals
  const expected = { verify: 0, show: 1, grant: 2, refund: 1, "accept-clock": 0 }[command ?? ""]
  if (expected === undefined || rest.length > 0) throw new Error("say what to do")
  if ([first, second].filter((text) => text !== undefined).length !== expected)
    throw new Error(`${command} takes ${expected} arguments`)
  const report = (told: Told) => tell(values.json, told)
  const reached = <E extends { readonly message: string }>(
    act: (ledger: LedgerClient, settings: Settings) => Effect.Effect<Told, E>,
  ): Command => {
    return (settings) =>
      reachLedger(settings).pipe(
        Effect.flatMap((ledger) => act(ledger, settings)),
        Effect.map(report),
      )
  }
  if (command === "verify") return (settings) => Effect.map(verify(settings), report)
  if (command === "accept-clock") {
    const decided = {
      operator: needed(values.operator, "who does it: --operator NAME"),
      reason: needed(values.reason, "why: --reason TEXT"),
    }
    return reached((ledger) => acceptClock(ledger, decided))
  }
  const subject = needed(first, "which")
  if (command === "show") return reached((ledger) => show(ledger, subject))
  const operator = needed(values.operator, "who does it: --operator NAME")
  if (command === "refund") {
    const note = needed(values.note, "why: --note TEXT")
    return reached((ledger) => refund(ledger, subject, { name: operator, note }))
  }
  const options: GrantOptions = {
    account: subject,
    credits: creditsOf(second ?? ""),
    operator,
    reason: needed(values.reason, "why: --reason TEXT"),
    payment: paymentOf(values.payment),
  }
  return reached((ledger, settings) => grant(settings, ledger, options))
}

runCommand(USAGE, prepare)
