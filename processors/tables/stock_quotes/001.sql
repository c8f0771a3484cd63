-- Questions: the course of a share over a day or months, its range of a day, which shares rose or fell together.
-- Most queries name symbols and a range of time: the symbol leads the key and the time of the trade follows, and partitions by
-- month limit what a range reads. Prices repeat their leading digits from row to row, which Gorilla stores as a few bits.
CREATE TABLE stock_quotes
(
    symbol LowCardinality(String) COMMENT 'Ticker in the United States, such as AAPL or BRK.B',
    price Float64 COMMENT 'Price of the last trade, US dollars' CODEC(Gorilla, ZSTD(1)),
    open Nullable(Float64) COMMENT 'First price of the session, US dollars; null if not given' CODEC(Gorilla, ZSTD(1)),
    high Nullable(Float64) COMMENT 'Highest price of the session so far, US dollars; null if not given' CODEC(Gorilla, ZSTD(1)),
    low Nullable(Float64) COMMENT 'Lowest price of the session so far, US dollars; null if not given' CODEC(Gorilla, ZSTD(1)),
    previous_close Nullable(Float64) COMMENT 'Last price of the session before, US dollars; null if the source does not give it' CODEC(Gorilla, ZSTD(1)),
    traded_at DateTime64(3, 'UTC') COMMENT 'When the trade was' CODEC(Delta, ZSTD(3)),
    provider LowCardinality(String) COMMENT 'Source of the quote, as in _meta.sources',
    observed_at DateTime64(3, 'UTC') COMMENT 'When Tidewire saw the quote' CODEC(Delta, ZSTD(3)),
    event_id String COMMENT 'Id of the log event behind the row' CODEC(ZSTD(3)),
    log_offset UInt64 COMMENT 'Offset of that event in the deltas topic' CODEC(Delta, ZSTD(3))
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(traded_at)
ORDER BY (symbol, traded_at)
COMMENT 'Quotes of US shares and funds: a row for each price that differed from the one seen before it, at most one each minute and symbol'
