import * as Schema from "effect/Schema"
import { CREW_NAME_LENGTH_MAX, humansInSpace } from "../../schemas/feeds/humans-in-space.ts"
import { document, UpstreamError } from "../document.ts"
import { cleanText, cleanTextOrNull } from "../readers/text.ts"
import { maybe } from "../readers/wire.ts"
import { listSource } from "../source.ts"
import { termsOf } from "../terms.ts"

/** http://open-notify.org/Open-Notify-API/People-In-Space/ Its `number` is kept by hand too, so people are counted here. */
const Astronaut = Schema.Struct({ name: Schema.String, craft: maybe(Schema.String) })
const Astronauts = Schema.Struct({ message: maybe(Schema.String), people: Schema.Array(Schema.Unknown) })

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

export default listSource({
  name: "open-notify",
  provider: "OpenNotify.astronauts",
  fills: humansInSpace,
  // Edited by hand and served by a small volunteer host.
  every: "6 hours",
  isDated: false,
  documents: { astronauts },
  collect: (upstream) => upstream.fetch(astronauts, undefined),
  rows: ({ message, people }) =>
    (message ?? "success") === "success"
      ? people
      : new UpstreamError({ message: "the answer says that it is no success" }),
  row: Astronaut,
  toItem: ({ name, craft }) => ({ name: cleanText(name, CREW_NAME_LENGTH_MAX), craft: craftOf(craft) }),
  contentAtMs: () => null,
  attribution: {
    provider: "Open Notify",
    licence: "No terms stated; compiled by Nathan Bergey",
    url: "http://open-notify.org/Open-Notify-API/People-In-Space/",
  },
  terms: termsOf({ use: "provider", url: "http://open-notify.org/Open-Notify-API/People-In-Space/" }),
})
