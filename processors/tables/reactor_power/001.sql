-- Questions: how often a unit was offline or reduced, how long its outages lasted, the power of the fleet by day.
-- The history of a unit is read whole, so it leads; a day has about 94 rows.
CREATE TABLE reactor_power
(
    unit LowCardinality(String) COMMENT 'Plant and number of the unit, as the Nuclear Regulatory Commission spells it',
    report_date Date COMMENT 'Day of the report, a snapshot of the early morning (US Eastern time)' CODEC(Delta, ZSTD(3)),
    power_percent Float64 COMMENT 'Thermal power, percent of the licensed one; 0: shut down' CODEC(Gorilla, ZSTD(1)),
    provider LowCardinality(String) COMMENT 'Source of the number, as in _meta.sources',
    observed_at DateTime64(3, 'UTC') COMMENT 'When Tidewire saw the number; the latest of a unit and day counts' CODEC(Delta, ZSTD(3)),
    event_id String COMMENT 'Id of the log event behind the row' CODEC(ZSTD(3)),
    log_offset UInt64 COMMENT 'Offset of that event in the deltas topic' CODEC(Delta, ZSTD(3))
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(report_date)
ORDER BY (unit, report_date)
COMMENT 'Power of the reactor units of the United States: a row for each unit and daily report, and one for each correction'
