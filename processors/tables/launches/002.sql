-- A probability is between 0 and 1 in every table.
ALTER TABLE launches ADD COLUMN IF NOT EXISTS weather_probability Nullable(Float64) ALIAS round(probability_percent / 100, 2) COMMENT 'Probability of acceptable weather, 0 to 1' AFTER probability_percent;
ALTER TABLE launches COMMENT COLUMN probability_percent 'The same as weather_probability, as the source gives it: percent'
