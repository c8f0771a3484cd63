import * as Schema from "effect/Schema"
import { CREW_NAME_LENGTH_MAX, humansInSpace } from "../../schemas/feeds/humans-in-space.ts"
import { document } from "../document.ts"
import { cleanText, cleanTextOrNull } from "../readers/text.ts"
import { maybe } from "../readers/wire.ts"
import { listSource } from "../source.ts"
import { openTerms } from "../terms.ts"

/** https://github.com/corquaid/international-space-station-APIs Its `number` is corrected days later, so people are counted here. */
const Astronaut = Schema.Struct({
  name: Schema.String,
  /** The ship in which they came, such as "Soyuz MS-28". */
  spacecraft: maybe(Schema.String),
  /** Whether they are aboard the International Space Station. */
  iss: maybe(Schema.Boolean),
})

const people = document({
  format: "json",
  wire: Schema.Struct({ people: Schema.Array(Schema.Unknown) }),
  url: "https://corquaid.github.io/international-space-station-APIs/JSON/people-in-space.json",
  bodyBytesMax: 256 * 1024,
})

/** A Shenzhou flies to the Chinese station; a ship that is at no station is the craft itself. */
const craftOf = ({ iss, spacecraft }: typeof Astronaut.Type): string | null => {
  if (iss === true) return "ISS"
  const ship = cleanTextOrNull(spacecraft, CREW_NAME_LENGTH_MAX)
  return ship !== null && /^shenzhou\b/i.test(ship) ? "Tiangong" : ship
}

export default listSource({
  name: "people-in-space",
  provider: "PeopleInSpace.crew",
  fills: humansInSpace,
  rank: 2,
  // A static file that is edited by hand.
  every: "6 hours",
  isDated: false,
  documents: { people },
  collect: (upstream) => upstream.fetch(people, undefined),
  rows: (collected) => collected.people,
  row: Astronaut,
  toItem: (row) => ({ name: cleanText(row.name, CREW_NAME_LENGTH_MAX), craft: craftOf(row) }),
  contentAtMs: () => null,
  attribution: {
    provider: "International Space Station APIs (Cormac Quaid)",
    licence: "MIT",
    url: "https://github.com/corquaid/international-space-station-APIs",
  },
  terms: openTerms("https://github.com/corquaid/international-space-station-APIs/blob/main/LICENSE", "MIT"),
})
