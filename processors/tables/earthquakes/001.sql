-- Questions: what shook in a period and region, how a quake was revised, the strongest of a month.
-- Almost every query names a time range, so time leads the key; the id brings a quake's revisions together.
CREATE TABLE earthquakes
(
    id String COMMENT 'Catalogue id of the seismic event' CODEC(ZSTD(3)),
    revised_at DateTime64(3, 'UTC') COMMENT 'When the agency last revised the event' CODEC(Delta, ZSTD(3)),
    time DateTime64(3, 'UTC') COMMENT 'Origin time' CODEC(Delta, ZSTD(3)),
    magnitude Nullable(Float64) COMMENT 'Preferred magnitude; null while none is computed',
    magnitude_type LowCardinality(String) COMMENT 'Magnitude scale, such as mww or ml',
    place String COMMENT 'Nearest place, in words' CODEC(ZSTD(3)),
    latitude Float64 COMMENT 'Epicentre latitude, degrees north',
    longitude Float64 COMMENT 'Epicentre longitude, degrees east',
    depth_km Nullable(Float64) COMMENT 'Depth below sea level, kilometres',
    tsunami Bool COMMENT 'Large event in an oceanic region; not that a tsunami exists',
    alert LowCardinality(String) COMMENT 'PAGER impact colour, empty where none was issued',
    significance Nullable(Int32) COMMENT 'Agency ranking, 0 to about 3000',
    status LowCardinality(String) COMMENT 'automatic, reviewed or deleted',
    observed_at DateTime64(3, 'UTC') COMMENT 'When Tidewire saw this revision' CODEC(Delta, ZSTD(3)),
    event_id String COMMENT 'Id of the log event behind the row' CODEC(ZSTD(3)),
    log_offset UInt64 COMMENT 'Offset of that event in the deltas topic' CODEC(Delta, ZSTD(3))
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(time)
ORDER BY (time, id, revised_at)
COMMENT 'Every revision of every earthquake that Tidewire has seen, one row each'
