-- The same view with percent in place of shares, as in every table.
CREATE OR REPLACE VIEW feed_reliability_daily
(
    feed LowCardinality(String) COMMENT 'Feed that was judged',
    instance LowCardinality(String) COMMENT 'Feed id as the API has it: feed, or feed?name=value for an instance',
    date Date COMMENT 'Day, UTC',
    provider LowCardinality(String) COMMENT 'First choice at the last check of the day, as Provider.metric',
    checks UInt32 COMMENT 'Verdicts of the day, one each five minutes; fewer than 288 if Tidewire itself was down',
    ok UInt32 COMMENT 'Verdicts ok: within its promise',
    stale UInt32 COMMENT 'Verdicts stale: a good value exists, older',
    dark UInt32 COMMENT 'Verdicts dark: none, or older than 24 hours',
    composite UInt8 COMMENT 'Score, 0 to 100: 100 x (ok + half of stale) / checks, rounded',
    uptime_percent Float64 COMMENT 'ok / checks, percent, 2 decimals',
    availability_percent Float64 COMMENT '(ok + stale) / checks, percent, 2 decimals',
    stale_percent Float64 COMMENT 'stale / checks, percent, 2 decimals',
    dark_percent Float64 COMMENT 'dark / checks, percent, 2 decimals',
    age_max_ms Nullable(UInt64) COMMENT 'Greatest age of the last good observation at a check, milliseconds; null when there had never been one'
)
AS SELECT
    feed,
    instance,
    toDate(probed_at) AS date,
    argMax(provider, probed_at) AS provider,
    count() AS checks,
    countIf(verdict = 'ok') AS ok,
    countIf(verdict = 'stale') AS stale,
    countIf(verdict = 'dark') AS dark,
    intDiv(200 * ok + 100 * stale + checks, 2 * checks) AS composite,
    intDiv(20000 * ok + checks, 2 * checks) / 100 AS uptime_percent,
    intDiv(20000 * (ok + stale) + checks, 2 * checks) / 100 AS availability_percent,
    intDiv(20000 * stale + checks, 2 * checks) / 100 AS stale_percent,
    intDiv(20000 * dark + checks, 2 * checks) / 100 AS dark_percent,
    max(age_ms) AS age_max_ms
FROM feed_probes
GROUP BY feed, instance, date
COMMENT 'How reliable each feed was on each day, one row each; computed from feed_probes by each query'
