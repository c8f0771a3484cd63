-- Questions: how much was bought in a month, which purchases are not final yet, what a reorganisation of the chain reversed,
-- how buyers prove their payments. A row for every event of a purchase: the events of one payment are adjacent, and the last
-- of them by log_offset is its state.
--
-- A payment is identified by its transaction, so that the books can be compared with the wallet; it is public on the chain.
-- Left out on purpose: the account, so that no query joins a wallet with the calls in credit_entries; the payer's address (it
-- can be looked up on the chain, one payment at a time); the claimant and the hash of the memo (they link a buyer to the
-- secret with which the purchase is claimed).
CREATE TABLE purchases
(
    chain_id UInt64 COMMENT 'Chain, by its EIP-155 id: 8453 is Base',
    transaction String COMMENT 'Hash of the transaction: 0x and 64 hex digits' CODEC(ZSTD(3)),
    position UInt32 COMMENT 'Rank of the transfer among those of its transaction to the wallet that are not zero, from 0',
    status LowCardinality(String) COMMENT 'credited; finalised: its block can no longer change; reversed: its block left the chain',
    at DateTime64(3, 'UTC') COMMENT 'Time of the decision' CODEC(Delta, ZSTD(1)),
    units Nullable(UInt64) COMMENT 'USDC actually transferred, millionths (1,000,000 = 1 USD); null unless credited',
    credits Int64 COMMENT 'Change of balance minus shortfall, in credits (50 for 1 USD); negative if reversed, 0 if finalised',
    shortfall UInt64 COMMENT 'Of a reversal: the credits that had been spent already',
    evidence LowCardinality(String) COMMENT 'Evidence of the quote that it pays: authorization, calldata, amount, signature, operator; empty unless credited',
    is_provisional Nullable(Bool) COMMENT 'Whether its block could still change when it was credited; null unless credited',
    block_hash String COMMENT 'Its block: 0x and 64 hex digits' CODEC(ZSTD(3)),
    block_number Nullable(UInt64) COMMENT 'Number of that block; null unless credited',
    block_at Nullable(DateTime64(3, 'UTC')) COMMENT 'Time of that block; null unless credited',
    event_id String COMMENT 'Id of the log event behind the row' CODEC(ZSTD(3)),
    log_offset UInt64 COMMENT 'Offset of that event in the ledger topic' CODEC(Delta, ZSTD(3))
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(at)
ORDER BY (chain_id, transaction, position, log_offset)
COMMENT 'The events of every transfer of USDC that was credited: a row when it is credited, final or reversed'
