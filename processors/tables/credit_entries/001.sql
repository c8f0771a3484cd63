-- Questions: the revenue of each endpoint, how much is bought and never spent, refunds and their reasons, the statement of an
-- account. Most of them group by account or read a whole month: so the account leads the key, then the position in it, and
-- the month is the partition.
--
-- Pseudonymous. An account is a random id that appears in no request and no token. Left out on purpose: hashes of tokens,
-- memos and Idempotency-Keys (with such a secret its account could be found here), the payer and the claimant (see
-- purchases), and the names and texts of operators, which are personal data; `npm run ledger` shows those. The id of a debit
-- stays, as it links the end of a call to its beginning; it is random, or a hash for one call and day.
CREATE TABLE credit_entries
(
    account String COMMENT 'Account: a random id' CODEC(ZSTD(3)),
    account_sequence UInt64 COMMENT 'Position among the entries of the account, from 1; entries that move no credits have no row' CODEC(Delta, ZSTD(1)),
    sequence UInt64 COMMENT 'Position in the whole ledger, from 1' CODEC(Delta, ZSTD(1)),
    at DateTime64(3, 'UTC') COMMENT 'Time of the decision' CODEC(Delta, ZSTD(1)),
    type LowCardinality(String) COMMENT 'purchase.credited, purchase.reversed, credits.granted, credits.debited, debit.settled, credits.refunded',
    credits Int64 COMMENT 'Change of balance minus shortfall, in credits (1 credit = 0.02 USD); a debit is negative; 0 for a call that was settled and charged' CODEC(ZSTD(1)),
    debit String COMMENT 'Id of the debit that the entry begins or ends; empty for others' CODEC(ZSTD(3)),
    purpose LowCardinality(String) COMMENT 'Of a debit: the endpoint, or the service that reserved; empty for others',
    reason LowCardinality(String) COMMENT 'Why credits came back: empty_range, client_gone, internal_error, orphaned, released, operator; empty for others',
    event_id String COMMENT 'Id of the log event behind the row' CODEC(ZSTD(3)),
    log_offset UInt64 COMMENT 'Offset of that event in the ledger topic' CODEC(Delta, ZSTD(3)),
    INDEX times at TYPE minmax GRANULARITY 1
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(at)
ORDER BY (account, account_sequence)
COMMENT 'Every entry of the ledger that moves credits, or ends a debit, one row each; their sum is balance minus shortfall'
