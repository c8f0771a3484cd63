import { readFileSync, statSync } from "node:fs"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { EXCHANGE_LABELS_MAX, ExchangeWallet, exchangeWallets } from "./exchange-wallets.ts"

/** The labels of exchanges, by address in lower case. */
export type ExchangeLabels = ReadonlyMap<string, string>

const FILE_BYTES_MAX = 8 * 1024 * 1024

const Labels = Schema.Array(ExchangeWallet).check(Schema.isBetweenLength(1, EXCHANGE_LABELS_MAX))
const decode = Schema.decodeUnknownResult(Schema.fromJsonString(Labels), { onExcessProperty: "error" })

/**
 * Reads labels from a JSON text: a list of `{address, exchange, sources, readOn, confidence}`, each address once and in lower
 * case. The problem of a text that is none is one sentence.
 */
export const labelsOf = (text: string): Result.Result<ReadonlyArray<ExchangeWallet>, string> => {
  const decoded = decode(text)
  if (Result.isFailure(decoded)) return Result.fail(decoded.failure.message.split("\n").join(" ").slice(0, 300))
  const seen = new Set<string>()
  for (const { address } of decoded.success) {
    if (seen.has(address)) return Result.fail(`names ${address} twice`)
    seen.add(address)
  }
  return Result.succeed(decoded.success)
}

/** Reads the labels of a file. */
export const labelsOfFile = (path: string): Result.Result<ReadonlyArray<ExchangeWallet>, string> => {
  try {
    if (statSync(path).size > FILE_BYTES_MAX) return Result.fail(`has more than ${FILE_BYTES_MAX} bytes`)
    return labelsOf(readFileSync(path, "utf8"))
  } catch (cause) {
    return Result.fail(`cannot be read (${(cause as NodeJS.ErrnoException).code ?? "unknown"})`)
  }
}

const given = process.env.EXCHANGE_LABELS ?? ""
const read = given === "" ? null : labelsOfFile(given)

/**
 * The labels in force: those of the file that the setting EXCHANGE_LABELS names instead of the release's own. They are part
 * of the rule of the views and tables that use them, as their code is, so they are read once, here, when a role loads that
 * code. A start with a wrong file is refused by the settings, which check it alike.
 *
 * The same events and the same labels give the same bytes. With other labels a rebuild gives other views and rows, as it does
 * with another release.
 */
export const activeWallets: ReadonlyArray<ExchangeWallet> =
  read !== null && Result.isSuccess(read) ? read.success : exchangeWallets

export const exchangeLabels: ExchangeLabels = new Map(activeWallets.map(({ address, exchange }) => [address, exchange]))

/** The exchanges that have a label, in alphabetical order. */
export const exchangesTracked = (labels: ExchangeLabels): ReadonlyArray<string> => [...new Set(labels.values())].sort()
