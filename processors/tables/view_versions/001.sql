-- Question: how did the API answer at an instant. It names one part of one view, and needs the last whole version before the
-- instant and every patch from there to it: so part and view lead the key, and the known time follows. Versions of one view
-- repeat each other from row to row, which ZSTD finds within a block. Rows are large and few are read: granules are small.
CREATE TABLE view_versions
(
    part LowCardinality(String) COMMENT 'body: the data of the view; freshness: its age and its sources; change: no part of a view, but the last numbered change by then, as its cursor; settled: nothing that the processor in view knew before known_at changes any more',
    view LowCardinality(String) COMMENT 'Key of the view: path and parameters of its endpoint; of settled the processor, of change empty',
    known_at DateTime64(3, 'UTC') COMMENT 'From when on the API answered so: the time of the fold' CODEC(Delta, ZSTD(3)),
    form LowCardinality(String) COMMENT 'whole, patch (over the row before), or removed',
    hash String COMMENT 'Beginning of the hash of what a patch gives; empty for other forms' CODEC(ZSTD(3)),
    value String COMMENT 'The JSON text; of a patch the plan of its parts, a line break, and its own bytes as characters' CODEC(ZSTD(6)),
    event_id String COMMENT 'Id of the log event behind the row' CODEC(ZSTD(3)),
    log_offset UInt64 COMMENT 'Offset of that event in the versions topic' CODEC(Delta, ZSTD(3))
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(known_at)
ORDER BY (part, view, known_at, log_offset)
SETTINGS index_granularity = 512
COMMENT 'Every version of every view whose past can be asked for, one row for each part that changed'
