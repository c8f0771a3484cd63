-- Questions: the course of the index over months, days below or above a level, its classes beside prices.
-- One row a day, and one for each correction: the day is the key, and yearly partitions suffice.
CREATE TABLE fear_greed
(
    day Date COMMENT 'Day (UTC) that the value is for' CODEC(Delta, ZSTD(3)),
    value UInt8 COMMENT '0 (extreme fear) to 100 (extreme greed)',
    label LowCardinality(String) COMMENT 'Class by the publisher: Extreme Fear, Fear, Neutral, Greed or Extreme Greed',
    observed_at DateTime64(3, 'UTC') COMMENT 'When Tidewire saw the value; the latest of a day counts' CODEC(Delta, ZSTD(3)),
    event_id String COMMENT 'Id of the log event behind the row' CODEC(ZSTD(3)),
    log_offset UInt64 COMMENT 'Offset of that event in the deltas topic' CODEC(Delta, ZSTD(3))
)
ENGINE = MergeTree
PARTITION BY toYear(day)
ORDER BY (day, observed_at)
COMMENT 'Crypto Fear & Greed Index, a row for each day and each correction'
