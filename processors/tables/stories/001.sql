-- Questions: what was on the front page at a time, how a story's votes and comments grew, the most discussed of a month.
-- Most queries name a time range of observation; the id behind it brings one story's growth together. Votes and comments
-- creep upwards, so a delta before the compressor makes them small.
CREATE TABLE stories
(
    id UInt64 COMMENT 'Number of the story at Hacker News',
    kind LowCardinality(String) COMMENT 'story or poll',
    title String COMMENT 'Title' CODEC(ZSTD(3)),
    url String COMMENT 'What the story links to; empty where it is a text of its own' CODEC(ZSTD(3)),
    author String COMMENT 'Name of the account that posted it; empty where untold' CODEC(ZSTD(3)),
    score Nullable(Int32) COMMENT 'Votes',
    comments Nullable(UInt32) COMMENT 'Comments at all depths',
    posted_at DateTime64(3, 'UTC') COMMENT 'When it was posted' CODEC(Delta, ZSTD(3)),
    on_front_page Bool COMMENT 'False in the row that says the story has left the front page; the other values are its last',
    observed_at DateTime64(3, 'UTC') COMMENT 'When Tidewire saw it so' CODEC(Delta, ZSTD(3)),
    event_id String COMMENT 'Id of the log event behind the row' CODEC(ZSTD(3)),
    log_offset UInt64 COMMENT 'Offset of that event in the deltas topic' CODEC(Delta, ZSTD(3))
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(observed_at)
ORDER BY (observed_at, id)
COMMENT 'Stories of the Hacker News front page: a row when one appears, changes (votes, comments, title) or leaves'
