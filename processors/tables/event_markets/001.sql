-- Questions: how the odds of an event moved and when its leading answer changed, which events drew trade in a period.
-- The course of one event is read as a whole, so the event leads the key and time follows; partitions by month limit what a
-- range of dates reads. Odds and volumes change little from row to row, which Gorilla stores as a few bits.
CREATE TABLE event_markets
(
    event_ticker String COMMENT 'Ticker of the event at Kalshi' CODEC(ZSTD(3)),
    title String COMMENT 'Title of the event' CODEC(ZSTD(3)),
    category LowCardinality(String) COMMENT 'Category in the words of the exchange; empty if not known',
    leader String COMMENT 'Answer with the highest probability; empty while none has a price' CODEC(ZSTD(3)),
    leader_probability Nullable(Float64) COMMENT 'Probability of that answer, 0 to 1; null while none has a price' CODEC(Gorilla, ZSTD(1)),
    volume_24h_contracts Float64 COMMENT 'Contracts traded in the last 24 hours, over the open markets of the event' CODEC(Gorilla, ZSTD(1)),
    open_interest_contracts Nullable(Float64) COMMENT 'Contracts that are held, over the open markets; null if not given' CODEC(Gorilla, ZSTD(1)),
    market_count UInt32 COMMENT 'How many markets of the event are open' CODEC(Delta, ZSTD(3)),
    closes_at Nullable(DateTime64(3, 'UTC')) COMMENT 'When the last of them closes; null if not given',
    updated_at Nullable(DateTime64(3, 'UTC')) COMMENT 'When the exchange last changed one of them; null if not given',
    listed Bool COMMENT 'False in the row of its departure from the hundred most traded open events; the other values are its last',
    provider LowCardinality(String) COMMENT 'Source of the row, as in _meta.sources',
    observed_at DateTime64(3, 'UTC') COMMENT 'When Tidewire observed this state' CODEC(Delta, ZSTD(3)),
    event_id String COMMENT 'Id of the log event behind the row' CODEC(ZSTD(3)),
    log_offset UInt64 COMMENT 'Offset of that event in the deltas topic' CODEC(Delta, ZSTD(3))
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(observed_at)
ORDER BY (event_ticker, observed_at)
COMMENT 'The most traded open events of Kalshi, without sports: a row when one appears, its leader, odds or volume change, or it leaves the list'
