import { readInstallation } from "../installation.ts"
import { type ExchangeWallet, exchangeWallets } from "./exchange-wallets.ts"

/** The labels of exchanges, by address in lower case. */
export type ExchangeLabels = ReadonlyMap<string, string>

/**
 * The labels in force: those of the installation, or the release's own. They are part of the rule of the views and tables
 * that use them, as their code is. The same events and the same labels give the same bytes; with other labels a rebuild
 * gives other views and rows, as it does with another release.
 */
export const activeWallets: ReadonlyArray<ExchangeWallet> = readInstallation().exchangeWallets ?? exchangeWallets

export const exchangeLabels: ExchangeLabels = new Map(activeWallets.map(({ address, exchange }) => [address, exchange]))

/** The exchanges that have a label, in alphabetical order. */
export const exchangesTracked = (labels: ExchangeLabels): ReadonlyArray<string> => [...new Set(labels.values())].sort()
