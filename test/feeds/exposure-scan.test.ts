import { describe, expect, it } from "vitest"
import { makeParameterReader } from "../../api/http/parameters.ts"
import internetdb from "../../ingestors/sources/shodan-internetdb.ts"
import exposureView from "../../processors/views/exposure-scan.ts"
import {
  EXPOSURE_TARGETS,
  exposureNotes,
  exposureScan,
  exposureScanEndpoint,
  type HostExposure,
} from "../../schemas/feeds/exposure-scan.ts"
import simulated, { CROWDED_HOST, hostAt, UNKNOWN_HOST } from "../world/upstreams/shodan-internetdb.ts"
import { worldAt } from "../world/world.ts"
import { capturesAbsent, collectedCapture } from "./support/captures.ts"
import { feedTest, polled } from "./support/feed-test.ts"
import { normalised, refusedBy } from "./support/read.ts"
import { reading, shown } from "./support/shown.ts"
import { observed, pollFailure, upstreamOf } from "./support/world.ts"

const NOW_MS = Date.parse("2026-11-20T12:34:56.000Z")
const HOUR_MS = 3_600_000
type Answer = Parameters<typeof internetdb.read>[0]

const read = (answer: Answer, ip: string): HostExposure =>
  normalised(internetdb, answer, { parameters: { ip } }).payload
const answerOf = (members: object): Answer => ({
  ip: "1.1.1.1",
  ports: [],
  vulns: [],
  hostnames: [],
  tags: [],
  cpes: [],
  ...members,
})
const nothing = { ports: 0, vulns: 0, hostnames: 0, tags: 0, cpes: 0 }

feedTest({
  feed: exposureScan,
  polls: [
    polled({
      source: internetdb,
      world: simulated,
      freeText: true,
      breakRow: null,
      refused: [["a record of another host", answerOf({ ip: "8.8.8.8" }), /of another host/]],
    }),
  ],
  views: [exposureView],
  table: null,
  rows: [],
})

describe.skipIf(capturesAbsent)("captured records", () => {
  const captured = (file: string) => collectedCapture(internetdb, "host", file)

  it("show a mail host as it was recorded, its ports ascending and its newest CVE first", () => {
    const ip = "1.2.3.4"
    const payload = read(captured("record-mail-host.json"), ip)
    const data = shown(exposureView, [reading(payload, { ip })], { nowMs: NOW_MS, parameters: { ip } })
    expect(data).toEqual({
      mode: "single",
      result: {
        ip,
        found: true,
        ports: [25, 80, 443],
        vulns: ["CVE-2021-26857", "CVE-2021-26855"],
        hostnames: ["autodiscover.blacklanternsecurity.com", "mail.blacklanternsecurity.com"],
        tags: ["starttls", "self-signed", "eol-os"],
        cpes: ["cpe:/a:microsoft:internet_information_services", "cpe:/a:microsoft:outlook_web_access:15.0.1367"],
        totals: { ports: 3, vulns: 2, hostnames: 2, tags: 3, cpes: 2 },
      },
      notes: exposureNotes,
    })
  })
  it("keep free text in a CPE, and sort twelve CVEs by year and number", () => {
    const payload = read(captured("hand-made-from-printed-table-36.94.222.209.json"), "36.94.222.209")
    expect(payload).toMatchObject({ found: true, ports: [80, 3306, 9999], hostnames: [], tags: ["database"] })
    expect(payload.cpes).toContain("cpe:/a:php:php:5.3.14 ZendServer")
    expect(payload.vulns).toHaveLength(12)
    expect(payload.vulns.slice(0, 4)).toEqual(["CVE-2017-7668", "CVE-2016-8612", "CVE-2014-3566", "CVE-2014-3510"])
    expect(payload.vulns.at(-1)).toBe("CVE-2011-3210")
  })
  it("say of a host without information that it was not found, and nothing more", () => {
    expect(read(captured("hand-made-not-found-404.json"), "8.8.8.8")).toEqual({
      ip: "8.8.8.8",
      found: false,
      ports: [],
      vulns: [],
      hostnames: [],
      tags: [],
      cpes: [],
      totals: nothing,
    })
  })
  it("are no host where the upstream has had too many requests", () => {
    expect(() => captured("hand-made-rate-limited-429.json")).toThrow(/detail/)
  })
})

