import * as Schema from "effect/Schema"
import { exposureLimits, exposureScan, type HostExposure } from "../../schemas/feeds/exposure-scan.ts"
import { document, UpstreamError } from "../document.ts"
import { shodan } from "../providers/shodan.ts"
import { cleanText } from "../readers/text.ts"
import { type CollectInput, valueSource } from "../source.ts"
import { termsOf } from "../terms.ts"

const Texts = Schema.Array(Schema.String)

/** https://internetdb.shodan.io: all members are always there, and any list may be empty. */
const Host = Schema.Struct({
  ip: Schema.String,
  ports: Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 65_535 }))),
  vulns: Texts,
  hostnames: Texts,
  tags: Texts,
  cpes: Texts,
})

/** The answer about a host that is not in the database. Other answers with status 404 are failures. */
const NoInformation = Schema.Struct({ detail: Schema.String.check(Schema.isPattern(/^no information available/i)) })

const host = document({
  format: "json",
  wire: Schema.Union([Host, NoInformation]),
  url: ({ parameters: { ip = "" } }: CollectInput) => `https://internetdb.shodan.io/${encodeURIComponent(ip)}`,
  acceptedStatuses: [404],
  bodyBytesMax: 1024 * 1024,
})

/** Clean texts, each once. */
const texts = (list: ReadonlyArray<string>, charactersMax: number): ReadonlyArray<string> => [
  ...new Set(list.map((text) => cleanText(text, charactersMax)).filter((text) => text !== "")),
]

/** Year and number of a CVE; other ids sort last. */
const cveRank = (id: string): readonly [year: number, number: number] => {
  const [, year, number] = /^CVE-(\d{4})-(\d{1,9})$/.exec(id) ?? []
  return [Number(year ?? -1), Number(number ?? -1)]
}

const newestFirst = (one: string, other: string): number => {
  const [year, number] = cveRank(one)
  const [otherYear, otherNumber] = cveRank(other)
  return otherYear - year || otherNumber - number || (one < other ? -1 : 1)
}

const unknownHost = (ip: string): HostExposure => ({
  ip,
  found: false,
  ports: [],
  vulns: [],
  hostnames: [],
  tags: [],
  cpes: [],
  totals: { ports: 0, vulns: 0, hostnames: 0, tags: 0, cpes: 0 },
})

const knownHost = (answer: typeof Host.Type): HostExposure => {
  const limits = exposureLimits
  const ports = [...new Set(answer.ports)].sort((one, other) => one - other)
  const vulns = texts(answer.vulns, limits.vulnMaxCharacters).toSorted(newestFirst)
  const hostnames = texts(answer.hostnames, limits.hostnameMaxCharacters)
  const tags = texts(answer.tags, limits.tagMaxCharacters)
  const cpes = texts(answer.cpes, limits.cpeMaxCharacters)
  return {
    ip: answer.ip,
    found: true,
    ports: ports.slice(0, limits.portsMax),
    vulns: vulns.slice(0, limits.vulnsMax),
    hostnames: hostnames.slice(0, limits.hostnamesMax),
    tags: tags.slice(0, limits.tagsMax),
    cpes: cpes.slice(0, limits.cpesMax),
    totals: {
      ports: ports.length,
      vulns: vulns.length,
      hostnames: hostnames.length,
      tags: tags.length,
      cpes: cpes.length,
    },
  }
}

export default valueSource({
  name: "shodan-internetdb",
  provider: "Shodan.internetdb",
  fills: exposureScan,
  every: "1 hour",
  access: shodan,
  onDemand: { perMinuteMax: 30, perDayMax: 5_000 },
  documents: { host },
  collect: (upstream, collection) => upstream.fetch(host, collection),
  normalise: (answer, { parameters: { ip = "" } }) => {
    if ("detail" in answer) return { payload: unknownHost(ip), contentAtMs: null }
    // Messages do not name a host: a requested one must not be repeated.
    if (answer.ip !== ip) return new UpstreamError({ message: "the answer is of another host" })
    return { payload: knownHost(answer), contentAtMs: null }
  },
  recordedParameters: (wire) => {
    const recorded = Schema.decodeUnknownOption(Host)(wire)
    return recorded._tag === "None" ? null : { ip: recorded.value.ip }
  },
  attribution: {
    provider: "Shodan InternetDB",
    licence: "free for non-commercial use",
    url: "https://internetdb.shodan.io",
  },
  terms: termsOf({ use: "restricted", url: "https://internetdb.shodan.io", clause: "non-commercial use", sold: "no" }),
})
