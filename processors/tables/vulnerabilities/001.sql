-- Questions: which vulnerabilities of a package are known, which of them are exploited (with the table known_exploited), how
-- fast they are assessed, what was withdrawn. A vulnerability's rows are read together, so its id leads; the month of
-- observation cuts what a range of dates has to read.
CREATE TABLE vulnerabilities
(
    id String COMMENT 'CVE id, else GHSA id, else PYSEC id, else the id of its record' CODEC(ZSTD(3)),
    package LowCardinality(String) COMMENT 'Package of the AI stack, such as torch',
    ecosystem LowCardinality(String) COMMENT 'PyPI or Go',
    category LowCardinality(String) COMMENT 'framework, inference, orchestration, mlops or notebook',
    aliases Array(String) COMMENT 'Its other ids in databases of vulnerabilities' CODEC(ZSTD(3)),
    severity LowCardinality(String) COMMENT 'critical, high, medium, low or unstated',
    cvss Nullable(Float64) COMMENT 'CVSS 3 base score, 0 to 10; null without a vector of that version',
    epss Nullable(Float64) COMMENT 'Probability of exploitation within 30 days at that time, 0 to 1 (EPSS); null without an estimate',
    summary String COMMENT 'What it is, at most 280 characters; empty where not stated' CODEC(ZSTD(6)),
    published_at Nullable(DateTime64(3, 'UTC')) COMMENT 'When the first of its records was published; null where not stated',
    modified_at DateTime64(3, 'UTC') COMMENT 'When one of its records was last modified' CODEC(Delta, ZSTD(3)),
    url String COMMENT 'Page of its record' CODEC(ZSTD(3)),
    listed Bool COMMENT 'False in the row for its removal, as after all of its records were withdrawn; the other values are its last',
    observed_at DateTime64(3, 'UTC') COMMENT 'When Tidewire saw it so' CODEC(Delta, ZSTD(3)),
    event_id String COMMENT 'Id of the log event behind the row' CODEC(ZSTD(3)),
    log_offset UInt64 COMMENT 'Offset of that event in the deltas topic' CODEC(Delta, ZSTD(3))
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(observed_at)
ORDER BY (id, package, observed_at)
COMMENT 'Vulnerabilities of packages of the AI stack: a row when one is listed, a record of it is modified, or it is withdrawn'
