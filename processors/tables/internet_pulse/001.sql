-- Questions: latency to a target over a period, its quantiles by hour, when a target could not be reached.
-- Nearly every query names one of the six targets or groups by target: it leads the key, and its times compress well.
CREATE TABLE internet_pulse
(
    target LowCardinality(String) COMMENT 'Name of the place: US East, US West, Europe, Asia, CDN or Search',
    host LowCardinality(String) COMMENT 'Host that was probed',
    latency_ms Nullable(UInt16) COMMENT 'Round trip on a fresh connection, milliseconds; null when it did not answer' CODEC(T64, ZSTD(3)),
    observed_at DateTime64(3, 'UTC') COMMENT 'When the probe began; a probe with the same latency as the one before adds no row' CODEC(Delta, ZSTD(3)),
    event_id String COMMENT 'Id of the log event behind the row' CODEC(ZSTD(3)),
    log_offset UInt64 COMMENT 'Offset of that event in the deltas topic' CODEC(Delta, ZSTD(3))
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(observed_at)
ORDER BY (target, observed_at)
COMMENT 'Latency from Tidewire to six places of the internet: a row for each target whenever it changed'
