-- Questions: how Kp, solar wind and X-ray flux went over a period, the disturbed days of a month, wind before a storm.
-- Every query names a time range and there is one series, so time alone is the key.
-- A row when any reading changed, about one for each poll: readings drift slowly, which is what Gorilla is for.
CREATE TABLE space_weather
(
    observed_at DateTime64(3, 'UTC') COMMENT 'When Tidewire saw these readings' CODEC(Delta, ZSTD(3)),
    kp_index Nullable(Float64) COMMENT 'Planetary K index of the newest three-hour interval, 0 to 9',
    kp_at Nullable(DateTime64(3, 'UTC')) COMMENT 'Start of that interval',
    kp_estimated Nullable(Float64) COMMENT 'Highest running estimate of the last three hours, 0 to 9',
    solar_wind_speed_km_s Nullable(Float64) COMMENT 'Proton speed upstream of Earth, kilometres per second' CODEC(Gorilla, ZSTD(3)),
    solar_wind_density_cm3 Nullable(Float64) COMMENT 'Proton density upstream of Earth, protons per cubic centimetre' CODEC(Gorilla, ZSTD(3)),
    solar_wind_temperature_k Nullable(Float64) COMMENT 'Proton temperature upstream of Earth, kelvin' CODEC(Gorilla, ZSTD(3)),
    solar_wind_at Nullable(DateTime64(3, 'UTC')) COMMENT 'When the solar wind was measured',
    xray_flux_w_m2 Nullable(Float64) COMMENT 'Solar X-ray flux at 0.1 to 0.8 nm, watts per square metre' CODEC(Gorilla, ZSTD(3)),
    xray_at Nullable(DateTime64(3, 'UTC')) COMMENT 'When that flux was measured',
    xray_peak_flux_w_m2 Nullable(Float64) COMMENT 'Peak of that flux in the 24 hours before, watts per square metre' CODEC(Gorilla, ZSTD(3)),
    xray_peak_at Nullable(DateTime64(3, 'UTC')) COMMENT 'When the peak was measured',
    event_id String COMMENT 'Id of the log event behind the row' CODEC(ZSTD(3)),
    log_offset UInt64 COMMENT 'Offset of that event in the deltas topic' CODEC(Delta, ZSTD(3))
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(observed_at)
ORDER BY observed_at
COMMENT 'Space weather as measured: a row when a reading changed'
