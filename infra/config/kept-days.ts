import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import { datedTopics, type KeptDays, type Topic } from "../../schemas/topics.ts"
import { text } from "./setting.ts"

const DAYS_MAX = 36_500
const ENTRY = /^([a-z]+)=(\d{1,5})$/

const isDated = (name: string): name is Topic => (datedTopics as ReadonlyArray<string>).includes(name)

const entriesOf = (given: string) =>
  given.split(",").map((entry) => {
    const [, topic = "", days = ""] = ENTRY.exec(entry.trim()) ?? []
    return { topic, days: Number(days) }
  })

const problemOf = (given: string): string | undefined => {
  const entries = entriesOf(given)
  const wrong = entries.some(({ topic, days }) => !isDated(topic) || days < 1 || days > DAYS_MAX)
  if (wrong) return `must be topic=days, comma separated, of ${datedTopics.join(", ")}, and 1 to ${DAYS_MAX} days`
  return new Set(entries.map(({ topic }) => topic)).size < entries.length ? "names a topic twice" : undefined
}

/** Days by topic, as `observations=60,deltas=14`. */
export const Days: Schema.Codec<KeptDays, string> = text(problemOf).pipe(
  Schema.decodeTo(Schema.Record(Schema.String, Schema.Int), {
    decode: SchemaGetter.transform((given) =>
      Object.fromEntries(entriesOf(given).map(({ topic, days }) => [topic, days])),
    ),
    encode: SchemaGetter.transform((days) =>
      Object.entries(days)
        .map(([topic, count]) => `${topic}=${count}`)
        .join(","),
    ),
  }),
)
