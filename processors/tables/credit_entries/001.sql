-- Questions: which endpoints earn what, how much is bought and never spent, what was given back and why, the statement of an
-- account. Most of them group by account or take all of a month: so accounts lead the key, in their own order, and the month
-- is the partition.
--
-- Pseudonymous. An account is a random id that stands in no request and no token. Left out on purpose: hashes of tokens,
-- memos and Idempotency-Keys (whoever knows such a secret could find its holder here), the payer and the claimant (purchases
-- says why), and what operators wrote, names and free text: people stand in there. The ledger's own tools show those. The id
-- of a debit stays: it alone ties the end of a call to its beginning, and it is random, or a hash for one call and day.
CREATE TABLE credit_entries
(
    account String COMMENT 'Account: a random id' CODEC(ZSTD(3)),
    account_sequence UInt64 COMMENT 'Position among the entries of the account, from 1; entries that move no credits have no row' CODEC(Delta, ZSTD(1)),
    sequence UInt64 COMMENT 'Position in the whole ledger, from 1' CODEC(Delta, ZSTD(1)),
    at DateTime64(3, 'UTC') COMMENT 'When it was decided' CODEC(Delta, ZSTD(1)),
    type LowCardinality(String) COMMENT 'purchase.credited, purchase.reversed, credits.granted, credits.debited, debit.settled, credits.refunded',
    credits Int64 COMMENT 'What it does to balance less shortfall, in credits (1 credit = 0.02 USD); a debit is negative; 0 where a call was settled and charged' CODEC(ZSTD(1)),
    debit String COMMENT 'Id of the debit that it begins or ends; empty for others' CODEC(ZSTD(3)),
    purpose LowCardinality(String) COMMENT 'Of a debit: the endpoint, or the service that reserved; empty for others',
    reason LowCardinality(String) COMMENT 'Why credits came back: empty_range, client_gone, internal_error, orphaned, released, operator; empty for others',
    event_id String COMMENT 'Id of the log event behind the row' CODEC(ZSTD(3)),
    log_offset UInt64 COMMENT 'Offset of that event in the ledger topic' CODEC(Delta, ZSTD(3)),
    INDEX times at TYPE minmax GRANULARITY 1
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(at)
ORDER BY (account, account_sequence)
COMMENT 'Every entry of the ledger that moves credits, or ends a debit, one row each; their sum is balance less shortfall'
