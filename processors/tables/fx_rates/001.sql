-- Questions: the course of a currency over weeks or years, cross rates of a day, what a correction changed.
-- Every query names currencies, most a range of days: a currency's rates lie together in the order of their days.
-- Sixteen rows each working day: yearly partitions suffice. Rates repeat their leading digits, which Gorilla compresses.
CREATE TABLE fx_rates
(
    day Date COMMENT 'Working day (UTC) of the rate' CODEC(Delta, ZSTD(3)),
    base LowCardinality(String) COMMENT 'Currency that the rate is counted against, ISO 4217: USD',
    currency LowCardinality(String) COMMENT 'Currency that is priced, ISO 4217',
    rate Float64 COMMENT 'Units of currency for one unit of base' CODEC(Gorilla, ZSTD(1)),
    provider LowCardinality(String) COMMENT 'Source of the rate, as in _meta.sources',
    observed_at DateTime64(3, 'UTC') COMMENT 'When Tidewire saw the rate; the latest of a day and currency counts' CODEC(Delta, ZSTD(3)),
    event_id String COMMENT 'Id of the log event behind the row' CODEC(ZSTD(3)),
    log_offset UInt64 COMMENT 'Offset of that event in the deltas topic' CODEC(Delta, ZSTD(3))
)
ENGINE = MergeTree
PARTITION BY toYear(day)
ORDER BY (base, currency, day, observed_at)
COMMENT 'Reference rates of the European Central Bank against the US dollar, a row for each day and currency and each correction'
