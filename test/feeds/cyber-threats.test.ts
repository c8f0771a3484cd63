import { describe, expect, it } from "vitest"
import cyberThreats from "../../processors/views/cyber-threats.ts"
import { type KnownExploited, knownExploited } from "../../schemas/feeds/known-exploited.ts"
import { type MalwareUrl, malwareUrls } from "../../schemas/feeds/malware-urls.ts"
import { type ThreatIndicator, threatIndicators } from "../../schemas/feeds/threat-indicators.ts"
import { inputsOf, reading } from "./support/shown.ts"

const malwareUrl = (members: Partial<MalwareUrl> = {}): MalwareUrl => ({
  id: "1656008",
  url: "http://120.85.169.98:55871/mozi.m",
  status: "online",
  threat: "malware_download",
  tags: [],
  addedAt: "2026-11-20T11:00:00.000Z",
  ...members,
})
const indicator = (members: Partial<ThreatIndicator> = {}): ThreatIndicator => ({
  id: "1866656",
  type: "domain",
  indicator: "evil.example",
  threat: "botnet_cc",
  malware: "win.remcos",
  malwareName: "Remcos",
  confidencePercent: 75,
  tags: [],
  firstSeen: "2026-11-20T12:00:00.000Z",
  lastSeen: null,
  reference: null,
  ...members,
})
const exploited = (members: Partial<KnownExploited> = {}): KnownExploited => ({
  cve: "CVE-2025-3248",
  vendor: "Langflow",
  product: "Langflow",
  name: "Langflow Missing Authentication Vulnerability",
  addedOn: "2026-11-20",
  dueOn: null,
  ransomware: false,
  weaknesses: [],
  ...members,
})

interface Held {
  readonly urls?: ReadonlyArray<MalwareUrl>
  readonly indicators?: ReadonlyArray<ThreatIndicator>
  readonly catalogue?: ReadonlyArray<KnownExploited>
}
const shownOf = ({ urls, indicators, catalogue }: Held, raw = "false") => {
  const held = new Map<string, ReadonlyArray<unknown> | undefined>([
    [malwareUrls.name, urls],
    [threatIndicators.name, indicators],
    [knownExploited.name, catalogue],
  ])
  const parameters = { raw }
  const inputs = inputsOf(cyberThreats, parameters, (feed) => {
    const items = held.get(feed)
    return items === undefined ? undefined : reading({ items, facts: {} })
  })
  return cyberThreats.build(inputs, { parameters, nowMs: 0 }).data as {
    readonly count: number
    readonly counts_by_source: object
    readonly threats: ReadonlyArray<Readonly<Record<string, unknown>>>
  }
}

describe("cyber threats", () => {
  it("are the rows of all sources, the newest first; a day comes behind every time of it", () => {
    expect(shownOf({ urls: [malwareUrl()], indicators: [indicator()], catalogue: [exploited()] })).toEqual({
      count: 3,
      counts_by_source: { urlhaus: 1, threatfox: 1, cisa_kev: 1 },
      threats: [
        {
          source: "threatfox",
          type: "domain",
          indicator: "evil[.]example",
          threat: "botnet_cc",
          date: "2026-11-20T12:00:00.000Z",
          malware: "Remcos",
          confidence: 75,
          tags: [],
          reference: "https://threatfox.abuse.ch/ioc/1866656/",
        },
        {
          source: "urlhaus",
          type: "malware_url",
          indicator: "hxxp://120[.]85[.]169[.]98:55871/mozi[.]m",
          threat: "malware_download",
          date: "2026-11-20T11:00:00.000Z",
          malware: null,
          confidence: null,
          tags: [],
          reference: "https://urlhaus.abuse.ch/url/1656008/",
        },
        {
          source: "cisa_kev",
          type: "exploited_vulnerability",
          indicator: "CVE-2025-3248",
          threat: "Langflow Missing Authentication Vulnerability",
          date: "2026-11-20",
          malware: null,
          confidence: null,
          tags: [],
          reference: "https://nvd.nist.gov/vuln/detail/CVE-2025-3248",
        },
      ],
    })
  })
  it("without a key are the catalogue alone: sources that were never read have no count", () => {
    const { count, counts_by_source } = shownOf({ catalogue: [exploited()] })
    expect([count, counts_by_source]).toEqual([1, { urlhaus: null, threatfox: null, cisa_kev: 1 }])
  })
  it("are the newest twenty of each source, and count what is held", () => {
    const urls = Array.from({ length: 30 }, (_, index) =>
      malwareUrl({ id: String(index), url: `http://a.example/${index}` }),
    )
    const { threats, counts_by_source } = shownOf({ urls, catalogue: [exploited()] })
    expect(threats.filter(({ source }) => source === "urlhaus")).toHaveLength(20)
    expect(counts_by_source).toEqual({ urlhaus: 30, threatfox: null, cisa_kev: 1 })
  })
  it("hold no address in any member but `indicator_raw`, which only raw=true has", () => {
    const held = {
      urls: [
        malwareUrl({ url: "https://evil.example/a?u=http://other.example", tags: ["from:http://third.example/x"] }),
      ],
      indicators: [
        indicator({
          id: "x",
          type: "url",
          indicator: "http://evil.example/x",
          threat: "http://fourth.example",
          malwareName: "fifth.example",
          reference: "http://evil.example/x",
        }),
      ],
      catalogue: [exploited()],
    }
    const text = JSON.stringify(shownOf(held))
    expect(text).not.toMatch(/indicator_raw|(evil|other|third|fourth|fifth)\.example|http:/)
    const raw = shownOf(held, "true")
    expect(raw.threats.map(({ indicator_raw }) => indicator_raw)).toEqual([
      "http://evil.example/x",
      "https://evil.example/a?u=http://other.example",
      "CVE-2025-3248",
    ])
    const others = raw.threats.map(({ indicator_raw: _, ...rest }) => rest)
    expect(others).toEqual(shownOf(held).threats)
    // An id that is no number makes no page of the source.
    expect(raw.threats[0]?.reference).toBeNull()
  })
  it("cut a long indicator in its defanged form, and keep it whole in the raw one", () => {
    const url = `http://evil.example/${"a.".repeat(1_000)}`
    const [row] = shownOf({ urls: [malwareUrl({ url })] }, "true").threats
    expect(String(row?.indicator)).toHaveLength(500)
    expect(row?.indicator_raw).toBe(url)
  })
})
