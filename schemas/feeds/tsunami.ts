import * as Schema from "effect/Schema"
import { volatile } from "../contract/annotations.ts"
import { endpoint } from "../contract/endpoint.ts"
import { clause, counted, itemWords, marksOf } from "../contract/glance.ts"
import { Instant } from "../event.ts"
import { listFeed, type Parameters } from "../feed.ts"
import { HttpUrl, Latitude, Longitude, NonEmptyTextUpTo, TextUpTo } from "../values.ts"

/** The warning centres: PAAQ is the National one in Palmer, PHEB the Pacific one in Honolulu. */
export const tsunamiCentres = ["PAAQ", "PHEB"] as const
/** An instance for each centre. */
export const tsunamiInstances: ReadonlyArray<Parameters> = tsunamiCentres.map((centre) => ({ centre }))

/** The most messages kept of one centre; its feed holds the latest alone. */
export const TSUNAMI_MESSAGES_MAX = 20
/** The most messages shown: those that are active before all others. */
export const TSUNAMI_MESSAGES_SHOWN_MAX = 40
/** The longest texts kept, in code points. */
export const TSUNAMI_TITLE_LENGTH_MAX = 200
export const TSUNAMI_NOTE_LENGTH_MAX = 1000

/**
 * What a message says of the danger, in the centres' own words. `no_threat` says that there is none, `test` is an exercise
 * of the communication lines: both are kept and never active.
 */
export const tsunamiCategories = [
  "information",
  "watch",
  "advisory",
  "warning",
  "threat",
  "cancellation",
  "no_threat",
  "test",
] as const
export type TsunamiCategory = (typeof tsunamiCategories)[number]

/** Levels of escalation, lowest first. */
export const tsunamiLevels = ["info", "watch", "advisory", "warning"] as const
export type TsunamiLevel = (typeof tsunamiLevels)[number]

/**
 * The level of a category. A threat message warns other nations of dangerous waves and leaves the level to them: the
 * highest is the one that understates nothing. A cancellation ends what came before and informs.
 */
export const tsunamiLevel: Readonly<Record<TsunamiCategory, TsunamiLevel>> = {
  information: "info",
  watch: "watch",
  advisory: "advisory",
  warning: "warning",
  threat: "warning",
  cancellation: "info",
  no_threat: "info",
  test: "info",
}

/** Categories of messages that announce nothing and are not active, however young they are. */
export const inactiveCategories: ReadonlySet<TsunamiCategory> = new Set(["cancellation", "no_threat", "test"])

const Magnitude = Schema.Finite.check(Schema.isBetween({ minimum: -2, maximum: 11 }))

/** The latest message of one product of a centre about one event. */
export const TsunamiMessage = Schema.Struct({
  /** The centre's name of the event, the same in each of its messages; null where the feed does not name it. */
  event: Schema.NullOr(NonEmptyTextUpTo(100)),
  /**
   * The product as the weather service names it, such as WEPA40 for threat messages of the Pacific: each is ended by its
   * own cancellation or by age, never by a message of another product. Null where the feed does not name it.
   */
  product: Schema.NullOr(NonEmptyTextUpTo(20)),
  centre: Schema.Literals(tsunamiCentres),
  /** Counts the messages about the event, from 1. */
  number: Schema.NullOr(Schema.Natural),
  category: Schema.Literals(tsunamiCategories),
  title: TextUpTo(TSUNAMI_TITLE_LENGTH_MAX),
  place: TextUpTo(TSUNAMI_TITLE_LENGTH_MAX),
  issuedAt: Instant,
  /** Epicentre of the earthquake behind the message. */
  latitude: Schema.NullOr(Latitude),
  longitude: Schema.NullOr(Longitude),
  magnitude: Schema.NullOr(Magnitude),
  magnitudeType: Schema.NullOr(NonEmptyTextUpTo(10)),
  note: Schema.NullOr(NonEmptyTextUpTo(TSUNAMI_NOTE_LENGTH_MAX)),
  /** The bulletin in words. */
  url: Schema.NullOr(HttpUrl),
})
export type TsunamiMessage = typeof TsunamiMessage.Type

/** What makes two messages messages of one product about one event. A message without an event stands for itself. */
export const tsunamiKey = ({ centre, event, product, issuedAt }: TsunamiMessage): string =>
  `${centre}/${event ?? issuedAt}/${product ?? ""}`

export const tsunami = listFeed({
  name: "tsunami",
  instances: tsunamiInstances,
  description: "What the feeds of the tsunami warning centres hold: the latest message of each, whatever its product.",
  item: TsunamiMessage,
  itemsMax: TSUNAMI_MESSAGES_MAX,
  key: tsunamiKey,
  publishesGone: false,
  order: (one, other) =>
    one.issuedAt < other.issuedAt ? 1 : one.issuedAt > other.issuedAt ? -1 : (other.number ?? 0) - (one.number ?? 0),
  happenedAt: (item) => item.issuedAt,
  // A message that cannot be read may be a warning, and a feed without a message is read from its title.
  unreadableShare: 0,
  mayBeEmpty: false,
  // A centre that has nothing to say leaves its last message standing for weeks: content has no age to watch.
})

