import * as Schema from "effect/Schema"
import { endpoint } from "../contract/endpoint.ts"
import { clause, marksOf } from "../contract/glance.ts"
import { day } from "../contract/parameters.ts"
import { Instant } from "../event.ts"
import { listFeed } from "../feed.ts"
import { HttpUrl, Latitude, Longitude, NonEmptyTextUpTo } from "../values.ts"

/** How many reports a payload holds; an issue has about twenty-five. */
export const VOLCANO_REPORTS_MAX = 100
/** How many reports are shown. */
export const VOLCANO_REPORTS_SHOWN_MAX = 30
export const VOLCANO_NAME_MAX_CHARACTERS = 120
/** The longest report kept; most have about a thousand characters. */
export const VOLCANO_REPORT_MAX_CHARACTERS = 4_000
export const VOLCANO_SUMMARY_MAX_CHARACTERS = 280

const Name = NonEmptyTextUpTo(VOLCANO_NAME_MAX_CHARACTERS)
const Category = NonEmptyTextUpTo(60)
const Period = NonEmptyTextUpTo(80)
/** Numbers of the Global Volcanism Program have six digits. */
const VolcanoNumber = Schema.NullOr(Schema.Int.check(Schema.isBetween({ minimum: 100_000, maximum: 999_999 })))

/** The report about one volcano in one weekly issue. */
export const VolcanoReport = Schema.Struct({
  volcanoNumber: VolcanoNumber,
  name: Name,
  /** Also an area such as "Undersea Features". */
  country: Schema.NullOr(Name),
  /** Such as "New Eruptive Activity". */
  category: Schema.NullOr(Category),
  /** The week of the report, as the issue writes it, such as "16 September-22 September 2026". */
  period: Period,
  periodStart: Schema.NullOr(day),
  periodEnd: Schema.NullOr(day),
  /** The report without its list of sources. */
  report: NonEmptyTextUpTo(VOLCANO_REPORT_MAX_CHARACTERS),
  url: HttpUrl,
  latitude: Schema.NullOr(Latitude),
  longitude: Schema.NullOr(Longitude),
  publishedAt: Instant,
})
export type VolcanoReport = typeof VolcanoReport.Type

export const volcanoes = listFeed({
  name: "volcanoes",
  description: "The reports of the latest weekly issue on volcanic activity, in the order of the issue.",
  item: VolcanoReport,
  itemsMax: VOLCANO_REPORTS_MAX,
  key: ({ volcanoNumber, name, period }) => `${volcanoNumber ?? name}/${period}`,
  publishesGone: false,
  revision: ({ category, report }) => JSON.stringify([category, report]),
  happenedAt: (item) => item.publishedAt,
  // Some twenty volcanoes erupt at any time.
  mayBeEmpty: false,
  // A week, and a day or two by which an issue may be late.
  contentAgeMax: "9 days",
})

type ShownVolcano = {
  readonly name: string
  readonly country: string | null
  readonly category: string | null
}

/** One report in one line. */
const volcanoTitle = ({ name, country, category }: ShownVolcano): string => clause(name, country, category)

export const volcanoesEndpoint = endpoint({
  path: "/api/volcanoes",
  name: "volcanoes",
  kind: "prepared",
  tier: "free",
  subject: "earth",
  ttl: "1 hour",
  summary: "Weekly volcano activity reports: name, country, summary, link",
  description: [
    "The reports of the latest weekly issue of the Smithsonian Institution and the US Geological Survey, new activity first,",
    "at most 30; `total` counts all. A summary is the beginning of the report, at most 280 characters; the whole report stands",
    "at `link`. An issue is a selection: a volcano without a report may be active.",
  ].join(" "),
  parameters: {},
  data: Schema.Struct({
    count: Schema.Natural.annotate({ description: "How many reports are listed" }),
    total: Schema.Natural.annotate({ description: "How many reports the issue has" }),
    reports: Schema.Array(
      Schema.Struct({
        name: Name,
        country: Schema.NullOr(Name).annotate({ description: "Country, or an area such as Undersea Features" }),
        summary: NonEmptyTextUpTo(VOLCANO_SUMMARY_MAX_CHARACTERS).annotate({
          description: "Beginning of the report, at most 280 characters",
        }),
        link: HttpUrl,
        category: Schema.NullOr(Category).annotate({
          description: "In the words of the source, such as New Eruptive Activity or Continuing Unrest",
        }),
        period: Period.annotate({ description: "Week of the report, in the words of the source" }),
        period_start: Schema.NullOr(day).annotate({ description: "First day of the period, YYYY-MM-DD" }),
        period_end: Schema.NullOr(day).annotate({ description: "Last day of the period, YYYY-MM-DD" }),
        volcano_number: VolcanoNumber.annotate({
          description: "Number of the volcano in the catalogue of the Global Volcanism Program",
        }),
        lat: Schema.NullOr(Latitude).annotate({ description: "Degrees north" }),
        lon: Schema.NullOr(Longitude).annotate({ description: "Degrees east" }),
        published_at: Instant,
      }),
    ).check(Schema.isMaxLength(VOLCANO_REPORTS_SHOWN_MAX)),
  }),
  changes: [{ feed: volcanoes, latitude: "lat", longitude: "lon", title: volcanoTitle }],
  glance: {
    title: "Volcanoes",
    headline: ({ total, reports: [first] }) => ({
      value: total,
      unit: null,
      note: clause(
        "in the weekly report",
        ...(first === undefined ? [] : [`first ${first.name}`, first.country, first.category]),
      ),
    }),
    marks: ({ reports }) =>
      marksOf(reports, (report) => ({
        title: volcanoTitle(report),
        // What is new comes first in the words of the source: "New Eruptive Activity".
        weight: report.category?.startsWith("New") === true ? 0.8 : 0.4,
        at: report.published_at,
      })),
  },
  example: {
    count: 1,
    total: 1,
    reports: [
      {
        name: "Mount Sable",
        country: "Syldavia",
        summary: "The observatory reported that an eruption at Mount Sable began on 19 September.",
        link: "https://volcano.si.edu/reports_weekly.cfm#vn_257040",
        category: "New Eruptive Activity",
        period: "16 September-22 September 2026",
        period_start: "2026-09-16",
        period_end: "2026-09-22",
        volcano_number: 257040,
        lat: -16.25,
        lon: 168.12,
        published_at: "2026-09-24T11:03:38.000Z",
      },
    ],
  },
})
