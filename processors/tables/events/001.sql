-- The archive. Its main reader is a rebuild, which reads one topic in the order of its offsets: so these are the key, and the
-- check for missing or duplicated rows reads the key alone. Analysts query types in a period: time follows the offset so
-- closely that the minmax index and the month's partition leave few granules, and the set index on type fewer still. For
-- queries of one subject the bloom filter skips granules. Data is JSON that repeats from poll to poll and is read rarely:
-- ZSTD at a level that is slow to write.
CREATE TABLE events
(
    topic LowCardinality(String) COMMENT 'Topic of the log',
    log_offset UInt64 COMMENT 'Offset in that topic; increasing, not dense' CODEC(Delta, ZSTD(1)),
    key String COMMENT 'Key of the record in the log' CODEC(ZSTD(3)),
    event_id String COMMENT 'CloudEvents id' CODEC(ZSTD(3)),
    type LowCardinality(String) COMMENT 'CloudEvents type, such as feed.observed; empty for a record that is no event',
    v UInt16 COMMENT 'Version of the schema of the type that the data was written with',
    source LowCardinality(String) COMMENT 'CloudEvents source: the part of Tidewire that emitted the event',
    subject String COMMENT 'CloudEvents subject: the feed, view or account that the event concerns' CODEC(ZSTD(3)),
    time DateTime64(3, 'UTC') COMMENT 'CloudEvents time: when it happened' CODEC(Delta, ZSTD(1)),
    stored_at DateTime64(3, 'UTC') DEFAULT now64(3) COMMENT 'When the row was written here' CODEC(Delta, ZSTD(1)),
    sequence String MATERIALIZED JSONExtractString(rest, 'sequence') COMMENT 'Number of a change, as its cursor; empty for other events' CODEC(ZSTD(3)),
    rest String COMMENT 'Other members of the envelope, as JSON text; empty where there are none' CODEC(ZSTD(3)),
    data String COMMENT 'The data, as JSON text; the whole record for one that is no event' CODEC(ZSTD(6)),
    INDEX time_range time TYPE minmax GRANULARITY 1,
    INDEX sequences sequence TYPE minmax GRANULARITY 1,
    INDEX types type TYPE set(32) GRANULARITY 1,
    INDEX subjects subject TYPE bloom_filter(0.01) GRANULARITY 1
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(time)
ORDER BY (topic, log_offset)
COMMENT 'Every event of every topic but the ledger, whole, one row each; never dropped'