export const tsunamiEndpoint = endpoint({
  path: "/api/tsunami",
  name: "tsunami",
  kind: "prepared",
  tier: "free",
  subject: "earth",
  ttl: "5 minutes",
  summary: "Latest messages of the two U.S. tsunami warning centres",
  description:
    "The latest message of each product about each event, of the last 24 hours and what the centres publish now. A message is active for 24 hours, an informational one for 6, unless its own product cancels it; the highest level is that of the active messages, `none` when no message is active. Threat messages count as warnings. A centre publishes its latest message alone, so what was issued before `watched_since` may be missing. Not a warning service: follow your local authorities.",
  parameters: {},
  data: Schema.Struct({
    highest_level: volatile(
      Schema.Literals(["none", ...tsunamiLevels]).annotate({
        description: "The highest level among active messages: none, info, watch, advisory, warning",
      }),
    ),
    active_count: volatile(Schema.Natural.annotate({ description: "How many messages are active" })),
    watched_since: volatile(
      Schema.NullOr(Instant).annotate({
        description: "Since when both centres have been read without a gap; null while one of them has never been read",
      }),
    ),
    messages: Schema.Array(
      Schema.Struct({
        centre: Schema.Literals(tsunamiCentres).annotate({
          description: "PAAQ: National Tsunami Warning Center; PHEB: Pacific Tsunami Warning Center",
        }),
        event: Schema.NullOr(Schema.String).annotate({ description: "The centre's name of the event" }),
        product: Schema.NullOr(Schema.String).annotate({
          description:
            "The weather service's name of the series of messages, such as WEPA40; null where it is not given",
        }),
        number: Schema.NullOr(Schema.Natural).annotate({ description: "Counts the messages about the event, from 1" }),
        level: Schema.Literals(tsunamiLevels),
        category: Schema.Literals(tsunamiCategories).annotate({
          description: "The centre's own word for the message; no_threat and test are never active",
        }),
        active: volatile(Schema.Boolean),
        title: TextUpTo(TSUNAMI_TITLE_LENGTH_MAX),
        place: TextUpTo(TSUNAMI_TITLE_LENGTH_MAX),
        issued_at: Instant,
        magnitude: Schema.NullOr(Magnitude).annotate({ description: "Preliminary magnitude of the earthquake" }),
        lat: Schema.NullOr(Latitude).annotate({ description: "Epicentre, degrees north" }),
        lon: Schema.NullOr(Longitude).annotate({ description: "Epicentre, degrees east" }),
        note: Schema.NullOr(TextUpTo(TSUNAMI_NOTE_LENGTH_MAX)),
        url: Schema.NullOr(HttpUrl).annotate({ description: "The bulletin in words" }),
      }),
    ).check(Schema.isMaxLength(TSUNAMI_MESSAGES_SHOWN_MAX)),
  }),
  changes: [
    {
      feed: tsunami,
      without: ["active"],
      magnitude: "magnitude",
      latitude: "lat",
      longitude: "lon",
      title: ({ title, place, level }) => itemWords(title, place, level),
    },
  ],
  glance: {
    title: "Tsunami messages",
    headline: ({ highest_level, active_count, messages }) => {
      const latest = messages.find(({ active }) => active)
      return {
        value: highest_level,
        unit: null,
        note: clause(
          counted(active_count, "active message"),
          latest === undefined ? null : `the latest ${latest.place === "" ? latest.title : latest.place}`,
          "no warning service: follow your local authorities",
        ),
      }
    },
    marks: ({ messages }) =>
      marksOf(messages, ({ category, level, active, title, place, issued_at }) => ({
        title: clause(
          `Tsunami ${category.replace("_", " ")}${active ? "" : ", not active"}`,
          place === "" ? title : place,
        ),
        weight: active ? { info: 0.4, watch: 0.8, advisory: 0.9, warning: 1 }[level] : 0,
        at: issued_at,
      })),
  },
  example: {
    highest_level: "info",
    active_count: 1,
    watched_since: "2026-08-14T06:10:09.000Z",
    messages: [
      {
        centre: "PAAQ",
        event: "tjxl6l",
        product: "WEAK53",
        number: 1,
        level: "info",
        category: "information",
        active: true,
        title: "Tsunami Information Statement Number 1",
        place: "100 miles SW of Kodiak City, Alaska",
        issued_at: "2026-08-17T20:39:52.000Z",
        magnitude: 4.6,
        lat: 57.2,
        lon: -154.8,
        note: "* There is NO tsunami danger from this earthquake.",
        url: "https://www.tsunami.gov/events/PAAQ/2026/08/17/tjxl6l/1/WEAK53/WEAK53.txt",
      },
    ],
  },
})
