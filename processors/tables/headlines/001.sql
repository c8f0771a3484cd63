-- Questions: what was written on a day about a word, how often an outlet publishes, which headlines were rewritten.
-- Almost every query names a range of days, so the time of publication leads; the outlet and the article follow.
CREATE TABLE headlines
(
    published_at DateTime64(3, 'UTC') COMMENT 'When the outlet published it' CODEC(Delta, ZSTD(3)),
    outlet LowCardinality(String) COMMENT 'Outlet or press office whose feed holds it, such as coindesk, sec or federal-reserve',
    link String COMMENT 'Address of the article' CODEC(ZSTD(3)),
    title String COMMENT 'Headline; the latest row of an article counts' CODEC(ZSTD(3)),
    publisher LowCardinality(String) COMMENT 'Who wrote it, where the outlet repeats headlines of others; empty where it names nobody',
    provider LowCardinality(String) COMMENT 'Source of the headline, as in _meta.sources',
    observed_at DateTime64(3, 'UTC') COMMENT 'When Tidewire saw it so' CODEC(Delta, ZSTD(3)),
    event_id String COMMENT 'Id of the log event behind the row' CODEC(ZSTD(3)),
    log_offset UInt64 COMMENT 'Offset of that event in the deltas topic' CODEC(Delta, ZSTD(3))
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(published_at)
ORDER BY (published_at, outlet, link)
COMMENT 'Headlines of news outlets and press offices: a row when one is first seen, and one when its wording changes'
