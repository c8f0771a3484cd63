-- The feed of an indicator, as in feed_probes. Of earlier rows it follows from the source.
ALTER TABLE threat_indicators ADD COLUMN IF NOT EXISTS feed LowCardinality(String) DEFAULT if(source = 'urlhaus', 'malware-urls', 'threat-indicators') COMMENT 'Feed of the indicator: malware-urls or threat-indicators' FIRST
