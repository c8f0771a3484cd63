-- Questions: how often launches slip and by how much, who launches from where, what was scheduled for a day.
-- A launch's history is read whole, so its id leads and time follows; the month of observation cuts what a range of dates
-- has to read.
CREATE TABLE launches
(
    id String COMMENT 'Id of the launch in the Launch Library; stays when the launch slips' CODEC(ZSTD(3)),
    name String COMMENT 'Vehicle and mission' CODEC(ZSTD(3)),
    provider LowCardinality(String) COMMENT 'Who launches; empty where unknown',
    vehicle LowCardinality(String) COMMENT 'Launch vehicle; empty where unknown',
    mission String COMMENT 'Mission; empty where unknown' CODEC(ZSTD(3)),
    status LowCardinality(String) COMMENT 'Status in the words of the source, such as Go for Launch',
    status_abbrev LowCardinality(String) COMMENT 'Status, short: Go, TBC, TBD, Hold, In Flight, Success, Failure and others',
    net Nullable(DateTime64(3, 'UTC')) COMMENT 'Time before which it does not launch; a placeholder where the precision is coarse',
    net_precision LowCardinality(String) COMMENT 'How exact net is: second, minute, hour, day, week, month, quarter, half or year; empty where unknown',
    window_start Nullable(DateTime64(3, 'UTC')) COMMENT 'Begin of the launch window',
    window_end Nullable(DateTime64(3, 'UTC')) COMMENT 'End of the launch window',
    pad LowCardinality(String) COMMENT 'Launch pad; empty where unknown',
    location LowCardinality(String) COMMENT 'Launch site; empty where unknown',
    latitude Nullable(Float64) COMMENT 'Of the pad, degrees north',
    longitude Nullable(Float64) COMMENT 'Of the pad, degrees east',
    probability_percent Nullable(UInt8) COMMENT 'Chance of acceptable weather, percent',
    updated_at Nullable(DateTime64(3, 'UTC')) COMMENT 'When the source last changed its entry',
    listed Bool COMMENT 'False in the row for its removal from the list of upcoming and latest launches; the other values are its last',
    observed_at DateTime64(3, 'UTC') COMMENT 'When Tidewire saw it so' CODEC(Delta, ZSTD(3)),
    event_id String COMMENT 'Id of the log event behind the row' CODEC(ZSTD(3)),
    log_offset UInt64 COMMENT 'Offset of that event in the deltas topic' CODEC(Delta, ZSTD(3))
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(observed_at)
ORDER BY (id, observed_at)
COMMENT 'Space launches: a row when one is listed, its status, time or entry changes, or it leaves the list'
