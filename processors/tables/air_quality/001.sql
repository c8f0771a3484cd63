-- Questions: the course of the air at a requested place, its worst hours of a month.
-- The place leads the key, as nearly every query names one; time orders within it.
-- Contains only places that callers requested, and rows only for the times during which they did.
CREATE TABLE air_quality
(
    asked_latitude Float64 COMMENT 'Requested latitude, degrees north, two decimals' CODEC(ZSTD(3)),
    asked_longitude Float64 COMMENT 'Requested longitude, degrees east, two decimals' CODEC(ZSTD(3)),
    at DateTime64(3, 'UTC') COMMENT 'When the values held' CODEC(Delta, ZSTD(3)),
    latitude Float64 COMMENT 'Latitude of the grid cell, degrees north' CODEC(ZSTD(3)),
    longitude Float64 COMMENT 'Longitude of the grid cell, degrees east' CODEC(ZSTD(3)),
    us_aqi Nullable(UInt16) COMMENT 'US Air Quality Index',
    european_aqi Nullable(UInt16) COMMENT 'European Air Quality Index',
    pm2_5_ug_m3 Nullable(Float64) COMMENT 'Particles up to 2.5 micrometres, micrograms in a cubic metre' CODEC(Gorilla, ZSTD(3)),
    pm10_ug_m3 Nullable(Float64) COMMENT 'Particles up to 10 micrometres, micrograms in a cubic metre' CODEC(Gorilla, ZSTD(3)),
    ozone_ug_m3 Nullable(Float64) COMMENT 'Ozone, micrograms in a cubic metre' CODEC(Gorilla, ZSTD(3)),
    nitrogen_dioxide_ug_m3 Nullable(Float64) COMMENT 'Nitrogen dioxide, micrograms in a cubic metre' CODEC(Gorilla, ZSTD(3)),
    sulphur_dioxide_ug_m3 Nullable(Float64) COMMENT 'Sulphur dioxide, micrograms in a cubic metre' CODEC(Gorilla, ZSTD(3)),
    carbon_monoxide_ug_m3 Nullable(Float64) COMMENT 'Carbon monoxide, micrograms in a cubic metre' CODEC(Gorilla, ZSTD(3)),
    observed_at DateTime64(3, 'UTC') COMMENT 'When Tidewire saw these values' CODEC(Delta, ZSTD(3)),
    event_id String COMMENT 'Id of the log event behind the row' CODEC(ZSTD(3)),
    log_offset UInt64 COMMENT 'Offset of that event in the deltas topic' CODEC(Delta, ZSTD(3))
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(at)
ORDER BY (asked_latitude, asked_longitude, at)
COMMENT 'Air quality of requested places by a model: a row when it changed'
