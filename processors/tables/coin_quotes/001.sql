-- Questions: the course of a coin's price and size over days or months, which coins moved the most on a day, when a coin
-- entered or left the hundred largest. Most queries name coins and a range of time: the coin leads the key and time follows,
-- and partitions by month limit what a range reads. Prices repeat their leading digits, which Gorilla stores as a few bits.
CREATE TABLE coin_quotes
(
    id LowCardinality(String) COMMENT 'Id of the coin at its source, such as bitcoin; symbols are not unique',
    symbol LowCardinality(String) COMMENT 'Symbol in capitals, such as BTC',
    name LowCardinality(String) COMMENT 'Name of the coin',
    price_usd Float64 COMMENT 'Price, US dollars' CODEC(Gorilla, ZSTD(1)),
    change_1h_percent Nullable(Float64) COMMENT 'Change of the price in an hour, percent; null if not given',
    change_24h_percent Nullable(Float64) COMMENT 'Change of the price in 24 hours, percent; null if not given',
    change_7d_percent Nullable(Float64) COMMENT 'Change of the price in 7 days, percent; null if not given',
    market_cap_usd Nullable(Float64) COMMENT 'Price times coins in circulation, US dollars; null where these are not known' CODEC(Gorilla, ZSTD(1)),
    volume_24h_usd Nullable(Float64) COMMENT 'Turnover of the last 24 hours on all markets, US dollars' CODEC(Gorilla, ZSTD(1)),
    rank Nullable(UInt32) COMMENT 'Place by market capitalisation, from 1; null if not given',
    updated_at Nullable(DateTime64(3, 'UTC')) COMMENT 'When the source last changed the quote',
    listed Bool COMMENT 'False in the row of its departure from the hundred largest; the other values are its last',
    provider LowCardinality(String) COMMENT 'Source of the quote, as in _meta.sources',
    observed_at DateTime64(3, 'UTC') COMMENT 'When Tidewire observed this state' CODEC(Delta, ZSTD(3)),
    event_id String COMMENT 'Id of the log event behind the row' CODEC(ZSTD(3)),
    log_offset UInt64 COMMENT 'Offset of that event in the deltas topic' CODEC(Delta, ZSTD(3))
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(observed_at)
ORDER BY (id, observed_at)
COMMENT 'The hundred largest coins: a row when one appears, its price, change or capitalisation changes, or it leaves them'
