-- Questions: the course of the weather at a requested place, its extremes of a month.
-- The place leads the key, as nearly every query names one; time orders within it.
-- Contains only places that callers requested, and rows only for the times during which they did.
CREATE TABLE weather_observations
(
    asked_latitude Float64 COMMENT 'Requested latitude, degrees north, two decimals' CODEC(ZSTD(3)),
    asked_longitude Float64 COMMENT 'Requested longitude, degrees east, two decimals' CODEC(ZSTD(3)),
    at DateTime64(3, 'UTC') COMMENT 'When the conditions held' CODEC(Delta, ZSTD(3)),
    latitude Float64 COMMENT 'Latitude of the grid cell, degrees north' CODEC(ZSTD(3)),
    longitude Float64 COMMENT 'Longitude of the grid cell, degrees east' CODEC(ZSTD(3)),
    elevation_m Nullable(Float64) COMMENT 'Elevation of the grid cell, metres',
    temperature_c Nullable(Float64) COMMENT 'Air temperature at 2 m, degrees Celsius' CODEC(Gorilla, ZSTD(3)),
    apparent_temperature_c Nullable(Float64) COMMENT 'Apparent temperature, degrees Celsius' CODEC(Gorilla, ZSTD(3)),
    weather_code Nullable(UInt8) COMMENT 'WMO code 4677 of the present weather',
    wind_speed_m_s Nullable(Float64) COMMENT 'Wind speed at 10 m, metres per second' CODEC(Gorilla, ZSTD(3)),
    wind_gust_m_s Nullable(Float64) COMMENT 'Gusts at 10 m, metres per second' CODEC(Gorilla, ZSTD(3)),
    humidity_percent Nullable(Float64) COMMENT 'Relative humidity at 2 m, percent' CODEC(Gorilla, ZSTD(3)),
    observed_at DateTime64(3, 'UTC') COMMENT 'When Tidewire saw these conditions' CODEC(Delta, ZSTD(3)),
    event_id String COMMENT 'Id of the log event behind the row' CODEC(ZSTD(3)),
    log_offset UInt64 COMMENT 'Offset of that event in the deltas topic' CODEC(Delta, ZSTD(3))
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(at)
ORDER BY (asked_latitude, asked_longitude, at)
COMMENT 'Current weather of requested places: a row when it changed'
