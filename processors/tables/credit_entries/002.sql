-- An endpoint goes by its path, under the same name in every table.
ALTER TABLE credit_entries ADD COLUMN IF NOT EXISTS endpoint LowCardinality(String) ALIAS purpose COMMENT 'Of a debit: path of the endpoint, or the service that reserved; empty for others' AFTER purpose;
ALTER TABLE credit_entries COMMENT COLUMN purpose 'The same as endpoint, as the ledger names it'
