-- Questions: what was on the front page at a time, how a story's votes and comments grew, the most discussed of a month.
-- Most queries name a time range of observation, so time leads the key, and the id follows. Votes and comments grow slowly.
CREATE TABLE stories
(
    id UInt64 COMMENT 'Number of the story at Hacker News',
    kind LowCardinality(String) COMMENT 'story or poll',
    title String COMMENT 'Title' CODEC(ZSTD(3)),
    url String COMMENT 'What the story links to; empty for a text post' CODEC(ZSTD(3)),
    author String COMMENT 'Name of the account that posted it; empty if not given' CODEC(ZSTD(3)),
    score Nullable(Int32) COMMENT 'Votes',
    comments Nullable(UInt32) COMMENT 'Comments at all depths',
    posted_at DateTime64(3, 'UTC') COMMENT 'When it was posted' CODEC(Delta, ZSTD(3)),
    on_front_page Bool COMMENT 'False in the row of its departure from the front page; the other values are its last',
    observed_at DateTime64(3, 'UTC') COMMENT 'When Tidewire observed this state' CODEC(Delta, ZSTD(3)),
    event_id String COMMENT 'Id of the log event behind the row' CODEC(ZSTD(3)),
    log_offset UInt64 COMMENT 'Offset of that event in the deltas topic' CODEC(Delta, ZSTD(3))
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(observed_at)
ORDER BY (observed_at, id)
COMMENT 'Stories of the Hacker News front page: a row when one appears, changes (votes, comments, title) or leaves'
