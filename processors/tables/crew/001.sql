-- Questions: who was in space at a time, when a person arrived and left, how many were aboard a station.
-- A person's changes are read together, so the name leads and time orders within it. A few hundred rows a year: one
-- partition for each year keeps parts few.
CREATE TABLE crew
(
    name String COMMENT 'Name of the person' CODEC(ZSTD(3)),
    craft LowCardinality(String) COMMENT 'Station or ship aboard, empty where unknown',
    change LowCardinality(String) COMMENT 'appeared (on the list), changed (the craft) or gone (from the list)',
    observed_at DateTime64(3, 'UTC') COMMENT 'When Tidewire saw the change; the list lags behind launches and landings' CODEC(Delta, ZSTD(3)),
    event_id String COMMENT 'Id of the log event behind the row' CODEC(ZSTD(3)),
    log_offset UInt64 COMMENT 'Offset of that event in the deltas topic' CODEC(Delta, ZSTD(3))
)
ENGINE = MergeTree
PARTITION BY toYear(observed_at)
ORDER BY (name, observed_at)
COMMENT 'Arrivals on and departures from the list of people in space, one row each'
