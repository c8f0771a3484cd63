import * as Schema from "effect/Schema"
import ipaddr from "ipaddr.js"
import { endpoint } from "../contract/endpoint.ts"
import { valueFeed } from "../feed.ts"
import { NonEmptyTextUpTo, TextUpTo } from "../values.ts"

/** How many entries of each list are served, and the longest of each. */
export const exposureLimits = {
  portsMax: 30,
  vulnsMax: 20,
  hostnamesMax: 10,
  tagsMax: 20,
  cpesMax: 20,
  vulnMaxCharacters: 40,
  hostnameMaxCharacters: 253,
  tagMaxCharacters: 40,
  cpeMaxCharacters: 200,
} as const

const FULL_TENS = "0123456789"
const rangeOf = (from: number, to: number): ReadonlyArray<number> =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index)

/** A regular expression of the numbers from 0 to 255, without some. */
const partBut = (...excluded: ReadonlyArray<number>): string => {
  const byDigits = new Map<string, Array<string>>()
  for (const tens of rangeOf(0, 25)) {
    const digits = [...FULL_TENS].filter((digit) => {
      const part = tens * 10 + Number(digit)
      return part <= 255 && !excluded.includes(part)
    })
    if (digits.length === 0) continue
    const key = digits.join("")
    byDigits.set(key, [...(byDigits.get(key) ?? []), tens === 0 ? "" : String(tens)])
  }
  const groups = [...byDigits].map(([digits, tens]) => `(${tens.join("|")})[${digits === FULL_TENS ? "0-9" : digits}]`)
  return `(${groups.join("|")})`
}

const PART = "(25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])"

/** The public addresses by their first two or three parts, and what stands for the rest of each; see `PublicAddress`. */
const publicForms = [
  [partBut(0, 10, 100, 127, 169, 172, 192, 198, 203, ...rangeOf(224, 255)), PART, PART],
  ["100", partBut(...rangeOf(64, 127)), PART],
  ["169", partBut(254), PART],
  ["172", partBut(...rangeOf(16, 31)), PART],
  ["192", partBut(0, 31, 52, 88, 168, 175), PART],
  ["192", "0", partBut(0, 2)],
  ["192", "31", partBut(196)],
  ["192", "52", partBut(193)],
  ["192", "88", partBut(99)],
  ["192", "175", partBut(48)],
  ["198", partBut(18, 19, 51), PART],
  ["198", "51", partBut(100)],
  ["203", partBut(0), PART],
  ["203", "0", partBut(113)],
]
/** Exactly the texts of `PublicAddress`, for documents. */
const PUBLIC_ADDRESS_PATTERN = `^(${publicForms.map((parts) => parts.join("[.]")).join("|")})[.]${PART}$`

/**
 * A public IPv4 address in four decimal parts. Everything else that some program would read as an address is refused: short
 * and octal forms, IPv6, and the private, shared, documentation, benchmark, multicast and reserved ranges.
 */
const PublicAddress: Schema.Codec<string, string> = Schema.String.check(
  Schema.makeFilter((text) =>
    ipaddr.IPv4.isValidFourPartDecimal(text) && ipaddr.IPv4.parse(text).range() === "unicast"
      ? undefined
      : "must be a public IPv4 address",
  ),
).annotate({ identifier: "PublicIpv4", description: "Public IPv4 address in four decimal parts" })

const Port = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 65_535 }))
const listOf = <Item>(item: Schema.Codec<Item, unknown>, itemsMax: number) =>
  Schema.Array(item).check(Schema.isMaxLength(itemsMax))
const textsOf = (charactersMax: number, itemsMax: number) => listOf(NonEmptyTextUpTo(charactersMax), itemsMax)

const lists = {
  ports: listOf(Port, exposureLimits.portsMax).annotate({ description: "Open ports, ascending" }),
  vulns: textsOf(exposureLimits.vulnMaxCharacters, exposureLimits.vulnsMax).annotate({
    description: "CVE ids that the versions in banners suggest, newest first: unverified",
  }),
  hostnames: textsOf(exposureLimits.hostnameMaxCharacters, exposureLimits.hostnamesMax),
  tags: textsOf(exposureLimits.tagMaxCharacters, exposureLimits.tagsMax).annotate({
    description: "What kind of host it seems to be, as cdn or vpn",
  }),
  cpes: textsOf(exposureLimits.cpeMaxCharacters, exposureLimits.cpesMax).annotate({
    description: "Software that banners name, as Common Platform Enumeration",
  }),
}

