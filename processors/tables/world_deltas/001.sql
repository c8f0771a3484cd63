-- Questions: what happened in the world in an hour or a day, how many strong earthquakes or large moves of odds a month had,
-- how long after its origin an earthquake was learnt. Nearly every query names a time range, so time leads the key; the type
-- and the id follow. Some hundreds of rows an hour: a month is one partition. Kept for ever.
CREATE TABLE world_deltas
(
    timestamp DateTime64(3, 'UTC') COMMENT 'When Tidewire learnt of the event, later than that of every event before; of a launch its scheduled time' CODEC(Delta, ZSTD(3)),
    type LowCardinality(String) COMMENT 'earthquake, tech_news_story, prediction_market_update or space_launch',
    id String COMMENT 'Id of the earthquake, story, market or launch at its source' CODEC(ZSTD(3)),
    severity LowCardinality(String) COMMENT 'minor, moderate or major, on the scale of Tidewire for the type',
    url String COMMENT 'Page of the earthquake, story, market or launch; empty if not given' CODEC(ZSTD(3)),
    title String COMMENT 'Place of an earthquake, title of a story, question of a market, mission of a launch; empty if not given' CODEC(ZSTD(3)),
    happened_at Nullable(DateTime64(3, 'UTC')) COMMENT 'Origin time of an earthquake, time of posting of a story, scheduled time of a launch; null for a market',
    magnitude Nullable(Float64) COMMENT 'Magnitude of an earthquake when it was learnt; null for other types',
    depth_km Nullable(Float64) COMMENT 'Depth of an earthquake below sea level, kilometres; null for other types or if not given',
    points Nullable(Int32) COMMENT 'Votes of a story when it was learnt; null for other types or if not given',
    comments Nullable(UInt32) COMMENT 'Comments on a story when it was learnt; null for other types or if not given',
    outcome String COMMENT 'Leading outcome of a market; empty for other types' CODEC(ZSTD(3)),
    probability Nullable(Float64) COMMENT 'Probability of that outcome, 0 to 1; null for other types',
    previous_probability Nullable(Float64) COMMENT 'Probability of that outcome in the event of the market before, 0 to 1; null for a newly listed market and for other types',
    volume_24h_usd Nullable(Float64) COMMENT 'Turnover of a market in the last 24 hours, US dollars (USDC); null for other types',
    launch_provider LowCardinality(String) COMMENT 'Who launches; empty for other types or if not given',
    launch_status LowCardinality(String) COMMENT 'Status of a launch in the words of the source; empty for other types',
    observed_at DateTime64(3, 'UTC') COMMENT 'When the poll ended, or the tick came, that made the event known' CODEC(Delta, ZSTD(3)),
    event_id String COMMENT 'Id of the log event behind the row' CODEC(ZSTD(3)),
    log_offset UInt64 COMMENT 'Offset of that event in the deltas topic' CODEC(Delta, ZSTD(3))
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(timestamp)
ORDER BY (timestamp, type, id)
COMMENT 'Events of the world, as /api/pro/world-deltas states them: one row each; of a launch one when it comes near, and one for each change of its time or status while it is'
