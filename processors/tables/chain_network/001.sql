-- Questions: how busy the network was in a period, when it slowed down or stood still, how long epochs took.
-- One network and one row each half minute: time alone is the order, and a month is a partition.
CREATE TABLE chain_network
(
    observed_at DateTime64(3, 'UTC') COMMENT 'When Tidewire saw it so' CODEC(Delta, ZSTD(3)),
    at Nullable(DateTime64(3, 'UTC')) COMMENT 'When the block of the slot was made; null where the node gave none',
    slot UInt64 COMMENT 'Newest finalised slot' CODEC(Delta, ZSTD(3)),
    slot_ms Nullable(Float64) COMMENT 'Mean time of a slot over three minutes, milliseconds' CODEC(Gorilla, ZSTD(1)),
    block_height Nullable(UInt64) COMMENT 'Blocks so far; skipped slots have none',
    epoch UInt32 COMMENT 'Epoch, of 432,000 slots' CODEC(Delta, ZSTD(3)),
    epoch_progress_percent Float64 COMMENT 'How much of the epoch had passed, percent' CODEC(Gorilla, ZSTD(1)),
    transactions_per_second Nullable(Float64) COMMENT 'In the newest minute, votes of validators included' CODEC(Gorilla, ZSTD(1)),
    transactions_per_second_average Nullable(Float64) COMMENT 'Over the newest three minutes, votes included' CODEC(Gorilla, ZSTD(1)),
    non_vote_transactions_per_second Nullable(Float64) COMMENT 'In the newest minute, without votes' CODEC(Gorilla, ZSTD(1)),
    provider LowCardinality(String) COMMENT 'Source of the row, as in _meta.sources',
    event_id String COMMENT 'Id of the log event behind the row' CODEC(ZSTD(3)),
    log_offset UInt64 COMMENT 'Offset of that event in the deltas topic' CODEC(Delta, ZSTD(3))
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(observed_at)
ORDER BY observed_at
COMMENT 'Throughput, slot and epoch of the main network of Solana: a row whenever the slot has moved on'
