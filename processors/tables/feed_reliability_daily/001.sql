-- Questions: how good was a feed day by day over a year, which feeds got worse in a month. A view, not a copy: a day of a
-- feed is 288 rows of `feed_probes`, which are kept for ever, so a year of one feed is 105,000 adjacent rows, read in some
-- 30 ms. Feed, instance and day are pushed down to that table's key and partitions. A copy would have to merge rows (which
-- could no longer be counted against the log, the way in which losses are detected), would lack the current day, and could
-- differ from the probes. The view is exact whenever they are, also during a rebuild. Integers until the last step, so that
-- halves are rounded up as in the API.
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
    uptime Float64 COMMENT 'ok / checks, 4 decimals',
    availability Float64 COMMENT '(ok + stale) / checks, 4 decimals',
    staleness_rate Float64 COMMENT 'stale / checks, 4 decimals',
    dark_rate Float64 COMMENT 'dark / checks, 4 decimals',
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
    intDiv(20000 * ok + checks, 2 * checks) / 10000 AS uptime,
    intDiv(20000 * (ok + stale) + checks, 2 * checks) / 10000 AS availability,
    intDiv(20000 * stale + checks, 2 * checks) / 10000 AS staleness_rate,
    intDiv(20000 * dark + checks, 2 * checks) / 10000 AS dark_rate,
    max(age_ms) AS age_max_ms
FROM feed_probes
GROUP BY feed, instance, date
COMMENT 'How reliable each feed was on each day, one row each; computed from feed_probes by each query'
