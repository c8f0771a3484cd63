-- Questions: what gas cost in a period, when it was cheap. One network and one row a minute: time alone is the order.
CREATE TABLE ethereum_gas
(
    observed_at DateTime64(3, 'UTC') COMMENT 'When Tidewire saw it so' CODEC(Delta, ZSTD(3)),
    block_number UInt64 COMMENT 'Newest block that the fees were read of' CODEC(Delta, ZSTD(3)),
    base_fee_gwei Float64 COMMENT 'Base fee of the next block, gwei' CODEC(Gorilla, ZSTD(1)),
    low_gwei Float64 COMMENT 'With the tip that a quarter of the newest block undercut, gwei' CODEC(Gorilla, ZSTD(1)),
    standard_gwei Float64 COMMENT 'With the median tip, gwei' CODEC(Gorilla, ZSTD(1)),
    fast_gwei Float64 COMMENT 'With the tip that a quarter exceeded, gwei' CODEC(Gorilla, ZSTD(1)),
    provider LowCardinality(String) COMMENT 'Source of the row, as in _meta.sources',
    event_id String COMMENT 'Id of the log event behind the row' CODEC(ZSTD(3)),
    log_offset UInt64 COMMENT 'Offset of that event in the deltas topic' CODEC(Delta, ZSTD(3))
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(observed_at)
ORDER BY observed_at
COMMENT 'The price of gas on Ethereum: a row whenever it differs from the one seen before it'
