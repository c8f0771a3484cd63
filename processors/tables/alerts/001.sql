-- Questions: what was in force in a state at a time, how often and how long a kind of alert was given, how early it came.
-- An alert's rows are read together, so its id leads and time follows; the month of observation cuts what a range of dates
-- has to read.
CREATE TABLE alerts
(
    id String COMMENT 'Id of the alert; an update is an alert of its own, under a new id' CODEC(ZSTD(3)),
    event LowCardinality(String) COMMENT 'Kind of alert, such as Winter Storm Warning',
    status LowCardinality(String) COMMENT 'Actual, Exercise, System, Test or Draft',
    message_type LowCardinality(String) COMMENT 'Alert, Update, Cancel, Ack or Error',
    severity LowCardinality(String) COMMENT 'Extreme, Severe, Moderate, Minor or Unknown',
    urgency LowCardinality(String) COMMENT 'Immediate, Expected, Future, Past or Unknown',
    certainty LowCardinality(String) COMMENT 'Observed, Likely, Possible, Unlikely or Unknown',
    category LowCardinality(String) COMMENT 'Category of the hazard, such as Met, Safety or Fire',
    headline String COMMENT 'Headline; empty where there is none' CODEC(ZSTD(6)),
    description String COMMENT 'Text, at most 2,000 characters; empty where there is none' CODEC(ZSTD(6)),
    area String COMMENT 'Names of the zones, at most 700 characters' CODEC(ZSTD(6)),
    zones Array(LowCardinality(String)) COMMENT 'Codes of forecast zones and counties (UGC), such as ORZ004: a state or sea, Z or C, a number',
    sender_name LowCardinality(String) COMMENT 'Forecast office',
    sent DateTime64(3, 'UTC') COMMENT 'When the alert was sent' CODEC(Delta, ZSTD(3)),
    effective DateTime64(3, 'UTC') COMMENT 'From when on the message counts' CODEC(Delta, ZSTD(3)),
    onset Nullable(DateTime64(3, 'UTC')) COMMENT 'When the hazard is expected to begin',
    expires DateTime64(3, 'UTC') COMMENT 'When the message lapses' CODEC(Delta, ZSTD(3)),
    ends Nullable(DateTime64(3, 'UTC')) COMMENT 'When the hazard ends; null where the message has no end',
    listed Bool COMMENT 'False in the row for its removal from the list of active alerts; the other values are its last',
    observed_at DateTime64(3, 'UTC') COMMENT 'When Tidewire saw it so' CODEC(Delta, ZSTD(3)),
    event_id String COMMENT 'Id of the log event behind the row' CODEC(ZSTD(3)),
    log_offset UInt64 COMMENT 'Offset of that event in the deltas topic' CODEC(Delta, ZSTD(3))
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(observed_at)
ORDER BY (id, observed_at)
COMMENT 'Weather alerts of the US National Weather Service: a row when one is listed, its times change, or it leaves the list'
