-- Percent in every table, never a share: beside it stands the percent of a year.
ALTER TABLE funding_rates ADD COLUMN IF NOT EXISTS period_percent Float64 ALIAS round(period_rate * 100, 10) COMMENT 'Rate of a period as estimated for the coming payment, percent; positive: buyers pay' AFTER period_rate;
ALTER TABLE funding_rates COMMENT COLUMN period_rate 'The same as period_percent, as the venues give it: a fraction (0.0001 is 0.01 percent)'
