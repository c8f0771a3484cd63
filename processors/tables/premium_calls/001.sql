-- Questions: premium calls and credits a day by endpoint, how many calls were free of charge and why. The entries of a call have
-- different times, and only the first names the endpoint: a sum of entries by day and endpoint would be wrong.
CREATE OR REPLACE VIEW premium_calls
(
    at DateTime64(3, 'UTC') COMMENT 'When the call began',
    endpoint LowCardinality(String) COMMENT 'Path of the endpoint, or the service that reserved',
    account String COMMENT 'Pseudonym of the account: the first 32 hex digits of the SHA-256 of its random id',
    debit String COMMENT 'Id of the debit of the call',
    credits Int64 COMMENT 'What the call cost in the end, in credits (1 credit = 0.02 USD); 0 if it was free of charge',
    outcome LowCardinality(String) COMMENT 'charged; free: the credits came back; open: neither yet',
    reason LowCardinality(String) COMMENT 'Why credits came back: empty_range, client_gone, internal_error, orphaned, released, operator; empty if none did'
)
AS SELECT
    minIf(credit_entries.at, type = 'credits.debited') AS at,
    anyIf(purpose, type = 'credits.debited') AS endpoint,
    account,
    debit,
    -sum(credit_entries.credits) AS credits,
    multiIf(-sum(credit_entries.credits) = 0, 'free', countIf(type = 'debit.settled') > 0, 'charged', 'open') AS outcome,
    argMax(credit_entries.reason, log_offset) AS reason
FROM credit_entries
GROUP BY account, debit
COMMENT 'Every premium call, one row each; computed from credit_entries by each query'
