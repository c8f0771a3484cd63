-- An airport may have several entries of one kind, such as two ground stops.
ALTER TABLE airport_events ADD COLUMN IF NOT EXISTS distinction String COMMENT 'Where several entries of a kind differ at one airport: what tells this one apart, its reason and a number; else empty' AFTER weekdays
