ALTER TABLE events MODIFY COMMENT 'Every event of every topic but the ledger, whole, one row each; for ever, unless KEEP_HISTORY names this table'
