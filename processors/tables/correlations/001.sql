-- Questions: how a correlation moved over months, when it changed its sign, which pair is the strongest now.
-- A pair is read whole or over a range of time, so it leads; six rows on a working day: years are partitions enough.
CREATE TABLE correlations
(
    a LowCardinality(String) COMMENT 'Symbol of the first asset: TREASURY_10Y, TREASURY_2Y, USD_INDEX or OIL_WTI',
    b LowCardinality(String) COMMENT 'Symbol of the second asset; each pair stands once, in the order above',
    pearson_r Nullable(Float64) COMMENT 'Pearson correlation of simple daily returns, -1 to 1, 4 decimals; null with fewer than 10 returns, or where one side does not change' CODEC(Gorilla, ZSTD(1)),
    n_observations UInt8 COMMENT 'Returns that it is of, at most 30' CODEC(ZSTD(1)),
    first_day Nullable(Date) COMMENT 'First day on which both series have a number, of those that it is of; null without one' CODEC(ZSTD(1)),
    last_day Nullable(Date) COMMENT 'Last day on which both series have a number; null without one' CODEC(ZSTD(1)),
    observed_at DateTime64(3, 'UTC') COMMENT 'When Tidewire saw the number that changed it; the latest of a pair counts' CODEC(Delta, ZSTD(3)),
    event_id String COMMENT 'Id of the log event behind the row' CODEC(ZSTD(3)),
    log_offset UInt64 COMMENT 'Offset of that event in the deltas topic' CODEC(Delta, ZSTD(3))
)
ENGINE = MergeTree
PARTITION BY toYear(observed_at)
ORDER BY (a, b, observed_at)
COMMENT 'How the daily returns of two assets move together: a row for each change of the correlation of a pair, or of its days'
