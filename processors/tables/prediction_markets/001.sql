-- Questions: how the odds of a question moved, which questions drew money in a period, how right the odds were.
-- The course of one market is read as a whole, so the market leads the key and time follows; partitions by month limit what
-- a range of dates reads. Odds and volumes change little from row to row, which Gorilla stores as a few bits.
CREATE TABLE prediction_markets
(
    id String COMMENT 'Id of the market at Polymarket' CODEC(ZSTD(3)),
    question String COMMENT 'Question of the market' CODEC(ZSTD(3)),
    outcomes Array(LowCardinality(String)) COMMENT 'Possible answers, in the order of the market',
    probabilities Array(Nullable(Float64)) COMMENT 'Probability of each answer, 0 to 1; null before its first price',
    yes_probability Nullable(Float64) COMMENT 'Probability of Yes, 0 to 1; null where the answers are not Yes and No' CODEC(Gorilla, ZSTD(1)),
    volume_24h_usd Nullable(Float64) COMMENT 'Turnover of the last 24 hours, US dollars (USDC)' CODEC(Gorilla, ZSTD(1)),
    volume_usd Nullable(Float64) COMMENT 'Turnover since the market began, US dollars (USDC)' CODEC(Gorilla, ZSTD(1)),
    ends_at Nullable(DateTime64(3, 'UTC')) COMMENT 'When trading was planned to end',
    url String COMMENT 'Page of the market; empty if not given' CODEC(ZSTD(3)),
    listed Bool COMMENT 'False in the row of its departure from the list of the most traded open markets; the other values are its last',
    observed_at DateTime64(3, 'UTC') COMMENT 'When Tidewire observed this state' CODEC(Delta, ZSTD(3)),
    event_id String COMMENT 'Id of the log event behind the row' CODEC(ZSTD(3)),
    log_offset UInt64 COMMENT 'Offset of that event in the deltas topic' CODEC(Delta, ZSTD(3))
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(observed_at)
ORDER BY (id, observed_at)
COMMENT 'The most traded open prediction markets: a row when one appears, its odds or volume change, or it leaves the list'
