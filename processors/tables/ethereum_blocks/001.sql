-- Questions: which block stands at a number, how often blocks are replaced, how base fees and the number of transactions went.
-- Blocks are looked up by number and counted by time, which rise together: the number leads.
CREATE TABLE ethereum_blocks
(
    number UInt64 COMMENT 'Number of the block' CODEC(Delta, ZSTD(3)),
    hash String COMMENT 'Its hash; of rows with one number the one that was observed last stands' CODEC(ZSTD(3)),
    at DateTime64(3, 'UTC') COMMENT 'When the block was made' CODEC(Delta, ZSTD(3)),
    transactions UInt32 COMMENT 'Transactions in it, of any kind and size',
    base_fee_gwei Nullable(Float64) COMMENT 'Base fee, gwei; null in blocks without one',
    large_transfers UInt32 COMMENT 'Transfers of 5 ether and more in it, those beyond the bound of its list included',
    replaces Bool COMMENT 'Whether another block with this number was seen before',
    provider LowCardinality(String) COMMENT 'Source of the row, as in _meta.sources',
    observed_at DateTime64(3, 'UTC') COMMENT 'When Tidewire saw it so' CODEC(Delta, ZSTD(3)),
    event_id String COMMENT 'Id of the log event behind the row' CODEC(ZSTD(3)),
    log_offset UInt64 COMMENT 'Offset of that event in the deltas topic' CODEC(Delta, ZSTD(3))
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(observed_at)
ORDER BY (number, observed_at)
COMMENT 'Blocks of Ethereum that were read: a row for each, and one more for a block that takes the place of another'
