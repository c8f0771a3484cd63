-- Questions: which harness gets the most out of a model, how a board changed, what a solved share cost.
-- A revision is never compared with another, so it leads; then all rows of a model are together. A few rows a week: months of
-- observation are more than enough partitions.
CREATE TABLE harness_scores
(
    revision LowCardinality(String) COMMENT 'Revision of Terminal-Bench: 4.0 or 2.1; scores compare within one only',
    model LowCardinality(String) COMMENT 'Model',
    harness LowCardinality(String) COMMENT 'Agent that works with the model',
    reasoning_effort LowCardinality(String) COMMENT 'Setting of the model, such as high; empty where the board names none',
    rank Nullable(UInt32) COMMENT 'Rank on the board; equal scores share one; null where it gives none',
    score Float64 COMMENT 'Tasks that were solved, percent' CODEC(Gorilla, ZSTD(1)),
    ci_low Nullable(Float64) COMMENT 'Lower end of the 95 % interval, percent; null without an interval' CODEC(Gorilla, ZSTD(1)),
    ci_high Nullable(Float64) COMMENT 'Upper end of the 95 % interval, percent; null without an interval' CODEC(Gorilla, ZSTD(1)),
    tokens Nullable(UInt64) COMMENT 'Tokens of all trials together',
    cost_usd Nullable(Float64) COMMENT 'Cost of all trials together, US dollars' CODEC(Gorilla, ZSTD(1)),
    listed Bool COMMENT 'False in the row for its removal from the board; the other values are its last',
    observed_at DateTime64(3, 'UTC') COMMENT 'When Tidewire saw it so' CODEC(Delta, ZSTD(3)),
    event_id String COMMENT 'Id of the log event behind the row' CODEC(ZSTD(3)),
    log_offset UInt64 COMMENT 'Offset of that event in the deltas topic' CODEC(Delta, ZSTD(3))
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(observed_at)
ORDER BY (revision, model, harness, observed_at)
COMMENT 'Scores of harnesses with models on Terminal-Bench: a row when one is listed, its score or interval changes, or it leaves the board'
