-- Questions: how often and how long an airport was stopped or delayed, for which reasons, which airports close at night.
-- Almost every query is about some airports, so the airport leads and the kind follows; the month of observation cuts what a
-- range of dates has to read.
CREATE TABLE airport_events
(
    airport LowCardinality(String) COMMENT 'Code of the airport, such as SFO',
    kind LowCardinality(String) COMMENT 'ground_stop, ground_delay, delay, closure, or restriction (closed to some users alone)',
    reason String COMMENT 'In the words of the FAA, or a notice to airmen' CODEC(ZSTD(3)),
    direction LowCardinality(String) COMMENT 'Of a delay: arrival or departure; else empty',
    trend LowCardinality(String) COMMENT 'Of a delay: increasing, decreasing or no_change; else empty',
    minimum_minutes Nullable(UInt16) COMMENT 'Shortest delay, minutes',
    average_minutes Nullable(UInt16) COMMENT 'Mean delay of a ground delay program, minutes',
    maximum_minutes Nullable(UInt16) COMMENT 'Longest delay, minutes',
    end_time LowCardinality(String) COMMENT 'Of a ground stop: when it is expected to end, local time in words, without a date; else empty',
    notam LowCardinality(String) COMMENT 'Of a closure or restriction: number of the notice at its airport, such as 07/028; else empty',
    starts_at Nullable(DateTime64(3, 'UTC')) COMMENT 'Of a closure or restriction: when it begins',
    ends_at Nullable(DateTime64(3, 'UTC')) COMMENT 'Of a closure or restriction: when it ends',
    daily_from LowCardinality(String) COMMENT 'From when on it is closed each day, HH:MM in UTC; empty where it is closed throughout',
    daily_to LowCardinality(String) COMMENT 'Until when it is closed each day, HH:MM in UTC; empty where it is closed throughout',
    weekdays Array(LowCardinality(String)) COMMENT 'The days on which these hours begin, such as MON; none: every day',
    listed Bool COMMENT 'False in the row for its removal from the list; the other values are its last',
    observed_at DateTime64(3, 'UTC') COMMENT 'When Tidewire saw it so' CODEC(Delta, ZSTD(3)),
    event_id String COMMENT 'Id of the log event behind the row' CODEC(ZSTD(3)),
    log_offset UInt64 COMMENT 'Offset of that event in the deltas topic' CODEC(Delta, ZSTD(3))
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(observed_at)
ORDER BY (airport, kind, observed_at)
COMMENT 'What hinders traffic at US airports: a row when it is listed, when it changes, and when it leaves the list'
