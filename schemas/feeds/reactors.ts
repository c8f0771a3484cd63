import * as Schema from "effect/Schema"
import { endpoint } from "../contract/endpoint.ts"
import { clause, counted, dayText, itemWords, none } from "../contract/glance.ts"
import { day } from "../contract/parameters.ts"
import { ranking, states } from "../contract/plot.ts"
import { listFeed } from "../feed.ts"
import { rounded } from "../number.ts"
import { NonEmptyTextUpTo } from "../values.ts"

/** The most units of a report. The United States have about 94. */
export const REACTORS_MAX = 200
/** A report of fewer units is incomplete. */
export const REACTORS_MIN = 80
export const REACTOR_UNIT_MAX_CHARACTERS = 80
/** The largest power that is believed: 101 percent occurs. */
export const REACTOR_POWER_MAX_PERCENT = 120
/** A unit at this power or above runs at full power. */
export const FULL_POWER_PERCENT = 100

const Unit = NonEmptyTextUpTo(REACTOR_UNIT_MAX_CHARACTERS)
const PowerPercent = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: REACTOR_POWER_MAX_PERCENT }))

/** The power of one unit in one daily report. */
export const ReactorPower = Schema.Struct({
  /** Plant and number, such as "Arkansas Nuclear 1". */
  unit: Unit,
  reportDate: day,
  /** Share of the licensed thermal power; 0: shut down. */
  powerPercent: PowerPercent,
})
export type ReactorPower = typeof ReactorPower.Type

export const reactors = listFeed({
  name: "reactors",
  description: "Power of every reactor unit of the United States in the newest daily report, by unit.",
  item: ReactorPower,
  facts: Schema.Struct({
    /** The day of the report, which all of the items are of. */
    reportDate: day,
  }),
  itemsMax: REACTORS_MAX,
  key: ({ unit }) => unit,
  publishesGone: false,
  order: (one, other) => (one.unit < other.unit ? -1 : 1),
  happenedAt: ({ reportDate }) => `${reportDate}T00:00:00.000Z`,
  mayBeEmpty: false,
  // A report comes on the morning of its day; one of them may be late by a day.
  contentAgeMax: "60 hours",
})

const Units = Schema.Array(
  Schema.Struct({
    unit: Unit,
    power_pct: PowerPercent.annotate({ description: "Percent of the licensed thermal power" }),
  }),
).check(Schema.isMaxLength(REACTORS_MAX))

export const reactorsEndpoint = endpoint({
  path: "/api/reactors",
  name: "reactors",
  kind: "prepared",
  tier: "free",
  subject: "infrastructure",
  ttl: "6 hours",
  summary: "Power of the reactor fleet of the United States, with the units at reduced power and offline",
  description: [
    "The newest daily report of the US Nuclear Regulatory Commission, a snapshot of the early morning (US Eastern time).",
    "Power is thermal power as a share of the licensed one, not electricity. The report names no reason of an outage.",
  ].join(" "),
  parameters: {},
  data: Schema.Struct({
    report_date: day.annotate({ description: "Day of the report, YYYY-MM-DD" }),
    total: Schema.Natural.annotate({ description: "How many units report" }),
    at_full_power: Schema.Natural.annotate({ description: "Units at 100 percent or above" }),
    reduced_count: Schema.Natural.annotate({ description: "Units above 0 and below 100 percent" }),
    offline_count: Schema.Natural.annotate({ description: "Units at 0 percent" }),
    reduced: Units,
    offline: Units,
  }),
  changes: [{ feed: reactors, title: ({ unit, power_pct }) => itemWords(unit, power_pct) }],
  glance: {
    title: "US reactors",
    plots: ({ reduced, offline, at_full_power }) => [
      ranking(
        `Units at reduced power, beside ${at_full_power} at full power`,
        "%",
        reduced
          .toSorted((one, other) => one.power_pct - other.power_pct)
          .map(({ unit, power_pct }) => ({ label: unit, value: power_pct })),
      ),
      states(
        "Units offline",
        offline.map(({ unit }) => ({ label: unit, state: "warn", words: "offline" })),
      ),
    ],
    headline: ({ report_date, at_full_power, reduced, offline_count }) => {
      const working = at_full_power + reduced.length
      const when = dayText(report_date)
      if (working === 0) return none(clause("No unit is at work", when))
      const powers = reduced.reduce((sum, { power_pct }) => sum + power_pct, at_full_power * FULL_POWER_PERCENT)
      return {
        value: rounded(powers / working, 1),
        unit: "%",
        note: clause(`mean power of ${counted(working, "unit")} at work`, `${offline_count} offline`, when),
      }
    },
  },
  example: {
    report_date: "2026-08-17",
    total: 94,
    at_full_power: 91,
    reduced_count: 2,
    offline_count: 1,
    reduced: [
      { unit: "Braidwood 1", power_pct: 85 },
      { unit: "Browns Ferry 3", power_pct: 93 },
    ],
    offline: [{ unit: "Columbia Generating Station 1", power_pct: 0 }],
  },
})
