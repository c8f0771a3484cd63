/** Classes of assets. `crypto-equity`: shares of companies whose value follows crypto assets. */
export const assetClasses = ["crypto", "equity", "crypto-equity"] as const
export type AssetClass = (typeof assetClasses)[number]

/** An asset whose mentions in headlines are counted. */
export interface Ticker {
  readonly symbol: string
  readonly assetClass: AssetClass
  /**
   * What headlines call it beside its symbol. A name in lower case counts in any case; one with a capital letter is a word
   * as well, and counts only where the headline begins it with a capital too.
   */
  readonly names: ReadonlyArray<string>
  /** Phrases that hold a name or the symbol and mean something else. */
  readonly unlike: ReadonlyArray<string>
  /** Whether the symbol alone is a word: it then counts as `$SYM` only. */
  readonly isWord: boolean
}

const ticker = (
  symbol: string,
  assetClass: AssetClass,
  names: ReadonlyArray<string>,
  rest: { readonly unlike?: ReadonlyArray<string>; readonly isWord?: true } = {},
): Ticker => ({ symbol, assetClass, names, unlike: rest.unlike ?? [], isWord: rest.isWord ?? false })

export const tickers: ReadonlyArray<Ticker> = [
  ticker("BTC", "crypto", ["bitcoin", "bitcoins"]),
  ticker("ETH", "crypto", ["ethereum", "ether"], { unlike: ["into the ether"] }),
  ticker("SOL", "crypto", ["solana"], { isWord: true }),
  ticker("XRP", "crypto", ["Ripple"], { unlike: ["ripple effect", "ripple effects"] }),
  ticker("DOGE", "crypto", ["dogecoin"]),
  ticker("ADA", "crypto", ["cardano"]),
  ticker("BNB", "crypto", ["binance coin"]),
  ticker("LINK", "crypto", ["chainlink"], { isWord: true }),
  ticker("USDT", "crypto", ["Tether"]),
  ticker("USDC", "crypto", ["usd coin"]),
  ticker("AAPL", "equity", ["Apple"], {
    unlike: ["big apple", "apple pie", "apple juice", "apple cider", "apple tree", "apple trees"],
  }),
  ticker("MSFT", "equity", ["microsoft"]),
  ticker("NVDA", "equity", ["nvidia"]),
  ticker("AMZN", "equity", ["Amazon"], {
    unlike: ["amazon rainforest", "amazon forest", "amazon river", "amazon basin", "amazon jungle", "in the amazon"],
  }),
  ticker("GOOGL", "equity", ["google", "Alphabet"], { unlike: ["alphabet soup", "the alphabet"] }),
  ticker("META", "equity", ["Meta Platforms", "facebook"], { isWord: true }),
  ticker("TSLA", "equity", ["tesla"], { unlike: ["nikola tesla", "tesla coil", "tesla coils"] }),
  ticker("AMD", "equity", ["advanced micro devices"]),
  ticker("INTC", "equity", ["Intel"]),
  ticker("NFLX", "equity", ["netflix"]),
  ticker("JPM", "equity", ["jpmorgan", "jp morgan", "j.p. morgan"]),
  ticker("COIN", "crypto-equity", ["coinbase"], {
    unlike: ["coinbase transaction", "coinbase transactions"],
    isWord: true,
  }),
  ticker("MSTR", "crypto-equity", ["microstrategy"]),
  ticker("MARA", "crypto-equity", ["mara holdings", "marathon digital"]),
  ticker("RIOT", "crypto-equity", ["riot platforms", "riot blockchain"]),
  ticker("HOOD", "crypto-equity", ["robinhood"], { isWord: true }),
]
