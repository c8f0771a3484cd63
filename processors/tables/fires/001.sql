-- Questions: fires of a period and region or state, radiative power by day, what burned at a place.
-- Almost every query names a time range, so time leads the key; position then orders the pixels of one pass, which
-- makes neighbours compress well. Only the strongest detections of each satellite are kept, and totals count only those.
-- A detection that stronger ones displaced and that returned has a row for each time.
CREATE TABLE fires
(
    acquired_at DateTime64(3, 'UTC') COMMENT 'When the satellite saw the hot pixel' CODEC(Delta, ZSTD(3)),
    latitude Float64 COMMENT 'Centre of the pixel, degrees north' CODEC(ZSTD(3)),
    longitude Float64 COMMENT 'Centre of the pixel, degrees east' CODEC(ZSTD(3)),
    us_state LowCardinality(String) COMMENT 'Approximate US state, district or territory, two letters, by outlines at 1:10,000,000; empty outside',
    satellite LowCardinality(String) COMMENT 'NOAA-20, NOAA-21, Suomi NPP, Terra or Aqua',
    instrument LowCardinality(String) COMMENT 'VIIRS or MODIS, empty where unknown',
    radiative_power_mw Nullable(Float64) COMMENT 'Fire radiative power, megawatts; null where not computed',
    confidence LowCardinality(String) COMMENT 'low, nominal or high, empty where none is given',
    confidence_percent Nullable(Float64) COMMENT 'Confidence of MODIS detections, percent',
    brightness_k Nullable(Float64) COMMENT 'Brightness temperature of the fire channel, kelvin; VIIRS saturates at 367',
    daytime Nullable(Bool) COMMENT 'Whether the pass was by day',
    version LowCardinality(String) COMMENT 'Collection and kind of processing, such as 2.0NRT',
    observed_at DateTime64(3, 'UTC') COMMENT 'When Tidewire saw this version of the detection' CODEC(Delta, ZSTD(3)),
    event_id String COMMENT 'Id of the log event behind the row' CODEC(ZSTD(3)),
    log_offset UInt64 COMMENT 'Offset of that event in the deltas topic' CODEC(Delta, ZSTD(3))
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(acquired_at)
ORDER BY (acquired_at, latitude, longitude, satellite)
COMMENT 'Hot pixels in North America, the strongest of each satellite: a row when one was first seen or revised'
