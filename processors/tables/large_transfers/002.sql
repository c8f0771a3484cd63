-- The feed of a transfer, as in feed_probes. Of earlier rows it follows from the chain.
ALTER TABLE large_transfers ADD COLUMN IF NOT EXISTS feed LowCardinality(String) DEFAULT concat(chain, '-transfers') COMMENT 'Feed of the transfer: bitcoin-transfers or ethereum-transfers' FIRST
