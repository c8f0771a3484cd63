-- Questions: the course of a series over years, what a revision changed, two series beside each other.
-- A series is read whole or over a range of dates, so it leads; ten numbers a day at the most: years are partitions enough.
CREATE TABLE economic_series
(
    series LowCardinality(String) COMMENT 'Id of the series at FRED, such as DGS10',
    date Date COMMENT 'First day of the period that the number is of' CODEC(Delta, ZSTD(3)),
    value Float64 COMMENT 'The number, in unit' CODEC(Gorilla, ZSTD(1)),
    unit LowCardinality(String) COMMENT 'Unit of the number: percent, an index and its base, or a price',
    provider LowCardinality(String) COMMENT 'Source of the number, as in _meta.sources',
    observed_at DateTime64(3, 'UTC') COMMENT 'When Tidewire saw the number; the latest of a series and date counts, earlier ones are what was published before' CODEC(Delta, ZSTD(3)),
    event_id String COMMENT 'Id of the log event behind the row' CODEC(ZSTD(3)),
    log_offset UInt64 COMMENT 'Offset of that event in the deltas topic' CODEC(Delta, ZSTD(3))
)
ENGINE = MergeTree
PARTITION BY toYear(date)
ORDER BY (series, date, observed_at)
COMMENT 'Economic series of the United States (FRED): a row for each number and each revision of it'
