import type { ExchangeWallet } from "./labels/exchange-wallets.ts"

/** The settings that declarations of feeds, views and tables are made with, the same in every role of an installation. */
export interface Installation {
  /** The shares that are followed: tickers, comma separated. Empty: those of the release. */
  readonly stockSymbols: string
  /** The news outlets that are followed beside those of the release: `name=address`, comma separated. */
  readonly newsOutlets: string
  /** The addresses of exchanges; null: those of the release. */
  readonly exchangeWallets: ReadonlyArray<ExchangeWallet> | null
}

let installation: Installation = { stockSymbols: "", newsOutlets: "", exchangeWallets: null }
let isRead = false

/** Sets the settings of this process. Throws once a declaration was made without them: an entry point calls it first. */
export const setInstallation = (settings: Installation): void => {
  if (isRead) throw new Error("the settings of the installation come after the declarations that depend on them")
  installation = settings
}

/** The settings of this process, for declarations that are loaded now. */
export const readInstallation = (): Installation => {
  isRead = true
  return installation
}
