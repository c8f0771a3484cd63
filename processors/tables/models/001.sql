-- Questions: how fast a model gains likes and downloads, how long it stays among the trending ones, which tasks and
-- licences lead. A model is read over a range of time, so it leads; 15 models each ten minutes.
CREATE TABLE models
(
    id String COMMENT 'Author and name of the model on Hugging Face' CODEC(ZSTD(3)),
    likes UInt32 COMMENT 'Likes of all time' CODEC(T64, ZSTD(1)),
    downloads UInt64 COMMENT 'Downloads of the last 30 days' CODEC(T64, ZSTD(1)),
    trending_score Nullable(Float64) COMMENT 'Likes of the last 7 days, as the hub counts them',
    pipeline LowCardinality(String) COMMENT 'Task of the model, such as text-generation; empty where unknown',
    library LowCardinality(String) COMMENT 'Library of the model, such as transformers; empty where unknown',
    license LowCardinality(String) COMMENT 'Short name of the licence, such as apache-2.0; empty where unknown',
    updated_at Nullable(DateTime64(3, 'UTC')) COMMENT 'When the files of the model last changed',
    listed Bool COMMENT 'False in the row that says that the model left the 15 trending ones; the other values are its last',
    observed_at DateTime64(3, 'UTC') COMMENT 'When Tidewire saw it so' CODEC(Delta, ZSTD(3)),
    event_id String COMMENT 'Id of the log event behind the row' CODEC(ZSTD(3)),
    log_offset UInt64 COMMENT 'Offset of that event in the deltas topic' CODEC(Delta, ZSTD(3))
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(observed_at)
ORDER BY (id, observed_at)
COMMENT 'Trending models of Hugging Face: a row when one enters the first 15, its likes, downloads or score change, or it leaves them'
