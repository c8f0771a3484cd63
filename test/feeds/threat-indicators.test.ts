import { describe, expect, it } from "vitest"
import threatfox from "../../ingestors/sources/threatfox.ts"
import threatIndicatorsTable from "../../processors/tables/threat_indicators/table.ts"
import cyberThreats from "../../processors/views/cyber-threats.ts"
import { type ThreatIndicator, threatIndicators } from "../../schemas/feeds/threat-indicators.ts"
import simulated, { indicatorsOf } from "../world/upstreams/threatfox.ts"
import { worldAt } from "../world/world.ts"
import { capturesAbsent, collectedCapture } from "./support/captures.ts"
import { feedTest, polled } from "./support/feed-test.ts"
import { normalised, readBy, refusedBy } from "./support/read.ts"
import { OBSERVED_AT } from "./support/rows.ts"
import { observed } from "./support/world.ts"

const NOW_MS = Date.parse("2026-11-20T12:34:56.789Z")
const DAY_MS = 86_400_000

const entry = (members: object = {}) => ({
  id: "7",
  ioc: "evil.example",
  ioc_type: "domain",
  threat_type: "botnet_cc",
  malware: "win.remcos",
  malware_printable: "Remcos",
  confidence_level: 75,
  first_seen: "2026-11-20 12:00:00 UTC",
  last_seen: null,
  reference: "",
  tags: null,
  ...members,
})
const listed = (...data: ReadonlyArray<object>) => ({ query_status: "ok", data })
const itemsOf = (...data: ReadonlyArray<object>) =>
  normalised(threatfox, listed(...data), { observedAtMs: NOW_MS }).payload.items

const item: ThreatIndicator = {
  id: "1866656",
  type: "url",
  indicator: "http://153.117.33.91:58750/Mozi.m",
  threat: "payload_delivery",
  malware: "elf.mozi",
  malwareName: "Mozi",
  confidencePercent: 75,
  tags: ["elf", "IoT", "Mozi"],
  firstSeen: "2026-08-01T15:15:35.000Z",
  lastSeen: null,
  reference: "https://honeylabs.net/lookup/153.117.33.91",
}

feedTest({
  feed: threatIndicators,
  polls: [
    polled({
      source: threatfox,
      world: simulated,
      freeText: true,
      breakRow: ({ data }) => ({
        query_status: "ok",
        data: [...(data as ReadonlyArray<object>), entry({ first_seen: "yesterday" })],
      }),
      refused: [
        [
          "a text instead of a list",
          { query_status: "no_result", data: "Your search did not yield any results" },
          /no results/,
        ],
        ["a key that is unknown", { query_status: "unknown_auth_key" }, /key is refused/],
        ["a query that is none", { query_status: "illegal_days", data: "x" }, /query is refused/],
        ["a list without a kind that is taken", listed(entry({ ioc_type: "envelope_from" })), /no items/],
      ],
    }),
  ],
  views: [cyberThreats],
  table: threatIndicatorsTable,
  rows: [
    {
      kind: "changed",
      item: { ...item, lastSeen: "2026-08-01T16:00:00.000Z" },
      makes: {
        feed: "threat-indicators",
        source: "threatfox",
        id: "1866656",
        type: "url",
        indicator: "http://153.117.33.91:58750/Mozi.m",
        threat: "payload_delivery",
        malware: "elf.mozi",
        malware_name: "Mozi",
        confidence_percent: 75,
        status: "",
        tags: ["elf", "IoT", "Mozi"],
        reference: "https://honeylabs.net/lookup/153.117.33.91",
        first_seen: "2026-08-01T15:15:35.000Z",
        last_seen: "2026-08-01T16:00:00.000Z",
        observed_at: OBSERVED_AT,
      },
    },
    {
      kind: "appeared",
      item: { ...item, malware: null, malwareName: null, confidencePercent: null, reference: null },
      makes: {
        feed: "threat-indicators",
        source: "threatfox",
        id: "1866656",
        type: "url",
        indicator: "http://153.117.33.91:58750/Mozi.m",
        threat: "payload_delivery",
        malware: "",
        malware_name: "",
        confidence_percent: null,
        status: "",
        tags: ["elf", "IoT", "Mozi"],
        reference: "",
        first_seen: "2026-08-01T15:15:35.000Z",
        last_seen: null,
        observed_at: OBSERVED_AT,
      },
    },
    { kind: "gone", item, makes: null },
  ],
})

