import * as Schema from "effect/Schema"
import { endpoint } from "../contract/endpoint.ts"
import { clause, dayText, none, unknown } from "../contract/glance.ts"
import { choice, day } from "../contract/parameters.ts"
import { Instant } from "../event.ts"
import { knownExploited } from "../feeds/known-exploited.ts"
import { malwareUrls } from "../feeds/malware-urls.ts"
import {
  MALWARE_NAME_MAX_CHARACTERS,
  ThreatIndicator,
  threatIndicators,
  threatIndicatorTypes,
} from "../feeds/threat-indicators.ts"
import { HttpUrl, Indicator, NonEmptyTextUpTo, Tags } from "../values.ts"

/** How many threats of each source are shown, the newest ones. */
export const THREATS_OF_EACH_MAX = 20
/** Longer indicators are cut, in their defanged form alone. */
export const SHOWN_INDICATOR_MAX_CHARACTERS = 500
export const THREAT_MAX_CHARACTERS = 200

export const threatSources = ["urlhaus", "threatfox", "cisa_kev"] as const
export type ThreatSource = (typeof threatSources)[number]

const Threat = Schema.Struct({
  source: Schema.Literals(threatSources),
  type: Schema.Literals(["malware_url", ...threatIndicatorTypes, "exploited_vulnerability"]),
  indicator: NonEmptyTextUpTo(SHOWN_INDICATOR_MAX_CHARACTERS).annotate({
    description: "Defanged: http is hxxp, and every dot is [.]; cut to 500 characters. Of a vulnerability its CVE id",
  }),
  indicator_raw: Schema.optionalKey(Indicator).annotate({
    description: "Only with raw=true: exactly as the source writes it. Never open it",
  }),
  threat: NonEmptyTextUpTo(THREAT_MAX_CHARACTERS).annotate({
    description: "Kind of threat, such as malware_download or botnet_cc; of a vulnerability its name",
  }),
  date: Schema.Union([Instant, day]).annotate({
    description: "When it was first reported; a day where the source states no time",
  }),
  malware: Schema.NullOr(NonEmptyTextUpTo(MALWARE_NAME_MAX_CHARACTERS)).annotate({
    description: "Malware family; null where it is unknown or not stated",
  }),
  confidence: ThreatIndicator.fields.confidencePercent.annotate({
    unit: "percent",
    description: "How sure the reporter is, percent; null where it is not stated",
  }),
  tags: Tags.annotate({ description: "Words of the reporters, defanged" }),
  reference: Schema.NullOr(HttpUrl).annotate({
    description: "Page about it at its source, or of a vulnerability in the National Vulnerability Database",
  }),
})
export type Threat = typeof Threat.Type

/** One threat in one line. */
const threatTitle = ({ threat, malware, indicator }: Threat): string => clause(threat, malware, indicator)

const Held = Schema.NullOr(Schema.Natural)

export const cyberThreatsEndpoint = endpoint({
  path: "/api/cyber-threats",
  name: "cyber_threats",
  kind: "prepared",
  tier: "free",
  subject: "infrastructure",
  ttl: "60 seconds",
  summary: "Malware URLs, indicators of compromise and exploited vulnerabilities, the newest first",
  description: [
    "The newest 20 malware addresses of URLhaus, indicators of compromise of ThreatFox and additions to CISA's catalogue of",
    "exploited vulnerabilities. Indicators are defanged, so that no program opens what it reads.",
  ].join(" "),
  parameters: {
    raw: choice(["false", "true"], {
      description: "Whether rows hold the indicator as it is (`indicator_raw`) too, for blocklists",
      default: "false",
      forAgents: false,
    }),
  },
  data: Schema.Struct({
    count: Schema.Natural.annotate({ description: "How many threats are listed" }),
    counts_by_source: Schema.Struct({ urlhaus: Held, threatfox: Held, cisa_kev: Held }).annotate({
      description:
        "How many of each source are held: at most 200 of URLhaus and of ThreatFox, and the whole catalogue of CISA; null where a source was never read",
    }),
    threats: Schema.Array(Threat).check(Schema.isMaxLength(THREATS_OF_EACH_MAX * threatSources.length)),
  }),
  changes: [
    { feed: malwareUrls, title: threatTitle },
    { feed: threatIndicators, title: threatTitle },
    { feed: knownExploited, title: threatTitle },
  ],
  glance: {
    title: "Exploited vulnerability",
    // Indicators of malware stay out of headlines, defanged or not.
    headline: ({ counts_by_source: { cisa_kev: held }, threats }) => {
      const newest = threats.find(({ source }) => source === "cisa_kev")
      if (newest === undefined)
        return held === null
          ? unknown("The catalogue of CISA was not read yet")
          : none("The catalogue of CISA is empty")
      return { value: newest.indicator, unit: null, note: clause("the newest", newest.threat, dayText(newest.date)) }
    },
  },
  example: {
    count: 3,
    counts_by_source: { urlhaus: 200, threatfox: 200, cisa_kev: 1_613 },
    threats: [
      {
        source: "urlhaus",
        type: "malware_url",
        indicator: "hxxp://downloads[.]evil[.]example:55871/mozi[.]m",
        threat: "malware_download",
        date: "2026-08-17T20:33:00.000Z",
        malware: null,
        confidence: null,
        tags: ["elf", "Mozi"],
        reference: "https://urlhaus.abuse.ch/url/1656008/",
      },
      {
        source: "threatfox",
        type: "domain",
        indicator: "control[.]evil[.]example",
        threat: "botnet_cc",
        date: "2026-08-17T19:02:41.000Z",
        malware: "Remcos",
        confidence: 75,
        tags: ["RAT"],
        reference: "https://threatfox.abuse.ch/ioc/1866912/",
      },
      {
        source: "cisa_kev",
        type: "exploited_vulnerability",
        indicator: "CVE-2025-3248",
        threat: "Langflow Missing Authentication Vulnerability",
        date: "2026-08-17",
        malware: null,
        confidence: null,
        tags: [],
        reference: "https://nvd.nist.gov/vuln/detail/CVE-2025-3248",
      },
    ],
  },
})
