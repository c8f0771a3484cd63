-- Questions: which services had incidents in a period, how long each lasted, how often a service is troubled.
-- Nearly every query names a service or groups by it, and its incidents are few: service, then the incident with its rows
-- in the order in which they were seen. Partitions by month keep a year of incidents in a dozen parts.
CREATE TABLE service_incidents
(
    service LowCardinality(String) COMMENT 'Our word for the service, such as github',
    id String COMMENT 'Id of the incident at its status page' CODEC(ZSTD(3)),
    name String COMMENT 'What the page calls it' CODEC(ZSTD(3)),
    stage LowCardinality(String) COMMENT 'investigating, identified, monitoring, resolved or postmortem; empty where the page says something else',
    impact LowCardinality(String) COMMENT 'none, minor, major, critical or maintenance; empty where the page says something else',
    components Array(LowCardinality(String)) COMMENT 'Parts of the service that it touches',
    started_at Nullable(DateTime64(3, 'UTC')) COMMENT 'When it began, by the page',
    updated_at Nullable(DateTime64(3, 'UTC')) COMMENT 'When the page last wrote of it',
    url String COMMENT 'Page of the incident; empty where untold' CODEC(ZSTD(3)),
    open Bool COMMENT 'False in the row that says it is no longer among the unresolved ones: resolved, or withdrawn',
    observed_at DateTime64(3, 'UTC') COMMENT 'When Tidewire saw it so' CODEC(Delta, ZSTD(3)),
    event_id String COMMENT 'Id of the log event behind the row' CODEC(ZSTD(3)),
    log_offset UInt64 COMMENT 'Offset of that event in the deltas topic' CODEC(Delta, ZSTD(3))
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(observed_at)
ORDER BY (service, id, observed_at)
COMMENT 'Unresolved incidents of monitored services: a row when one appears, is written of again, or ends'
