-- Questions: open, high, low and close of an asset over a period, its volatility, two assets or venues beside each other.
-- A view, not a copy: asset and time are pushed down to the key of `prices`. Of a month of all prices (a million rows) the days
-- of one asset are read in some 10 to 70 ms. A copy would have to be rebuilt with its table, and could differ from it.
CREATE OR REPLACE VIEW prices_1d
(
    time DateTime('UTC') COMMENT 'Start of the day',
    feed LowCardinality(String) COMMENT 'Feed of the prices: btc-price or exchange-tickers',
    asset LowCardinality(String) COMMENT 'What is priced, such as BTC',
    currency LowCardinality(String) COMMENT 'What the prices are counted in: USD, or USDT (Tether) where a venue has no dollars',
    provider LowCardinality(String) COMMENT 'Source of the prices, as in _meta.sources',
    open Float64 COMMENT 'First price that was seen in the day, in currency',
    high Float64 COMMENT 'Highest price that was seen in the day, in currency',
    low Float64 COMMENT 'Lowest price that was seen in the day, in currency',
    close Float64 COMMENT 'Last price that was seen in the day, in currency',
    samples UInt64 COMMENT 'Prices that were seen in the day, each other than the one before'
)
AS SELECT
    toStartOfDay(observed_at) AS time,
    feed,
    asset,
    currency,
    provider,
    argMin(price, log_offset) AS open,
    max(price) AS high,
    min(price) AS low,
    argMax(price, log_offset) AS close,
    count() AS samples
FROM prices
WHERE period = 'rolling'
GROUP BY time, feed, asset, currency, provider
COMMENT 'Open, high, low and close of the prices that were seen in each day, by asset and source, stamped at its start: no row where none was seen; computed from prices by each query'
