-- Questions: the largest transfers of a day, what an address sent or got, how much was moved in an hour. Every query names a
-- chain and a time range. Transfers of a block that was replaced stay: those that stand are of the block that
-- ethereum_blocks names last for their number (see the queries of the history).
CREATE TABLE large_transfers
(
    chain LowCardinality(String) COMMENT 'bitcoin or ethereum',
    at DateTime64(3, 'UTC') COMMENT 'ethereum: when the block was made; bitcoin: when the transaction was first seen' CODEC(Delta, ZSTD(3)),
    hash String COMMENT 'Hash of the transaction; on bitcoin its txid' CODEC(ZSTD(3)),
    amount Float64 COMMENT 'bitcoin: BTC, sum of the outputs with the change, from 10; ethereum: ETH, native, from 5',
    sender String COMMENT 'Address that sent it; empty on bitcoin' CODEC(ZSTD(3)),
    receiver String COMMENT 'Address that got it; empty on bitcoin, and where a contract is created' CODEC(ZSTD(3)),
    fee_sat Nullable(UInt64) COMMENT 'Fee, satoshi; null on ethereum',
    vsize_vb Nullable(Float64) COMMENT 'Size, virtual bytes; null on ethereum',
    block_number Nullable(UInt64) COMMENT 'Number of its block; null on bitcoin, where it was seen before a block held it',
    block_hash String COMMENT 'Hash of its block; empty on bitcoin' CODEC(ZSTD(3)),
    provider LowCardinality(String) COMMENT 'Source of the row, as in _meta.sources',
    observed_at DateTime64(3, 'UTC') COMMENT 'When Tidewire saw it' CODEC(Delta, ZSTD(3)),
    event_id String COMMENT 'Id of the log event behind the row' CODEC(ZSTD(3)),
    log_offset UInt64 COMMENT 'Offset of that event in the deltas topic' CODEC(Delta, ZSTD(3))
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(observed_at)
ORDER BY (chain, at, hash)
COMMENT 'Large transfers of ether in blocks, and a sample of those of bitcoin that wait for one'
