-- Questions: how many securities were halted on a day and why, how long halts last, how often a symbol was halted.
-- Almost every query names a range of days, so the time of the halt leads; the month of observation cuts what it has to read.
CREATE TABLE trade_halts
(
    halted_at DateTime64(3, 'UTC') COMMENT 'When trading was halted' CODEC(Delta, ZSTD(3)),
    symbol LowCardinality(String) COMMENT 'Symbol of the security, such as BKSY.W',
    name String COMMENT 'Name of the security; empty where none is given' CODEC(ZSTD(3)),
    market LowCardinality(String) COMMENT 'Listing market, such as NASDAQ, NYSE or AMEX',
    reason_code LowCardinality(String) COMMENT 'As the exchange writes it: T1 news pending, T12 information requested, LUDP and M volatility pause, and others',
    pause_threshold_price Nullable(Float64) COMMENT 'Price that set off the pause, US dollars; null where none is given',
    resumption_quote_at Nullable(DateTime64(3, 'UTC')) COMMENT 'From when on quotes are accepted; null until that is announced',
    resumption_at Nullable(DateTime64(3, 'UTC')) COMMENT 'From when on it trades again; null until that is announced',
    listed Bool COMMENT 'False in the row for its removal from the list; the other values are its last',
    observed_at DateTime64(3, 'UTC') COMMENT 'When Tidewire saw it so' CODEC(Delta, ZSTD(3)),
    event_id String COMMENT 'Id of the log event behind the row' CODEC(ZSTD(3)),
    log_offset UInt64 COMMENT 'Offset of that event in the deltas topic' CODEC(Delta, ZSTD(3))
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(observed_at)
ORDER BY (halted_at, symbol, observed_at)
COMMENT 'Trading halts on US exchanges: a row when one is listed, its reason or resumption changes, or it leaves the list'
