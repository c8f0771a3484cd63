import { readFileSync, statSync } from "node:fs"
import * as Result from "effect/Result"
import { setInstallation } from "../../schemas/installation.ts"
import { type ExchangeWallet, labelsOf } from "../../schemas/labels/exchange-wallets.ts"

const FILE_MAX_BYTES = 8 * 1024 * 1024

/** Reads the labels of a file. */
export const labelsOfFile = (path: string): Result.Result<ReadonlyArray<ExchangeWallet>, string> => {
  try {
    if (statSync(path).size > FILE_MAX_BYTES) return Result.fail(`has more than ${FILE_MAX_BYTES} bytes`)
    return labelsOf(readFileSync(path, "utf8"))
  } catch (cause) {
    return Result.fail(`cannot be read (${(cause as NodeJS.ErrnoException).code ?? "unknown"})`)
  }
}

/**
 * Sets what the installation follows, from the environment. The entry point of each thread calls it before it loads any
 * declaration. A wrong value counts as absent here: the settings check it alike, and refuse the start.
 */
export const installFrom = ({ STOCK_SYMBOLS, NEWS_RSS_URLS, EXCHANGE_LABELS = "" }: NodeJS.ProcessEnv): void => {
  const path = EXCHANGE_LABELS.trim()
  const labels = path === "" ? null : labelsOfFile(path)
  setInstallation({
    stockSymbols: STOCK_SYMBOLS ?? "",
    newsOutlets: NEWS_RSS_URLS ?? "",
    exchangeWallets: labels !== null && Result.isSuccess(labels) ? labels.success : null,
  })
}
