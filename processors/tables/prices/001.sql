-- Questions: the course of a price over hours or months, its daily range, the prices of each venue and when a fallback was
-- used. Every query names an asset and a time range, so the asset leads the key and time follows. Prices repeat their
-- leading digits from row to row, which Gorilla stores as a few bits.
CREATE TABLE prices
(
    asset LowCardinality(String) COMMENT 'What is priced, such as BTC',
    currency LowCardinality(String) COMMENT 'What the price is counted in: USD, or USDT (Tether) where a venue has no dollars',
    provider LowCardinality(String) COMMENT 'Source of the price, as in _meta.sources',
    period LowCardinality(String) COMMENT 'rolling: the last trade, with the 24 hours before it; day: one whole day (UTC), whose close is the price',
    at DateTime64(3, 'UTC') COMMENT 'The end of the 24 hours or of the day, by the venue; when Tidewire saw it where the venue gives no time' CODEC(Delta, ZSTD(3)),
    price Float64 COMMENT 'Last traded price of one unit, in currency' CODEC(Gorilla, ZSTD(1)),
    change_24h_percent Nullable(Float64) COMMENT 'Change against 24 hours before, percent; null if the venue does not give it',
    high_24h Nullable(Float64) COMMENT 'Highest trade of 24 hours, in currency',
    low_24h Nullable(Float64) COMMENT 'Lowest trade of 24 hours, in currency',
    volume_24h Nullable(Float64) COMMENT 'Turnover of 24 hours at the venue, in currency; null where only the units are counted',
    volume_24h_units Nullable(Float64) COMMENT 'Turnover of 24 hours at the venue, in units of the asset; null where only the currency is counted',
    trades_24h Nullable(UInt64) COMMENT 'Trades of 24 hours at the venue; null if it does not count them',
    observed_at DateTime64(3, 'UTC') COMMENT 'When Tidewire saw the price' CODEC(Delta, ZSTD(3)),
    event_id String COMMENT 'Id of the log event behind the row' CODEC(ZSTD(3)),
    log_offset UInt64 COMMENT 'Offset of that event in the deltas topic' CODEC(Delta, ZSTD(3))
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(observed_at)
ORDER BY (asset, observed_at)
COMMENT 'Every price that differed from the one its source gave before: of bitcoin each 15 seconds, of twenty coins at one exchange each minute, and the days of bitcoin'
