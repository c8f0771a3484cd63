import { Schema } from "effect"
import { CREW_MAX, CREW_NAME_LENGTH_MAX, type CrewMember, crew } from "../../schemas/feeds/crew.ts"
import { document, source, UpstreamError } from "../source.ts"
import { cleanText, cleanTextOrNull } from "../text.ts"
import { maybe } from "../wire.ts"

/** http://open-notify.org/Open-Notify-API/People-In-Space/ Its `number` is kept by hand too, so people are counted here. */
const Astronauts = Schema.Struct({
  message: maybe(Schema.String),
  people: Schema.Array(Schema.Struct({ name: Schema.String, craft: maybe(Schema.String) })),
})

const astronauts = document({
  format: "json",
  wire: Astronauts,
  // The host offers no https.
  url: "http://api.open-notify.org/astros.json",
  bodyBytesMax: 256 * 1024,
})

/** One name for each station: the Chinese one has also been listed under the ship that was docked to it. */
const aliases: ReadonlyArray<readonly [pattern: RegExp, name: string]> = [
  [/^(shenzhou|tiangong|tianhe|css\b|chinese space station|china space station)/i, "Tiangong"],
  [/^(iss\b|international space station)/i, "ISS"],
]

const craftOf = (craft: string | null | undefined): string | null => {
  const name = cleanTextOrNull(craft, CREW_NAME_LENGTH_MAX)
  return name === null ? null : (aliases.find(([pattern]) => pattern.test(name))?.[1] ?? name)
}

const order = (member: CrewMember): string => `${member.craft ?? "\uffff"}\u0000${member.name}`

export default source({
  name: "open-notify",
  provider: "OpenNotify.astronauts",
  fills: crew,
  // Edited by hand and served by a small volunteer host.
  every: "6 hours",
  documents: { astronauts },
  collect: (upstream) => upstream.get(astronauts, undefined),
  normalise: ({ message, people }) => {
    if ((message ?? "success") !== "success") return new UpstreamError({ message: "the list says it is no success" })
    const members = people.map(({ name, craft }) => ({
      name: cleanText(name, CREW_NAME_LENGTH_MAX),
      craft: craftOf(craft),
    }))
    // A name listed twice is one person.
    const byName = new Map(members.filter(({ name }) => name !== "").map((member) => [member.name, member]))
    const items = [...byName.values()].sort((a, b) => (order(a) < order(b) ? -1 : 1)).slice(0, CREW_MAX)
    return { payload: { items }, contentAtMs: null }
  },
  attribution: {
    provider: "Open Notify",
    licence: "No terms stated; compiled by Nathan Bergey",
    url: "http://open-notify.org/Open-Notify-API/People-In-Space/",
  },
})
