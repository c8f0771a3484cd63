-- Questions: how much went into an exchange and out of it in an hour or a day, which transfers made up a large flow. Every query
-- names exchanges and a time range. Rows of a block that was replaced stay, as in large_transfers.
CREATE TABLE exchange_flows
(
    exchange LowCardinality(String) COMMENT 'Exchange, as third parties attribute its address',
    at DateTime64(3, 'UTC') COMMENT 'When the block was made' CODEC(Delta, ZSTD(3)),
    hash String COMMENT 'Hash of the transaction; one between two exchanges has a row for each' CODEC(ZSTD(3)),
    direction LowCardinality(String) COMMENT 'inflow: to the exchange; outflow: from it',
    amount_eth Float64 COMMENT 'Native ether, ETH, from 5',
    counterparty LowCardinality(String) COMMENT 'Exchange on the other side; empty where its address has no label',
    sender String COMMENT 'Address that sent it' CODEC(ZSTD(3)),
    receiver String COMMENT 'Address that got it; empty where a contract is created' CODEC(ZSTD(3)),
    block_number UInt64 COMMENT 'Number of its block' CODEC(Delta, ZSTD(3)),
    block_hash String COMMENT 'Hash of its block' CODEC(ZSTD(3)),
    observed_at DateTime64(3, 'UTC') COMMENT 'When Tidewire saw it' CODEC(Delta, ZSTD(3)),
    event_id String COMMENT 'Id of the log event behind the row' CODEC(ZSTD(3)),
    log_offset UInt64 COMMENT 'Offset of that event in the deltas topic' CODEC(Delta, ZSTD(3))
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(observed_at)
ORDER BY (exchange, at, hash)
COMMENT 'Transfers of ether into exchanges and out of them, by the labels in force when the row was made'
