-- Questions: how fast a repository gains stars, which languages and topics lead, how long a repository stays in a set.
-- A repository is read over a range of time, so it leads; at most 60 change each five minutes.
CREATE TABLE repositories
(
    full_name String COMMENT 'Owner and name of the repository on GitHub' CODEC(ZSTD(3)),
    set_name LowCardinality(String) COMMENT 'Set that it was found in: trending (created within 7 days) or llm (topic llm, pushed within 30 days)',
    owner_type LowCardinality(String) COMMENT 'Kind of the owner: User or Organization',
    description String COMMENT 'Description in the words of its owner; empty without one' CODEC(ZSTD(3)),
    language LowCardinality(String) COMMENT 'Main programming language; empty where unknown',
    topics Array(LowCardinality(String)) COMMENT 'Topics, as its owner chose them',
    license LowCardinality(String) COMMENT 'Licence by SPDX; empty without one that GitHub recognises',
    stars UInt32 COMMENT 'Stars' CODEC(T64, ZSTD(1)),
    forks UInt32 COMMENT 'Forks' CODEC(T64, ZSTD(1)),
    open_issues Nullable(UInt32) COMMENT 'Open issues and pull requests',
    created_at DateTime64(3, 'UTC') COMMENT 'When the repository was created' CODEC(Delta, ZSTD(3)),
    pushed_at DateTime64(3, 'UTC') COMMENT 'When it was last pushed to' CODEC(Delta, ZSTD(3)),
    listed Bool COMMENT 'False in the row that says that it left the first 30 of its set; the other values are its last',
    observed_at DateTime64(3, 'UTC') COMMENT 'When Tidewire saw it so' CODEC(Delta, ZSTD(3)),
    event_id String COMMENT 'Id of the log event behind the row' CODEC(ZSTD(3)),
    log_offset UInt64 COMMENT 'Offset of that event in the deltas topic' CODEC(Delta, ZSTD(3))
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(observed_at)
ORDER BY (full_name, observed_at)
COMMENT 'Repositories of GitHub with the most stars, by set: a row when one enters its set, its stars, forks or last push change, or it leaves'
