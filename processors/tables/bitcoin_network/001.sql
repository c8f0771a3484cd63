-- Questions: when a transaction was cheap, how full the mempool was, how hashrate and difficulty went over months.
-- One network and one row a minute: time alone is the order, and a month is a partition.
CREATE TABLE bitcoin_network
(
    observed_at DateTime64(3, 'UTC') COMMENT 'When Tidewire saw it so' CODEC(Delta, ZSTD(3)),
    block_height UInt64 COMMENT 'Height of the newest block' CODEC(Delta, ZSTD(3)),
    fee_fastest_sat_per_vb Float64 COMMENT 'What a transaction paid for a place in the next block, satoshi a virtual byte' CODEC(Gorilla, ZSTD(1)),
    fee_half_hour_sat_per_vb Float64 COMMENT 'The same within half an hour' CODEC(Gorilla, ZSTD(1)),
    fee_hour_sat_per_vb Float64 COMMENT 'The same within an hour' CODEC(Gorilla, ZSTD(1)),
    fee_economy_sat_per_vb Nullable(Float64) COMMENT 'The same without haste; null if it was not given' CODEC(Gorilla, ZSTD(1)),
    fee_minimum_sat_per_vb Nullable(Float64) COMMENT 'The least that nodes relayed, satoshi a virtual byte; null if it was not given' CODEC(Gorilla, ZSTD(1)),
    hashrate_eh_s Nullable(Float64) COMMENT 'Estimate of the hashrate, exahashes (10^18 hashes) a second; null without one' CODEC(Gorilla, ZSTD(1)),
    difficulty Nullable(Float64) COMMENT 'Difficulty of a block, as a multiple of the easiest; null if it was not given' CODEC(Gorilla, ZSTD(1)),
    mempool_count UInt64 COMMENT 'Transactions that waited for a block' CODEC(Delta, ZSTD(3)),
    mempool_vsize_vb Float64 COMMENT 'Their size, virtual bytes' CODEC(Gorilla, ZSTD(1)),
    mempool_total_fee_sat Nullable(Float64) COMMENT 'All that they offered to pay, satoshi; null if it was not given' CODEC(Gorilla, ZSTD(1)),
    provider LowCardinality(String) COMMENT 'Source of the row, as in _meta.sources',
    event_id String COMMENT 'Id of the log event behind the row' CODEC(ZSTD(3)),
    log_offset UInt64 COMMENT 'Offset of that event in the deltas topic' CODEC(Delta, ZSTD(3))
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(observed_at)
ORDER BY observed_at
COMMENT 'Height, fees, hashrate, difficulty and mempool of the Bitcoin network: a row whenever one of them has changed, at most one a minute'
