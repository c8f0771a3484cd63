-- Questions: how much was bought in a month, how many purchases are not final yet. The rows of a purchase are events, and only the
-- one that credited it says how much was paid: so this view is no latest row, but made of all of them. Amounts are exact: a sum of
-- fractions would not be the amount on the chain.
CREATE OR REPLACE VIEW purchases_now
(
    chain_id UInt64 COMMENT 'Chain, by its EIP-155 id: 8453 is Base',
    transaction String COMMENT 'Hash of the transaction: 0x and 64 hex digits',
    position UInt32 COMMENT 'Rank of the transfer among those of its transaction to the wallet that are not zero, from 0',
    status LowCardinality(String) COMMENT 'credited: its block may still change; finalised: it can no longer',
    credited_at DateTime64(3, 'UTC') COMMENT 'When it was credited; where its block left the chain, the last time',
    usdc Decimal(38, 6) COMMENT 'USDC that was transferred (1 USDC = 1 USD)',
    credits Int64 COMMENT 'Credits that were bought (50 for 1 USD)',
    evidence LowCardinality(String) COMMENT 'Evidence of the quote that it pays: authorization, calldata, amount, signature, operator',
    block_hash String COMMENT 'Its block: 0x and 64 hex digits',
    block_number UInt64 COMMENT 'Number of that block',
    block_at DateTime64(3, 'UTC') COMMENT 'Time of that block'
)
AS SELECT
    chain_id,
    transaction,
    position,
    argMax(status, log_offset) AS status,
    argMaxIf(at, log_offset, purchases.status = 'credited') AS credited_at,
    toDecimal128(argMaxIf(units, log_offset, purchases.status = 'credited'), 6) / 1000000 AS usdc,
    argMaxIf(purchases.credits, log_offset, purchases.status = 'credited') AS credits,
    argMaxIf(purchases.evidence, log_offset, purchases.status = 'credited') AS evidence,
    argMaxIf(purchases.block_hash, log_offset, purchases.status = 'credited') AS block_hash,
    argMaxIf(purchases.block_number, log_offset, purchases.status = 'credited') AS block_number,
    argMaxIf(purchases.block_at, log_offset, purchases.status = 'credited') AS block_at
FROM purchases
GROUP BY chain_id, transaction, position
HAVING argMax(purchases.status, log_offset) != 'reversed'
COMMENT 'Every purchase that stands, one row each, without those that were reversed; computed from purchases by each query'
