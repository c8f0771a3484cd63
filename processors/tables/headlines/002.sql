-- The feed of a headline, as in feed_probes. Of earlier rows it follows from the outlet.
ALTER TABLE headlines ADD COLUMN IF NOT EXISTS feed LowCardinality(String) DEFAULT if(outlet IN ('sec', 'federal-reserve'), 'press-releases', 'headlines') COMMENT 'Feed of the headline: headlines, or press-releases' FIRST
