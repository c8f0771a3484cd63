/** What the example of the reply is selected from. */
export const cryptoDeepExample = {
  coins_top50: [
    {
      symbol: "BTC",
      name: "Bitcoin",
      price_usd: 62_648,
      change_1h_percent: -1.6,
      change_24h_percent: -2.09,
      change_7d_percent: -1.25,
      market_cap: 1_237_899_902_658,
      volume_24h: 34_184_618_434,
      rank: 1,
    },
  ],
  exchange_top20_usdt: [
    {
      pair: "BTCUSDT",
      price: 69_624,
      change_24h_percent: -3.691,
      volume_24h: 2_354_076_638.6,
      high_24h: 72_700,
      low_24h: 68_830,
      trades_24h: 5_019_250,
    },
  ],
  network_btc: {
    block_height: 963_042,
    fees_sat_per_vb: { fastest: 2.023, half_hour: 1.094, hour: 0.502, economy: 0.2, minimum: 0.1 },
    hashrate: { current_eh_s: 907.782986431434, current_difficulty: 125_807_076_547_197.5 },
    mempool: { count: 3_169, vsize: 1_891_542, total_fee_sat: 20_317_481 },
  },
  eth_gas: { low_gwei: 0.31, standard_gwei: 0.46, fast_gwei: 1.21, base_fee_gwei: 0.29, last_block: 25_123_456 },
  btc_30d: [
    {
      ts: 1_786_147_200_000,
      low: 64_789.89,
      high: 65_150.16,
      open: 64_891.6,
      close: 64_908.72,
      volume: 2_494.26436439,
    },
    { ts: 1_786_233_600_000, low: 64_675.22, high: 65_426, open: 64_908.71, close: 64_848.69, volume: 3_044.21136585 },
  ],
}
