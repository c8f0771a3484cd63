import * as Schema from "effect/Schema"
import { endpoint } from "../contract/endpoint.ts"
import { clause, itemWords, numberText } from "../contract/glance.ts"
import { listFeed } from "../feed.ts"
import { NonEmptyTextUpTo } from "../values.ts"

/** The most people that a payload holds: what could ever be aboard, many times over. */
export const CREW_MAX = 200
/** The longest name of a person or a craft, in code points. */
export const CREW_NAME_LENGTH_MAX = 100

/** One person who is in space. */
export const CrewMember = Schema.Struct({
  name: NonEmptyTextUpTo(CREW_NAME_LENGTH_MAX).annotate({ description: "Full name" }),
  craft: Schema.NullOr(NonEmptyTextUpTo(CREW_NAME_LENGTH_MAX)).annotate({
    description: "Station or ship they are aboard, such as ISS or Tiangong; null where the source does not say",
  }),
})
export type CrewMember = typeof CrewMember.Type

const place = ({ craft, name }: CrewMember): string => `${craft ?? "\uffff"}\u0000${name}`

export const humansInSpace = listFeed({
  name: "humans-in-space",
  description: "The people who are in space and the craft they are aboard, by craft and name.",
  item: CrewMember,
  itemsMax: CREW_MAX,
  // A name that is listed twice is one person.
  key: (item) => item.name,
  order: (one, other) => (place(one) < place(other) ? -1 : 1),
  // Stations have been crewed without a gap since the year 2000.
  mayBeEmpty: false,
  // Crews change every month or two: a list that has not changed for longer is not kept any more.
  contentAgeMax: "60 days",
})

export const humansInSpaceEndpoint = endpoint({
  path: "/api/humans-in-space",
  name: "humans_in_space",
  kind: "prepared",
  tier: "free",
  subject: "space",
  ttl: "1 hour",
  summary: "The people who are in space now, and where",
  description: "A list kept by hand at its source: it can lag behind launches and landings by weeks.",
  parameters: {},
  data: Schema.Struct({
    count: Schema.Natural.annotate({ description: "How many people are listed" }),
    people: Schema.Array(CrewMember).check(Schema.isMaxLength(CREW_MAX)),
  }),
  changes: [{ feed: humansInSpace, title: ({ name, craft }) => itemWords(name, craft) }],
  glance: {
    title: "People in space",
    headline: ({ count, people }) => {
      const crafts = [...new Set(people.map(({ craft }) => craft ?? "unknown craft"))]
      const aboard = (name: string) => people.filter(({ craft }) => (craft ?? "unknown craft") === name).length
      return {
        value: count,
        unit: null,
        note:
          count === 0 ? "The list is empty" : clause(...crafts.map((name) => `${name} ${numberText(aboard(name))}`)),
      }
    },
  },
  example: {
    count: 2,
    people: [
      { name: "Raja Chari", craft: "ISS" },
      { name: "Wang Yaping", craft: "Tiangong" },
    ],
  },
})
