-- Questions: the players of a game over a day or a month, which games rose, the share of free games.
-- A game is read over a range of time, so it leads; 25 games each ten minutes.
CREATE TABLE game_players
(
    appid UInt32 COMMENT 'Number of the game on Steam',
    name LowCardinality(String) COMMENT 'Name of the game; empty where the platform gives none',
    rank UInt16 COMMENT 'Place in the chart at that time; 1: the most played',
    players UInt32 COMMENT 'Concurrent players' CODEC(T64, ZSTD(1)),
    peak_24h Nullable(UInt32) COMMENT 'Most concurrent players within the 24 hours before',
    is_free Nullable(Bool) COMMENT 'Whether the game is free to play; null where unknown',
    listed Bool COMMENT 'False in the row that says that the game left the first 25 places; the other values are its last',
    observed_at DateTime64(3, 'UTC') COMMENT 'When Tidewire saw it so' CODEC(Delta, ZSTD(3)),
    event_id String COMMENT 'Id of the log event behind the row' CODEC(ZSTD(3)),
    log_offset UInt64 COMMENT 'Offset of that event in the deltas topic' CODEC(Delta, ZSTD(3))
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(observed_at)
ORDER BY (appid, observed_at)
COMMENT 'The most played games of Steam: a row when a game enters the first 25 places, its number of players or its peak changes, or it leaves them'
