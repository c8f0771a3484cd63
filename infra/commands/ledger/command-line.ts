import { Effect } from "effect"
import type { LedgerClient } from "../../../ledger/client.ts"
import { EXIT_CODES, readArguments } from "../../config/arguments.ts"
import { type Command, runCommand } from "../../config/command.ts"
import type { Settings } from "../../config/settings.ts"
import { reachLedger } from "../../ledger/reach.ts"
import { acceptClock, grant, list, refund, reissue, show } from "./account-commands.ts"
import { head, verify } from "./proof-commands.ts"
import type { Report } from "./report.ts"

const USAGE = `usage: npm run ledger -- verify [--anchor FILE [--jwks FILE|URL]]
       npm run ledger -- head [--save FILE]
       npm run ledger -- list [--after PLACE] [--limit COUNT]
       npm run ledger -- show ACCOUNT
       npm run ledger -- grant ACCOUNT|new CREDITS --operator NAME --reason TEXT [--payment TRANSACTION:POSITION]
       npm run ledger -- reissue ACCOUNT --operator NAME --reason TEXT
       npm run ledger -- refund DEBIT --operator NAME --note TEXT
       npm run ledger -- accept-clock --operator NAME --reason TEXT

verify   folds the whole ledger and proves it; exit code 1 and the first entry that offends where it does not hold. It
         changes nothing and may run beside the service. A ledger that was cut off at its end is a shorter one that holds:
         --anchor takes a buyer's receipt, or the reply that contains it, or a saved head, and proves that its
         entry is still there. The receipt is verified by this installation's keys, or by those of --jwks.
head     prints the last entry of the log; --save saves it to a file. Keep that where the writers of the log have no access.
list     accounts in the order of their opening: place, id, balance, purchases, token, what opened them. At most 200
         at once, or --limit (10,000 at most); --after continues behind a place.
show     balance and purchases of an account.
grant    grants credits. A new account gets a token, which is printed this once. --payment names a transfer on the chain
         that its payer cannot prove, by its transaction and the position of its log in the receipt, and uses it up.
reissue  issues a new token for an account, which is printed this once, for an owner without a proof of payment. The
         previous token is void, and so is what opened the account: a leaked memo yields no token any more.
refund   refunds the cost of a call.
accept-clock  trusts the clock of the ledger's machine while the ledger doubts it and writes nothing (/readyz shows
         why). Check the clock first: an entry at a wrong time holds all later ones at it.

All take --json. Commands that write go through the running service (ADMIN_PORT, or LEDGER_URLS); if none runs, they claim
the log themselves.
${EXIT_CODES}`

/** The chain id of Base: the one chain on which credits are paid. */
const CHAIN_ID = 8453
const LIST_LIMIT = 200
const LIST_LIMIT_MAX = 10_000

/** A transfer by `TRANSACTION:POSITION`. */
const paymentOf = (text: string | undefined) => {
  if (text === undefined) return null
  const [, transaction, position] = /^(0x[0-9a-fA-F]{64}):(\d{1,6})$/u.exec(text) ?? []
  if (transaction === undefined) throw new Error("--payment is TRANSACTION:POSITION, as 0x...:0")
  return { chainId: CHAIN_ID, transaction: transaction.toLowerCase(), position: Number(position) }
}

const needed = (value: string | undefined, what: string): string => {
  if (value === undefined || value.trim() === "") throw new Error(`missing: ${what}`)
  return value
}

const creditsOf = (text: string): number => {
  if (!/^[1-9]\d{0,9}$/u.test(text)) throw new Error("CREDITS is a whole number from 1")
  return Number(text)
}

const wholeNumber = (text: string | undefined, name: string, otherwise: number, max: number): number => {
  if (text === undefined) return otherwise
  if (!/^\d{1,15}$/u.test(text) || Number(text) > max) throw new Error(`${name} is a whole number up to ${max}`)
  return Number(text)
}

const write = (json: boolean, { facts, lines, code = 0 }: Report): number => {
  process.stdout.write(json ? `${JSON.stringify(facts)}\n` : `${lines.join("\n")}\n`)
  return code
}

const options = {
  json: { type: "boolean", default: false },
  operator: { type: "string" },
  reason: { type: "string" },
  note: { type: "string" },
  payment: { type: "string" },
  anchor: { type: "string" },
  jwks: { type: "string" },
  save: { type: "string" },
  after: { type: "string" },
  limit: { type: "string" },
} as const

/** How many arguments each command takes beside its name, and which options beside --json. */
const commands: Readonly<Record<string, { readonly takes: number; readonly options: ReadonlyArray<string> }>> = {
  verify: { takes: 0, options: ["anchor", "jwks"] },
  head: { takes: 0, options: ["save"] },
  list: { takes: 0, options: ["after", "limit"] },
  show: { takes: 1, options: [] },
  grant: { takes: 2, options: ["operator", "reason", "payment"] },
  reissue: { takes: 1, options: ["operator", "reason"] },
  refund: { takes: 1, options: ["operator", "note"] },
  "accept-clock": { takes: 0, options: ["operator", "reason"] },
}

const prepare = (): Command => {
  const { values, positionals } = readArguments(USAGE, options, { min: 1, max: 3 })
  const [command = "", first, second] = positionals
  const known = commands[command]
  if (known === undefined) throw new Error("a command is needed")
  if (positionals.length - 1 !== known.takes) throw new Error(`${command} takes ${known.takes} arguments`)
  const stray = Object.keys(values).find((name) => name !== "json" && !known.options.includes(name))
  // An option without effect, such as --reason of a refund, is a mistake of its user.
  if (stray !== undefined) throw new Error(`${command} takes no --${stray}`)
  const print = (report: Report) => write(values.json, report)
  const reached = <E extends { readonly message: string }>(
    act: (ledger: LedgerClient, settings: Settings) => Effect.Effect<Report, E>,
  ): Command => {
    return (settings) =>
      reachLedger(settings).pipe(
        Effect.flatMap((ledger) => act(ledger, settings)),
        Effect.map(print),
      )
  }
  if (command === "verify") {
    const { anchor, jwks } = values
    return (settings) => Effect.map(verify(settings, { anchor, jwks }), print)
  }
  if (command === "head") return (settings) => Effect.map(head(settings, values.save), print)
  if (command === "list") {
    const after = wholeNumber(values.after, "--after", -1, Number.MAX_SAFE_INTEGER)
    const limit = wholeNumber(values.limit, "--limit", LIST_LIMIT, LIST_LIMIT_MAX)
    return reached((ledger) => list(ledger, { after, limit }))
  }
  if (command === "accept-clock") {
    const decided = {
      operator: needed(values.operator, "--operator NAME"),
      reason: needed(values.reason, "--reason TEXT"),
    }
    return reached((ledger) => acceptClock(ledger, decided))
  }
  const subject = needed(first, "the account or debit")
  if (command === "show") return reached((ledger) => show(ledger, subject))
  const operator = needed(values.operator, "--operator NAME")
  if (command === "refund") {
    const note = needed(values.note, "--note TEXT")
    return reached((ledger) => refund(ledger, subject, { name: operator, note }))
  }
  const reason = needed(values.reason, "--reason TEXT")
  if (command === "reissue")
    return reached((ledger, settings) => reissue(settings, ledger, { account: subject, operator, reason }))
  const granted = {
    account: subject,
    credits: creditsOf(second ?? ""),
    operator,
    reason,
    payment: paymentOf(values.payment),
  }
  return reached((ledger, settings) => grant(settings, ledger, granted))
}

runCommand(USAGE, prepare)
