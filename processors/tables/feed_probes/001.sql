-- Questions: how reliable was a feed in a period, when was it dark and for how long, which feeds were worst in a month.
-- Almost every query names one feed, or groups by feed, over a time range: so the feed leads the key, and time follows.
-- Twelve rows an hour for each feed: a month of sixty feeds is half a million rows, one partition.
CREATE TABLE feed_probes
(
    feed LowCardinality(String) COMMENT 'Feed that was judged',
    instance LowCardinality(String) COMMENT 'Feed with its parameters, as feed?name=value; equal to feed where it has none',
    provider LowCardinality(String) COMMENT 'Source that last filled it, as Provider.metric',
    probed_at DateTime64(3, 'UTC') COMMENT 'The five-minute boundary of event time that the verdict is for' CODEC(DoubleDelta, ZSTD(1)),
    verdict LowCardinality(String) COMMENT 'ok: within its promise; stale: a good value exists, older; dark: none, or older than 24 hours',
    age_ms Nullable(UInt64) COMMENT 'Age of the last good observation, milliseconds; null when there has never been one' CODEC(T64, ZSTD(1)),
    event_id String COMMENT 'Id of the log event behind the row' CODEC(ZSTD(3)),
    log_offset UInt64 COMMENT 'Offset of that event in the deltas topic' CODEC(Delta, ZSTD(3))
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(probed_at)
ORDER BY (feed, instance, probed_at)
COMMENT 'The verdict on every feed at every five-minute boundary, one row each; none while Tidewire itself was down'
