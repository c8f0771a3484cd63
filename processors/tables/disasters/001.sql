-- Questions: which disasters were current at a time, how the level of one changed, how many of a type a country had.
-- Most queries are about one type, and a disaster's rows are read together, so type and id lead and time follows; the month of
-- observation cuts what a range of dates has to read.
CREATE TABLE disasters
(
    type LowCardinality(String) COMMENT 'earthquake, tropical_cyclone, flood, volcano, drought, wildfire or tsunami',
    id String COMMENT 'Id of the disaster in GDACS: two letters of its type and a number' CODEC(ZSTD(3)),
    episode Nullable(UInt64) COMMENT 'Number of the latest report about it; null where none is given',
    name String COMMENT 'In the words of the source' CODEC(ZSTD(3)),
    alert_level LowCardinality(String) COMMENT 'green, orange or red: the need of help from abroad',
    country String COMMENT 'A country, several, or a part of the sea, in the words of the source; empty where none is given' CODEC(ZSTD(3)),
    countries Array(LowCardinality(String)) COMMENT 'Countries that are affected',
    from_at DateTime64(3, 'UTC') COMMENT 'When it began' CODEC(Delta, ZSTD(3)),
    to_at Nullable(DateTime64(3, 'UTC')) COMMENT 'Until when it was observed so far',
    updated_at DateTime64(3, 'UTC') COMMENT 'When the source last changed its entry' CODEC(Delta, ZSTD(3)),
    is_current Nullable(Bool) COMMENT 'The source''s own flag, which is false for every drought; null where none is given',
    severity_value Nullable(Float64) COMMENT 'Severity in severity_unit; null where it is not measured',
    severity_unit LowCardinality(String) COMMENT 'M (magnitude), km/h (wind), ha or km2 (area); empty where there is none',
    severity_text String COMMENT 'Severity in the words of the source; empty where there is none' CODEC(ZSTD(3)),
    latitude Nullable(Float64) COMMENT 'Degrees north',
    longitude Nullable(Float64) COMMENT 'Degrees east',
    url String COMMENT 'Address of the report; empty where there is none' CODEC(ZSTD(3)),
    listed Bool COMMENT 'False in the row for its removal from the list of current disasters; the other values are its last',
    observed_at DateTime64(3, 'UTC') COMMENT 'When Tidewire saw it so' CODEC(Delta, ZSTD(3)),
    event_id String COMMENT 'Id of the log event behind the row' CODEC(ZSTD(3)),
    log_offset UInt64 COMMENT 'Offset of that event in the deltas topic' CODEC(Delta, ZSTD(3))
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(observed_at)
ORDER BY (type, id, observed_at)
COMMENT 'Disasters of the whole world: a row when one is listed, its entry, level or episode changes, or it leaves the list'
