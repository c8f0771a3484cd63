-- An endpoint goes by its path, under the same name in every table. Rows from before hold its name until a rebuild.
ALTER TABLE requests_by_minute COMMENT COLUMN endpoint 'Path of the endpoint, as in credit_entries; unknown for paths that do not exist'
