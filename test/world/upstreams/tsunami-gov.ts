import { simulatedUpstream } from "../upstream.ts"
import { type Quake, quakes, type World } from "../world.ts"

const MINUTE_MS = 60_000
/** The delay from a quake to a centre's first message. */
const TELLS_AFTER_MS = 6 * MINUTE_MS
const LOOKBACK_MS = 2 * 86_400_000
/** The world's quakes are small; from this magnitude on its centres write a bulletin. */
const MAGNITUDE_MIN = 2.8

/** The latest bulletin of a centre of the world. */
export interface Bulletin {
  readonly quake: Quake
  readonly number: number
  readonly category: "Information" | "Watch" | "Advisory" | "Warning" | "Threat" | "Cancellation"
  readonly issuedMs: number
}

const national = ({ latitude, longitude }: Quake): boolean => latitude > 30 && longitude < -110

const danger = (world: World, quake: Quake, centre: string): Bulletin["category"] => {
  const share = world.random("tsunami", quake.id)
  if (share < 0.8) return "Information"
  if (share < 0.87) return "Watch"
  if (share < 0.94) return "Advisory"
  return centre === "PHEB" ? "Threat" : "Warning"
}

/** The messages about a quake: the first some minutes later; of a danger one an hour, and the fourth cancels it. */
const bulletinsOf = (world: World, quake: Quake, centre: string): ReadonlyArray<Bulletin> => {
  const category = danger(world, quake, centre)
  const firstMs = Math.ceil((quake.atMs + TELLS_AFTER_MS) / 1000) * 1000
  return Array.from({ length: category === "Information" ? 1 : 4 }, (_, index) => ({
    quake,
    number: index + 1,
    category: index === 3 ? "Cancellation" : category,
    issuedMs: firstMs + index * 60 * MINUTE_MS,
  }))
}

/** The latest message of a centre of the world, of whatever age; null in a world without a quake. */
export const latestBulletin = (world: World, centre: string): Bulletin | null => {
  const own = quakes(world, world.nowMs - LOOKBACK_MS, world.nowMs - TELLS_AFTER_MS - 1000).filter(
    (quake) => national(quake) === (centre === "PAAQ"),
  )
  const strongest = own.reduce<Quake | null>(
    (best, one) => (best === null || one.magnitude > best.magnitude ? one : best),
    null,
  )
  const announced = own.filter(({ magnitude }) => magnitude >= MAGNITUDE_MIN)
  return (announced.length === 0 && strongest !== null ? [strongest] : announced)
    .flatMap((quake) => bulletinsOf(world, quake, centre))
    .filter(({ issuedMs }) => issuedMs <= world.nowMs)
    .reduce<Bulletin | null>((best, one) => (best === null || one.issuedMs > best.issuedMs ? one : best), null)
}

const uuid = (world: World, ...labels: ReadonlyArray<string | number>): string => {
  const digits = [0, 1, 2, 3].map((part) =>
    Math.floor(world.random("uuid", part, ...labels) * 0xffffffff)
      .toString(16)
      .padStart(8, "0"),
  )
  return digits.join("").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5")
}

const titles = {
  Information: "Tsunami Information Statement",
  Watch: "Tsunami Watch",
  Advisory: "Tsunami Advisory",
  Warning: "Tsunami Warning",
  Threat: "Tsunami Threat Message",
  Cancellation: "Tsunami Cancellation",
} as const

const atom = (world: World, centre: string, bulletin: Bulletin): string => {
  const { quake, number, category, issuedMs } = bulletin
  const pacific = centre === "PHEB"
  const iso = new Date(issuedMs).toISOString()
  const updated = `${iso.slice(0, 19)}Z`
  const day = iso.slice(0, 10).replaceAll("-", "/")
  const product = pacific ? "WEGM42" : "WEAK53"
  const folder = `https://www.tsunami.gov/events/${centre}/${day}/${quake.id}/${number}/${product}`
  // The Pacific centre writes in capitals and pads its titles.
  const title = pacific
    ? `        ${titles[category].toUpperCase()} NUMBER   ${number}        `
    : `${titles[category]} Number ${number}`
  const place = pacific ? quake.place.toUpperCase() : quake.place
  const latitude = quake.latitude.toFixed(3)
  const longitude = quake.longitude.toFixed(3)
  const definition = pacific ? "" : `A ${titles[category].toLowerCase()} is what its name says. `
  const note = category === "Information" ? " * There is NO tsunami danger from this earthquake." : ""
  const map = pacific ? `\n <link rel="related" title="Energy Map" href="${folder}/ " type="image/jpeg" /> ` : ""
  return `<?xml version="1.0" encoding="UTF-8"?>
    <feed xmlns="http://www.w3.org/2005/Atom" xmlns:geo="http://www.w3.org/2003/01/geo/wgs84_pos#" xmlns:georss="http://www.georss.org/georss">
    <id>urn:uuid:${uuid(world, quake.id, number, "feed")}</id><title>${title}</title>
    <updated>${updated}</updated>
    <author>
      <name>${pacific ? "NWS PACIFIC TSUNAMI WARNING CENTER HONOLULU HI" : "NWS National Tsunami Warning Center Palmer AK"}</name>
<uri>https://www.tsunami.gov/</uri>
     <email>ntwc@noaa.gov</email>
    </author>
<icon>https://www.tsunami.gov/images/favicon.ico</icon>
<link type="application/atom+xml" rel="self" title="self" href="https://www.tsunami.gov/events/xml/PAAQAtom.xml"/>${map}

   <entry>

    <title>${place}</title><updated>${updated}</updated>
<geo:lat>${latitude}</geo:lat>
<geo:long>${longitude}</geo:long>
<summary type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">
     <strong>Category:</strong> ${category}<br/><strong>Bulletin Issue Time: </strong> ${day.replaceAll("/", ".")} ${iso.slice(11, 19)} UTC <br/><strong>Preliminary Magnitude: </strong>${quake.magnitude.toFixed(1)}(Mwp)<br/><strong>Lat/Lon: </strong>${latitude} / ${longitude}<br/><strong>Affected Region: </strong>${place}<br/><b>Note:</b> ${note}<br/><strong>Definition: </strong>${definition}<a href="${folder}/${product}.txt">View bulletin</a>  </div></summary>
    <id>urn:uuid:${uuid(world, quake.id, number, "entry")}</id><link rel="related" title="CapXML document" href="${folder}/${centre}CAP.xml" type="application/cap+xml" />
<link rel="alternate" title="Bulletin" href="${folder}/${product}.txt" type="application/xml" />
</entry>
</feed>
`
}

export default simulatedUpstream({
  name: "tsunami-gov",
  hosts: ["www.tsunami.gov"],
  answer: ({ path }, world) => {
    const [, centre = ""] = /^\/events\/xml\/(PAAQ|PHEB)Atom\.xml$/.exec(path) ?? []
    const bulletin = centre === "" ? null : latestBulletin(world, centre)
    return bulletin === null ? null : { contentType: "application/xml", body: atom(world, centre, bulletin) }
  },
})
