-- Question: what changed of the items of one feed in a period of event time, newest or oldest first, page by page. So feed and
-- time lead the key, and the number of the change makes the order total: a page is read in the order of the key and ends
-- where it is full. Items of one feed repeat each other from row to row, which ZSTD finds; pages are small, and so are granules.
CREATE TABLE item_changes
(
    feed LowCardinality(String) COMMENT 'Name of the feed',
    event_time DateTime64(3, 'UTC') COMMENT 'When it happened (happened_at); known_at where the source says no time' CODEC(Delta, ZSTD(3)),
    log LowCardinality(String) COMMENT 'Name of the log that numbered the change: the part of its cursor before the dot',
    ordinal UInt64 COMMENT 'Number of the change in that log: the part of its cursor behind the dot' CODEC(Delta, ZSTD(3)),
    instance LowCardinality(String) COMMENT 'The instance of the feed that it was observed in: the feed, and its parameters as a query',
    type LowCardinality(String) COMMENT 'appeared, changed or gone',
    key String COMMENT 'Identity of the item within its feed' CODEC(ZSTD(3)),
    provider LowCardinality(String) COMMENT 'Source of the item, as in _meta.sources',
    happened_at Nullable(DateTime64(3, 'UTC')) COMMENT 'When what the item reports happened, by its source; null where it says no time' CODEC(ZSTD(3)),
    known_at DateTime64(3, 'UTC') COMMENT 'When the change was observed' CODEC(Delta, ZSTD(3)),
    item String COMMENT 'The item in the canonical form of its feed, as JSON text; the last one known where it is gone' CODEC(ZSTD(3)),
    before String COMMENT 'Of a changed item, as JSON text: the earlier values of the members that differ; empty for other types' CODEC(ZSTD(3)),
    added Array(String) COMMENT 'Of a changed item: the members that it did not have before' CODEC(ZSTD(3)),
    simulated Bool COMMENT 'Whether a simulated world gave it, and no real source' CODEC(ZSTD(3)),
    event_id String COMMENT 'Id of the log event behind the row' CODEC(ZSTD(3)),
    log_offset UInt64 COMMENT 'Offset of that event in the deltas topic' CODEC(Delta, ZSTD(3))
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(known_at)
ORDER BY (feed, event_time, log, ordinal)
SETTINGS index_granularity = 1024
COMMENT 'Every numbered change of an item of every feed, one row each, in the order of event time'
