-- Questions: which services had incidents in a period, how long each lasted, how often a service is troubled.
-- Nearly every query names a service or groups by it, and its incidents are few: the service leads the key, then the
-- incident, then the time of observation. Partitions by month keep a year of incidents in a dozen parts.
CREATE TABLE service_incidents
(
    service LowCardinality(String) COMMENT 'Service, such as github',
    id String COMMENT 'Id of the incident at its status page' CODEC(ZSTD(3)),
    name String COMMENT 'Title of the incident' CODEC(ZSTD(3)),
    stage LowCardinality(String) COMMENT 'investigating, identified, monitoring, resolved or postmortem; empty for any other value of the page',
    impact LowCardinality(String) COMMENT 'none, minor, major, critical or maintenance; empty for any other value of the page',
    components Array(LowCardinality(String)) COMMENT 'Affected parts of the service',
    started_at Nullable(DateTime64(3, 'UTC')) COMMENT 'Start of the incident according to the page',
    updated_at Nullable(DateTime64(3, 'UTC')) COMMENT 'Last update of the incident on the page',
    url String COMMENT 'Page of the incident; empty if not given' CODEC(ZSTD(3)),
    open Bool COMMENT 'False in the row of its end: the incident was resolved or withdrawn',
    observed_at DateTime64(3, 'UTC') COMMENT 'When Tidewire observed this state' CODEC(Delta, ZSTD(3)),
    event_id String COMMENT 'Id of the log event behind the row' CODEC(ZSTD(3)),
    log_offset UInt64 COMMENT 'Offset of that event in the deltas topic' CODEC(Delta, ZSTD(3))
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(observed_at)
ORDER BY (service, id, observed_at)
COMMENT 'Unresolved incidents of monitored services: a row when one appears, is updated, or ends'