/** How many entries each list has at the upstream. */
const Totals = Schema.Struct({
  ports: Schema.Natural,
  vulns: Schema.Natural,
  hostnames: Schema.Natural,
  tags: Schema.Natural,
  cpes: Schema.Natural,
}).annotate({ identifier: "ExposureTotals", description: "How many entries each list has at the upstream" })

/** What the upstream knows about a host. `found` is false where it knows nothing, which does not mean that nothing is open. */
export const HostExposure = Schema.Struct({ ip: PublicAddress, found: Schema.Boolean, ...lists, totals: Totals })
export type HostExposure = typeof HostExposure.Type

/** Well-known public hosts, which are observed on schedule, whether or not they are requested. */
export const EXPOSURE_TARGETS = [
  { label: "Cloudflare resolver", ip: "1.1.1.1" },
  { label: "Google resolver", ip: "8.8.8.8" },
  { label: "Quad9 resolver", ip: "9.9.9.9" },
  { label: "OpenDNS resolver", ip: "208.67.222.222" },
  { label: "AdGuard resolver", ip: "94.140.14.14" },
  { label: "Level 3 resolver", ip: "4.2.2.2" },
  { label: "Root server A", ip: "198.41.0.4" },
  { label: "Root server F", ip: "192.5.5.241" },
  { label: "Root server K", ip: "193.0.14.129" },
  { label: "Root server L", ip: "199.7.83.42" },
  { label: "Cloudflare time", ip: "162.159.200.1" },
  { label: "Google time", ip: "216.239.35.0" },
] as const

/** Targets that are shown at a time. */
export const EXPOSURE_TARGETS_SHOWN = 6

export const exposureScan = valueFeed({
  name: "exposure-scan",
  description:
    "Open ports and known vulnerabilities of a host: of some public ones on schedule, of any other on demand.",
  instances: EXPOSURE_TARGETS.map(({ ip }) => ({ ip })),
  judgedAs: "one",
  value: HostExposure,
  key: "host",
  // The addresses that a caller looks up show what it guards, or what it is about to attack.
  unlogged: true,
})

const example: HostExposure = {
  ip: "199.7.91.13",
  found: true,
  ports: [53],
  vulns: [],
  hostnames: ["d.root-servers.net"],
  tags: [],
  cpes: [],
  totals: { ports: 1, vulns: 0, hostnames: 1, tags: 0, cpes: 0 },
}

const Notes = Schema.Struct({
  source: TextUpTo(300),
  vulns: TextUpTo(300),
  found: TextUpTo(300),
  privacy: TextUpTo(300),
})

/** What every reply says about its data. */
export const exposureNotes: typeof Notes.Type = {
  source: "Shodan InternetDB, refreshed about weekly: nothing is sent to the host itself.",
  vulns: "Inferred from the versions in banners: unverified, with many false positives.",
  found: "found is false where the upstream has no information, which does not mean that nothing is open.",
  privacy: "A requested address is not logged; its reply is kept in memory for at most a day.",
}

const Single = Schema.Struct({ mode: Schema.Literal("single"), result: HostExposure, notes: Notes })
const Demo = Schema.Struct({
  mode: Schema.Literal("demo"),
  targets: listOf(
    Schema.Struct({ label: Schema.NonEmptyString, ...HostExposure.fields }),
    EXPOSURE_TARGETS_SHOWN,
  ).annotate({ description: "Some of twelve well-known public hosts; the choice moves by one every hour" }),
  notes: Notes,
})

export const exposureScanEndpoint = endpoint({
  path: "/api/exposure-scan",
  name: "exposure_scan",
  kind: "on-demand",
  tier: "free",
  subject: "infrastructure",
  ttl: "1 hour",
  prepared: [{}],
  unlogged: true,
  summary: "Open ports, CVEs, hostnames, tags and CPEs of a public IPv4 address",
  description:
    "With ip, what a public database of internet scans knows about the address; without it, six well-known public hosts. Requested addresses stand in no log, table or metric, and their replies are kept in memory for at most a day.",
  parameters: {
    ip: {
      schema: PublicAddress,
      text: { pattern: PUBLIC_ADDRESS_PATTERN },
      description: "Public IPv4 address in four decimal parts; private and reserved ranges are refused",
      optional: true,
      errorCode: "invalid_or_private_ip",
      example: "199.7.91.13",
    },
  },
  data: Schema.Union([Single, Demo]),
  example: { mode: "single", result: example, notes: exposureNotes },
})
