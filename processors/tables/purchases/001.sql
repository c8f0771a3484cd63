-- Questions: how much was bought in a month, which purchases are not final yet, what a reorganisation of the chain took back,
-- how buyers prove what they pay. A row for every event of a purchase: the events of one payment lie together, so its state
-- is the last of them by sequence.
--
-- A payment is named by its transaction, because the books must be compared with the wallet, and everybody can look that up
-- on the chain. Left out on purpose: the payer's address (who wants it must look it up, knowingly, payment by payment), the
-- claimant and the hash of the memo (they tie a buyer to the secret that is shown to claim).
CREATE TABLE purchases
(
    chain_id UInt64 COMMENT 'Chain, by its EIP-155 id: 8453 is Base',
    transaction String COMMENT 'Hash of the transaction: 0x and 64 hex digits' CODEC(ZSTD(3)),
    position UInt32 COMMENT 'Position of the transfer within the receipt of its transaction, from 0',
    account String COMMENT 'Account: a random id' CODEC(ZSTD(3)),
    status LowCardinality(String) COMMENT 'credited; finalised: its block can no longer change; reversed: its block left the chain',
    at DateTime64(3, 'UTC') COMMENT 'When it was decided' CODEC(Delta, ZSTD(1)),
    units Nullable(UInt64) COMMENT 'USDC as really transferred, millionths (1,000,000 = 1 USD); null unless credited',
    credits Int64 COMMENT 'What it does to balance less shortfall, in credits (50 for 1 USD); negative where reversed, 0 where finalised',
    shortfall UInt64 COMMENT 'Of a reversal: the credits of it that had been spent already',
    evidence LowCardinality(String) COMMENT 'What showed which quote it pays: authorization, calldata, amount, signature, operator; empty unless credited',
    is_provisional Nullable(Bool) COMMENT 'Whether its block could still change when it was credited; null unless credited',
    block_hash String COMMENT 'Block that it stood in: 0x and 64 hex digits' CODEC(ZSTD(3)),
    block_number Nullable(UInt64) COMMENT 'Number of that block; null unless credited',
    block_at Nullable(DateTime64(3, 'UTC')) COMMENT 'Time of that block; null unless credited',
    sequence UInt64 COMMENT 'Position in the whole ledger, from 1' CODEC(Delta, ZSTD(1)),
    event_id String COMMENT 'Id of the log event behind the row' CODEC(ZSTD(3)),
    log_offset UInt64 COMMENT 'Offset of that event in the ledger topic' CODEC(Delta, ZSTD(3))
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(at)
ORDER BY (chain_id, transaction, position, sequence)
COMMENT 'What became of every transfer of USDC that was credited: a row when it is credited, final or reversed'