describe.skipIf(capturesAbsent)("captured indicators", () => {
  const collected = () => collectedCapture(threatfox, "recent", "get-iocs-2026-08-01.json")

  it("are one of each kind, the newest first; a kind that is not taken is left out without being counted", () => {
    const { payload, contentAtMs } = normalised(threatfox, collected())
    expect(payload.items.map(({ id, type, indicator, firstSeen }) => [id, type, indicator, firstSeen])).toEqual([
      ["1866938", "ip_port", "2.26.126.7:80", "2026-08-01T17:40:44.000Z"],
      ["1866937", "domain", "labipt.com", "2026-08-01T17:35:53.000Z"],
      [
        "1866912",
        "file_hash",
        "4f722dfacbe424bcde50dfc36e8629748f2721474c34978e28eb7c4e45ce4318",
        "2026-08-01T16:50:58.000Z",
      ],
      ["1866893", "file_hash", "54f01dad36b831af726d6d9596453269", "2026-08-01T15:26:22.000Z"],
      ["1866656", "url", "http://153.117.33.91:58750/Mozi.m", "2026-08-01T15:15:35.000Z"],
      ["0i", "domain", "invalido.example.com", "2026-08-01T00:00:00.000Z"],
    ])
    expect(contentAtMs).toBe(Date.parse("2026-08-01T17:40:44Z"))
    expect(readBy(threatfox, collected()).unreadable).toEqual([])
  })
  it("are null where the provider says nothing, and where a confidence is none", () => {
    const byId = new Map(normalised(threatfox, collected()).payload.items.map((one) => [one.id, one]))
    expect(byId.get("1866656")).toEqual(item)
    expect(byId.get("1866893")).toEqual({
      id: "1866893",
      type: "file_hash",
      indicator: "54f01dad36b831af726d6d9596453269",
      threat: "payload",
      malware: "win.darkmegi",
      malwareName: "DarkMegi",
      confidencePercent: 95,
      tags: [],
      firstSeen: "2026-08-01T15:26:22.000Z",
      lastSeen: null,
      reference: null,
    })
    // 150 percent.
    expect(byId.get("0i")).toMatchObject({ confidencePercent: null, malware: "win.sintetico", tags: [] })
  })
})

describe("threat indicators", () => {
  it.each([
    ["domain", "domain"],
    ["ip:port", "ip_port"],
    ["url", "url"],
    ["md5_hash", "file_hash"],
    ["sha1_hash", "file_hash"],
    ["sha256_hash", "file_hash"],
  ])("of the kind %s are of the type %s", (kind, type) => {
    expect(itemsOf(entry({ ioc_type: kind }))[0]?.type).toBe(type)
  })
  it("have no family where the provider does not know it", () => {
    const unknown = entry({ malware: "unknown", malware_printable: "Unknown malware" })
    expect(itemsOf(unknown)[0]).toMatchObject({ malware: null, malwareName: null })
  })
  it.each([
    ["0", 0],
    [100, 100],
    [101, null],
    [-1, null],
    [null, null],
  ])("of a confidence of %s have %s percent", (given, percent) => {
    expect(itemsOf(entry({ confidence_level: given }))[0]?.confidencePercent).toBe(percent)
  })
  it.each([
    ["a hidden character", { ioc: "evil\u200b.example" }],
    ["a blank behind it", { ioc: "evil.example " }],
    ["a time that is none", { first_seen: "2026-13-01 00:00:00 UTC" }],
    ["a time of the future", { first_seen: "2026-11-20 13:00:00 UTC" }],
    ["a confidence that is no number", { confidence_level: "high" }],
  ])("leave out an entry with %s, and count it", (_, members) => {
    const answer = listed(entry(), entry({ id: "8" }), entry({ id: "9", ...members }))
    const { outcome, unreadable } = readBy(threatfox, answer, { observedAtMs: NOW_MS })
    expect(outcome).toMatchObject({ payload: { items: [{ id: "8" }, { id: "7" }] } })
    expect(unreadable).toHaveLength(1)
  })
  it("keep the newest 200", () => {
    const many = Array.from({ length: 300 }, (_, index) =>
      entry({
        id: String(index),
        first_seen: new Date(NOW_MS - index * 60_000).toISOString().slice(0, 19).replace("T", " "),
      }),
    )
    const items = itemsOf(...many.toReversed())
    expect(items).toHaveLength(200)
    expect([items[0]?.id, items[199]?.id]).toEqual(["0", "199"])
  })
  it("have changed with confidence or last sighting, and with nothing else", () => {
    const [before, again, tagged] = [{}, { last_seen: "2026-11-20 12:10:00 UTC" }, { tags: ["RAT"] }].map(
      (members) => itemsOf(entry(members))[0],
    )
    if (before === undefined || again === undefined || tagged === undefined) throw new Error("an indicator is missing")
    expect(threatIndicators.isRevised(before, again)).toBe(true)
    expect(threatIndicators.isRevised(before, tagged)).toBe(false)
  })
  it("are refused with the reason that pauses a key", () => {
    expect(refusedBy(threatfox, { query_status: "unknown_auth_key" })).toMatchObject({ reason: "key_refused" })
  })
  it("of the world are those of a day but for senders of mails", async () => {
    const { payload } = await observed(threatfox, simulated, NOW_MS)
    const world = indicatorsOf(worldAt("test", NOW_MS), DAY_MS).toReversed()
    expect(world.some(({ kind }) => kind[0] === "envelope_from")).toBe(true)
    expect(payload.items.map(({ indicator }) => indicator).sort()).toEqual(
      world
        .filter(({ kind }) => kind[0] !== "envelope_from")
        .slice(0, 200)
        .map(({ ioc }) => ioc)
        .sort(),
    )
  })
})