describe("a host", () => {
  it("has each entry once, cut to the newest and lowest, beside how many there are", () => {
    const { ports, vulns, hostnames, totals } = read(
      answerOf({
        ports: [443, 80, 443, ...Array.from({ length: 40 }, (_, at) => 9_000 - at)],
        vulns: [
          "MS15-034",
          "CVE-2020-10",
          "CVE-2020-9",
          "CVE-2020-10",
          ...Array.from({ length: 30 }, (_, at) => `CVE-19${60 + at}-1`),
        ],
        hostnames: ["a.example", " a.example\u202e", ""],
      }),
      "1.1.1.1",
    )
    expect([ports.length, ports.slice(0, 3)]).toEqual([30, [80, 443, 8961]])
    expect([vulns.length, vulns.slice(0, 3)]).toEqual([20, ["CVE-2020-10", "CVE-2020-9", "CVE-1989-1"]])
    expect(hostnames).toEqual(["a.example"])
    expect(totals).toMatchObject({ ports: 42, vulns: 33, hostnames: 1 })
  })
  it("of another address than the requested one is refused, by words that name neither", () => {
    const refusal = refusedBy(internetdb, answerOf({ ip: "93.184.215.14" }), { parameters: { ip: "93.184.215.15" } })
    expect(refusal?.message).toBe("the answer is of another host")
  })
  it("is unknown only where the upstream says so: another 404, or a host without its lists, is a failure", async () => {
    const parameters = { ip: "9.9.9.9" }
    const failing = (body: object, status: number) =>
      pollFailure(
        internetdb,
        upstreamOf({ ...simulated, answer: () => ({ status, body }) }, worldAt("test", NOW_MS)),
        parameters,
      )
    for (const [body, status] of [
      [{ detail: "Not Found" }, 404],
      [{ ip: "9.9.9.9" }, 200],
      [{ ip: "9.9.9.9", ports: [65_536], vulns: [], hostnames: [], tags: [], cpes: [] }, 200],
    ] as const)
      expect(await failing(body, status)).toMatchObject({ value: { _tag: "Undecodable" } })
    expect(await failing({ detail: "Rate limit exceeded" }, 429)).toMatchObject({ value: { _tag: "HttpFailed" } })
  })
  it.each([CROWDED_HOST, UNKNOWN_HOST])("of the world at %s is read", async (ip) => {
    const truth = hostAt(worldAt("test", NOW_MS), ip)
    const { payload } = await observed(internetdb, simulated, NOW_MS, { ip })
    expect(payload).toMatchObject({
      ip,
      found: truth !== null,
      totals: truth === null ? nothing : { ports: truth.ports.length, vulns: new Set(truth.vulns).size },
    })
  })
})

describe("the hosts that are shown without an address", () => {
  const known = (left: ReadonlyArray<string> = []) =>
    EXPOSURE_TARGETS.filter(({ ip }) => !left.includes(ip)).map(({ ip }) => reading(read(answerOf({ ip }), ip), { ip }))
  const targets = (hour: number, left: ReadonlyArray<string> = []) =>
    (
      shown(exposureView, known(left), { nowMs: hour * HOUR_MS }) as { targets: ReadonlyArray<{ ip: string }> }
    ).targets.map(({ ip }) => ip)
  const ips = EXPOSURE_TARGETS.map(({ ip }) => ip)

  it("are six of twelve, and the choice moves by one an hour", () => {
    expect(targets(0)).toEqual(ips.slice(0, 6))
    expect(targets(1)).toEqual(ips.slice(1, 7))
    expect(targets(23)).toEqual([ips[11], ...ips.slice(0, 5)])
    expect(new Set(Array.from({ length: 12 }, (_, hour) => targets(hour)).flat())).toEqual(new Set(ips))
  })
  it("change at the full hour without an observation, and a requested host does not", () => {
    const until = (parameters: Readonly<Record<string, string>>) =>
      exposureView.build(
        { hosts: known().map((one) => ({ parameters: one.parameters, reading: one })) },
        { parameters, nowMs: NOW_MS },
      ).changesAtMs
    expect(until({})).toBe(Date.parse("2026-11-20T13:00:00.000Z"))
    expect(until({ ip: "1.1.1.1" })).toBeNull()
  })
  it("pass over one that was never read", () => {
    expect(targets(0, ["8.8.8.8"])).toEqual([ips[0], ...ips.slice(2, 7)])
  })
  it("are twelve different addresses of the parameter", () => {
    expect(new Set(ips).size).toBe(12)
    const accept = makeParameterReader(exposureScanEndpoint)
    for (const ip of ips) expect(accept({ ip })).toMatchObject({ parameters: { ip } })
  })
})

describe("the parameter ip", () => {
  const accept = makeParameterReader(exposureScanEndpoint)

  it("may be absent", () =>
    expect(accept({})).toMatchObject({ _tag: "Accepted", parameters: {}, key: "/api/exposure-scan" }))
  it.each([
    "",
    "localhost",
    "1.1.1",
    "8.8.2056",
    "134744072",
    "0x8.8.8.8",
    "08.8.8.8",
    "8.8.8.8.",
    " 8.8.8.8",
    "\uFF11.1.1.1",
    "256.1.1.1",
    "::1",
    "::ffff:8.8.8.8",
    "2606:4700:4700::1111",
    "0.0.0.0",
    "10.0.0.1",
    "100.64.0.1",
    "127.0.0.1",
    "169.254.169.254",
    "172.31.255.255",
    "192.0.0.8",
    "192.0.2.1",
    "192.168.1.1",
    "198.18.0.1",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    "8.8.8.8/../x",
    "8.8.8.8?a=b",
  ])("refuses %j, and does not repeat it", (ip) => {
    const refused = accept({ ip })
    expect(refused).toMatchObject({ _tag: "Refused", error: "invalid_or_private_ip", parameter: "ip" })
    if (ip !== "") expect(JSON.stringify(refused)).not.toContain(ip)
  })
  it("is one value", () => expect(accept({ ip: ["8.8.8.8", "9.9.9.9"] })).toMatchObject({ _tag: "Refused" }))
})
