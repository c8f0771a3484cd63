-- Questions: the revenue of each endpoint, calls that were free of charge, refunds and their reasons, what one account calls.
-- Most of them group by account or read a whole month: so the account leads the key, and the month is the partition.
--
-- Pseudonymous. An account is a hash of its random id, which stands in no request, no token and nowhere else in the history.
-- Purchases are in a table of their own (purchases), which names no account: no query joins a wallet with a call. Left out on
-- purpose: purchases and grants, and the places in the account and in the whole ledger (their gaps, and the times of transfers
-- on the chain, would show who was credited when); hashes of tokens, memos and Idempotency-Keys (with such a secret its account
-- could be found here); names and texts of operators, which are personal data. `npm run ledger` shows those. The id of a debit
-- stays, as it links the end of a call to its beginning; it is random, or a hash for one call and day.
CREATE TABLE credit_entries
(
    account String COMMENT 'Pseudonym of the account: the first 32 hex digits of the SHA-256 of its random id' CODEC(ZSTD(3)),
    at DateTime64(3, 'UTC') COMMENT 'Time of the decision' CODEC(Delta, ZSTD(1)),
    type LowCardinality(String) COMMENT 'credits.debited, debit.settled, credits.refunded',
    credits Int64 COMMENT 'Change of the balance, in credits (1 credit = 0.02 USD); a debit is negative; 0 for a call that was settled and charged' CODEC(ZSTD(1)),
    debit String COMMENT 'Id of the debit that the entry begins or ends' CODEC(ZSTD(3)),
    purpose LowCardinality(String) COMMENT 'Of a debit: the endpoint, or the service that reserved; empty for others',
    reason LowCardinality(String) COMMENT 'Why credits came back: empty_range, client_gone, internal_error, orphaned, released, operator; empty for others',
    event_id String COMMENT 'Id of the log event behind the row' CODEC(ZSTD(3)),
    log_offset UInt64 COMMENT 'Offset of that event in the ledger topic' CODEC(Delta, ZSTD(3)),
    INDEX times at TYPE minmax GRANULARITY 1
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(at)
ORDER BY (account, log_offset)
COMMENT 'Every entry of the ledger that begins or ends a premium call, one row each; the sum of a debit is what the call cost, negative'
