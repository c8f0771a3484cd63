import * as Effect from "effect/Effect"
import type { LedgerClient } from "../../../ledger/client.ts"
import type { Settings } from "../../config/settings.ts"
import { reachLedger } from "../../ledger/reach.ts"
import { WrongUsage } from "../arguments.ts"
import { type Command, runWithSettings } from "../command.ts"
import { acceptClock, grant, list, refund, reissue, show } from "./account-commands.ts"
import { head, verify } from "./proof-commands.ts"
import type { Report } from "./report.ts"

/** The chain id of Base: the one chain on which credits are paid. */
const CHAIN_ID = 8453
const LIST_LIMIT = 200
const LIST_LIMIT_MAX = 10_000

/** A transfer by `TRANSACTION:POSITION`. */
const paymentOf = (text: string | undefined) => {
  if (text === undefined) return null
  const [, transaction, position] = /^(0x[0-9a-fA-F]{64}):(\d{1,6})$/u.exec(text) ?? []
  if (transaction === undefined) throw new WrongUsage("--payment is TRANSACTION:POSITION, as 0x...:0")
  return { chainId: CHAIN_ID, transaction: transaction.toLowerCase(), position: Number(position) }
}

const needed = (value: string | undefined, what: string): string => {
  if (value === undefined || value.trim() === "") throw new WrongUsage(`missing: ${what}`)
  return value
}

const creditsOf = (text: string): number => {
  if (!/^[1-9]\d{0,9}$/u.test(text)) throw new WrongUsage("CREDITS is a whole number from 1")
  return Number(text)
}

const wholeNumber = (text: string | undefined, name: string, otherwise: number, max: number): number => {
  if (text === undefined) return otherwise
  if (!/^\d{1,15}$/u.test(text) || Number(text) > max) throw new WrongUsage(`${name} is a whole number up to ${max}`)
  return Number(text)
}

const write = (json: boolean, { facts, lines, code = 0 }: Report): number => {
  process.stdout.write(json ? `${JSON.stringify(facts)}\n` : `${lines.join("\n")}\n`)
  return code
}

/** The arguments of this command line, as declared in the table of commands. */
interface LedgerArguments {
  readonly positionals: ReadonlyArray<string>
  readonly values: { readonly json: boolean } & {
    readonly [option in "operator" | "reason" | "note" | "payment" | "anchor" | "jwks" | "save" | "after" | "limit"]?:
      | string
      | undefined
  }
}

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

const prepare = ({ values, positionals }: LedgerArguments): Command => {
  const [command = "", first, second] = positionals
  const known = commands[command]
  if (known === undefined) throw new WrongUsage("a command is needed")
  if (positionals.length - 1 !== known.takes) throw new WrongUsage(`${command} takes ${known.takes} arguments`)
  const stray = Object.keys(values).find((name) => name !== "json" && !known.options.includes(name))
  // An option without effect, such as --reason of a refund, is a mistake of its user.
  if (stray !== undefined) throw new WrongUsage(`${command} takes no --${stray}`)
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

export const run = (given: LedgerArguments): Promise<number> => runWithSettings(prepare(given))
