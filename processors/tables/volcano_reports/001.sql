-- Questions: in which weeks a volcano was reported on and in which category, what was new in a week, which country erupts most.
-- A volcano's history is read whole, so its number leads and the week follows; the month of observation cuts what a range of
-- dates has to read.
CREATE TABLE volcano_reports
(
    volcano_number Nullable(UInt32) COMMENT 'Number of the volcano in the catalogue of the Global Volcanism Program, six digits; null where the report names none',
    name String COMMENT 'Name of the volcano' CODEC(ZSTD(3)),
    country LowCardinality(String) COMMENT 'Country, or an area such as Undersea Features; empty where none is given',
    category LowCardinality(String) COMMENT 'In the words of the source, such as New Eruptive Activity; empty where none is given',
    period String COMMENT 'Week of the report, in the words of the source' CODEC(ZSTD(3)),
    period_start Nullable(Date) COMMENT 'First day of the week; null where its words are not read',
    period_end Nullable(Date) COMMENT 'Last day of the week; null where its words are not read',
    report String COMMENT 'Text of the report without its sources, at most 4,000 characters' CODEC(ZSTD(6)),
    url String COMMENT 'Address of the report' CODEC(ZSTD(3)),
    latitude Nullable(Float64) COMMENT 'Degrees north',
    longitude Nullable(Float64) COMMENT 'Degrees east',
    published_at DateTime64(3, 'UTC') COMMENT 'When the issue was published' CODEC(Delta, ZSTD(3)),
    observed_at DateTime64(3, 'UTC') COMMENT 'When Tidewire saw it so' CODEC(Delta, ZSTD(3)),
    event_id String COMMENT 'Id of the log event behind the row' CODEC(ZSTD(3)),
    log_offset UInt64 COMMENT 'Offset of that event in the deltas topic' CODEC(Delta, ZSTD(3))
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(observed_at)
ORDER BY (volcano_number, period_start, observed_at)
SETTINGS allow_nullable_key = 1
COMMENT 'Weekly reports on volcanic activity: a row when one is published, and when its category or its text changes'
