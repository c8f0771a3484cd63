-- Questions: which messages were issued in a period, how a message escalated and was cancelled, how fast after a quake.
-- Almost every query names a time range, so time leads the key; centre and event bring an event's messages together.
-- Some hundred rows a year: one partition for each year keeps parts few.
CREATE TABLE tsunami_messages
(
    issued_at DateTime64(3, 'UTC') COMMENT 'When the centre issued the message' CODEC(Delta, ZSTD(3)),
    centre LowCardinality(String) COMMENT 'PAAQ: National centre in Palmer; PHEB: Pacific centre in Honolulu',
    event String COMMENT 'The centre''s name of the event, the same in each of its messages; empty where none is given' CODEC(ZSTD(3)),
    product LowCardinality(String) COMMENT 'The weather service''s name of the series of messages, such as WEPA40; empty where none is given',
    number Nullable(UInt32) COMMENT 'Counts the messages about the event, from 1',
    category LowCardinality(String) COMMENT 'information, watch, advisory, warning, threat, cancellation, no_threat or test',
    level LowCardinality(String) COMMENT 'Escalation level: info, watch, advisory or warning (threats are warnings)',
    title String COMMENT 'Title of the message' CODEC(ZSTD(3)),
    place String COMMENT 'Where the earthquake was, in words' CODEC(ZSTD(3)),
    latitude Nullable(Float64) COMMENT 'Epicentre latitude, degrees north',
    longitude Nullable(Float64) COMMENT 'Epicentre longitude, degrees east',
    magnitude Nullable(Float64) COMMENT 'Preliminary magnitude',
    magnitude_type LowCardinality(String) COMMENT 'Magnitude scale, such as Mwp; empty where none is given',
    note String COMMENT 'The message''s note, empty where none is given' CODEC(ZSTD(3)),
    url String COMMENT 'Address of the bulletin, empty where none is given' CODEC(ZSTD(3)),
    observed_at DateTime64(3, 'UTC') COMMENT 'When Tidewire saw the message' CODEC(Delta, ZSTD(3)),
    event_id String COMMENT 'Id of the log event behind the row' CODEC(ZSTD(3)),
    log_offset UInt64 COMMENT 'Offset of that event in the deltas topic' CODEC(Delta, ZSTD(3))
)
ENGINE = MergeTree
PARTITION BY toYear(issued_at)
ORDER BY (issued_at, centre, event)
COMMENT 'Every message of the tsunami warning centres that Tidewire has seen, one row each'
