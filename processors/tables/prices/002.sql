-- The feed of a price, so that the latest price of each is found, whichever venue stood in. Of earlier rows it follows from
-- what they hold.
ALTER TABLE prices ADD COLUMN IF NOT EXISTS feed LowCardinality(String) DEFAULT multiIf(period = 'day', 'btc-candles', provider = 'Binance.tickers', 'exchange-tickers', 'btc-price') COMMENT 'Feed of the price: btc-price, exchange-tickers or btc-candles' FIRST
