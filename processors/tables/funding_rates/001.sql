-- Questions: the course of a contract's funding, venues beside each other, which contracts were the most lopsided in a period.
-- A contract is read over a range of time, at one venue or at several: venue and symbol lead. Some 200 contracts change a few
-- times an hour each: months are partitions.
CREATE TABLE funding_rates
(
    venue LowCardinality(String) COMMENT 'binance, bybit, okx or hyperliquid',
    symbol LowCardinality(String) COMMENT 'Name of the contract at the venue',
    base LowCardinality(String) COMMENT 'Coin as the venue counts it: 1000PEPE and kPEPE are 1,000 PEPE',
    period_hours Float64 COMMENT 'Hours from one payment to the next' CODEC(Gorilla, ZSTD(1)),
    period_rate Float64 COMMENT 'Rate of a period as estimated for the coming payment, fraction (0.0001 is 0.01 percent); positive: buyers pay' CODEC(Gorilla, ZSTD(1)),
    annualized_percent Float64 COMMENT 'The same for a year of 8,760 hours without compounding, percent' CODEC(Gorilla, ZSTD(1)),
    mark_price Nullable(Float64) COMMENT 'Mark price, USDT; at hyperliquid US dollars' CODEC(Gorilla, ZSTD(1)),
    next_funding_time Nullable(DateTime64(3, 'UTC')) COMMENT 'Time of the coming payment; null at hyperliquid, which pays at every full hour',
    listed Bool COMMENT 'False in the row for its removal: the contract left the 50 largest rates of the venue, or the venue; the other values are its last',
    observed_at DateTime64(3, 'UTC') COMMENT 'When Tidewire saw it so' CODEC(Delta, ZSTD(3)),
    event_id String COMMENT 'Id of the log event behind the row' CODEC(ZSTD(3)),
    log_offset UInt64 COMMENT 'Offset of that event in the deltas topic' CODEC(Delta, ZSTD(3))
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(observed_at)
ORDER BY (venue, symbol, observed_at)
COMMENT 'Funding of perpetual contracts: a row when a contract is listed, its rate a year changes by 0.1 percent, a payment is due, or it leaves the list'
