-- Questions: who is shown most often, how ratings of the featured players move, how long a game stays on a channel.
-- A channel is read over a range of time, so it leads; six channels with a game a minute or so.
CREATE TABLE chess_games
(
    channel LowCardinality(String) COMMENT 'Channel: best, bullet, blitz, rapid, classical or chess960',
    game_id String COMMENT 'Id of the game at Lichess, shown at https://lichess.org/<id>' CODEC(ZSTD(3)),
    player String COMMENT 'Player from whose side the game is shown' CODEC(ZSTD(3)),
    title LowCardinality(String) COMMENT 'Title of the player, such as GM or BOT; empty without one',
    rating Nullable(UInt16) COMMENT 'Rating of the player in the variant of the channel (Glicko-2 of Lichess)',
    color LowCardinality(String) COMMENT 'Side of the player: white or black; empty where unknown',
    on_air Bool COMMENT 'False in the row that says that the channel shows no game; the other values are its last',
    observed_at DateTime64(3, 'UTC') COMMENT 'When Tidewire saw it so' CODEC(Delta, ZSTD(3)),
    event_id String COMMENT 'Id of the log event behind the row' CODEC(ZSTD(3)),
    log_offset UInt64 COMMENT 'Offset of that event in the deltas topic' CODEC(Delta, ZSTD(3))
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(observed_at)
ORDER BY (channel, observed_at)
COMMENT 'Featured chess games of Lichess TV: a row when a channel shows another game, its player\'s rating changes, or it shows none'
