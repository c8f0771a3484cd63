-- Questions: when an address or a hash was first reported and by which source, how long malware addresses stay online, which
-- families are reported the most. An indicator's rows are read together, so its source and id lead and time follows; the
-- month of observation cuts what a range of dates has to read.
CREATE TABLE threat_indicators
(
    source LowCardinality(String) COMMENT 'Where it was reported: urlhaus or threatfox',
    id String COMMENT 'Id of the entry at its source' CODEC(ZSTD(3)),
    type LowCardinality(String) COMMENT 'malware_url, domain, ip_port, url or file_hash',
    indicator String COMMENT 'The malicious address or hash exactly as the source writes it: never open it' CODEC(ZSTD(6)),
    threat LowCardinality(String) COMMENT 'Kind of threat, such as malware_download, botnet_cc or payload',
    malware LowCardinality(String) COMMENT 'Key of the malware family in Malpedia, such as win.remcos; empty where unknown or not stated',
    malware_name LowCardinality(String) COMMENT 'Name of the malware family; empty where unknown or not stated',
    confidence_percent Nullable(UInt8) COMMENT 'How sure the reporter is, percent; null where not stated',
    status LowCardinality(String) COMMENT 'Of a malware address: online, offline or unknown; else empty',
    tags Array(String) COMMENT 'Words of the reporters, at most ten' CODEC(ZSTD(3)),
    reference String COMMENT 'Page that the reporter names: anybody may have written it, so never open it; empty where there is none' CODEC(ZSTD(6)),
    first_seen DateTime64(3, 'UTC') COMMENT 'When it was first reported' CODEC(Delta, ZSTD(3)),
    last_seen Nullable(DateTime64(3, 'UTC')) COMMENT 'When it was last seen; null where not stated',
    observed_at DateTime64(3, 'UTC') COMMENT 'When Tidewire saw it so' CODEC(Delta, ZSTD(3)),
    event_id String COMMENT 'Id of the log event behind the row' CODEC(ZSTD(3)),
    log_offset UInt64 COMMENT 'Offset of that event in the deltas topic' CODEC(Delta, ZSTD(3))
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(observed_at)
ORDER BY (source, id, observed_at)
COMMENT 'Malware addresses (URLhaus) and indicators of compromise (ThreatFox): a row when one is reported or its status, tags, confidence or last sighting changes'
