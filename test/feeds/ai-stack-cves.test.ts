import * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"
import { document } from "../../ingestors/document.ts"
import { cvss3Score } from "../../ingestors/readers/cvss.ts"
import osv, { scores } from "../../ingestors/sources/osv.ts"
import vulnerabilitiesTable from "../../processors/tables/vulnerabilities/table.ts"
import aiStackCvesView from "../../processors/views/ai-stack-cves.ts"
import { aiStackCves, FLAW_ALIASES_MAX, type Flaw } from "../../schemas/feeds/ai-stack-cves.ts"
import simulated from "../world/upstreams/osv.ts"
import { capturesAbsent, decodedCapture } from "./support/captures.ts"
import { feedTest, polled } from "./support/feed-test.ts"
import { normalised, readBy, refusedBy } from "./support/read.ts"
import { OBSERVED_AT } from "./support/rows.ts"

const NOW_MS = Date.parse("2026-11-20T12:34:56.789Z")
const CRITICAL = "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H"

type Members = Readonly<Record<string, unknown>>
const record = (id: string, members: Members = {}) => ({
  id,
  summary: "A flaw",
  modified: "2026-11-02T00:00:00Z",
  published: "2026-11-01T00:00:00Z",
  affected: [{ package: { name: "torch", ecosystem: "PyPI" } }],
  ...members,
})
const collectedOf = (records: ReadonlyArray<unknown>, probabilities: Readonly<Record<string, number>> = {}) => ({
  records,
  probabilities: new Map(Object.entries(probabilities)),
})
const itemsOf = (records: ReadonlyArray<unknown>, probabilities: Readonly<Record<string, number>> = {}, id = "torch") =>
  normalised(osv, collectedOf(records, probabilities), { parameters: { package: id }, observedAtMs: NOW_MS }).payload
    .items

const item: Flaw = {
  id: "CVE-2022-45907",
  aliases: ["PYSEC-2022-43015"],
  severity: "unstated",
  cvss: null,
  epss: null,
  summary:
    "In PyTorch before trunk/89695, torch.jit.annotations.parse_type_line can cause arbitrary code execution because eval is used unsafely.",
  publishedAt: "2022-11-26T02:15:00.000Z",
  modifiedAt: "2023-05-04T03:49:48.383Z",
  url: "https://osv.dev/vulnerability/PYSEC-2022-43015",
}

feedTest({
  feed: aiStackCves,
  glances: {
    ai_stack_cves: [
      1,
      null,
      "exploited, of 3 known in packages of the AI stack, the most severe CVE-2025-3248 in langflow",
    ],
  },
  polls: [
    polled({
      source: osv,
      world: simulated,
      freeText: true,
      breakRow: ({ records, probabilities }) => ({
        probabilities,
        records: [...records, record("GHSA-aaaa-bbbb-cccc", { modified: "yesterday" })],
      }),
      refused: [
        [
          "records of another package",
          collectedOf([record("PYSEC-2021-387", { affected: [{ package: { name: "dask", ecosystem: "PyPI" } }] })]),
          /1 of 1 rows cannot be read/,
        ],
      ],
    }),
  ],
  views: [aiStackCvesView],
  table: vulnerabilitiesTable,
  rows: [
    {
      kind: "appeared",
      item,
      parameters: { package: "torch" },
      makes: {
        id: "CVE-2022-45907",
        package: "torch",
        ecosystem: "PyPI",
        category: "framework",
        aliases: ["PYSEC-2022-43015"],
        severity: "unstated",
        cvss: null,
        epss: null,
        summary: item.summary,
        published_at: "2022-11-26T02:15:00.000Z",
        modified_at: "2023-05-04T03:49:48.383Z",
        url: "https://osv.dev/vulnerability/PYSEC-2022-43015",
        listed: true,
        observed_at: OBSERVED_AT,
      },
    },
    {
      kind: "gone",
      item: { ...item, aliases: [], severity: "high", cvss: 7.5, epss: 0.25, summary: null, publishedAt: null },
      parameters: { package: "ollama" },
      makes: {
        id: "CVE-2022-45907",
        package: "ollama",
        ecosystem: "Go",
        category: "inference",
        aliases: [],
        severity: "high",
        cvss: 7.5,
        epss: 0.25,
        summary: "",
        published_at: null,
        modified_at: "2023-05-04T03:49:48.383Z",
        url: "https://osv.dev/vulnerability/PYSEC-2022-43015",
        listed: false,
        observed_at: OBSERVED_AT,
      },
    },
  ],
})

interface Answer {
  readonly vulns: ReadonlyArray<Members>
}
const asTorch = { affected: [{ package: { name: "torch", ecosystem: "PyPI" } }] }

describe.skipIf(capturesAbsent)("captured records", () => {
  it("of torch are the flaw of 2022 under its CVE id, with the text of its details", () => {
    const { vulns } = decodedCapture<Answer>(osv, "query", "hand-made-v1-query-torch.json")
    expect(itemsOf(vulns)).toEqual([item])
    expect(osv.recordedParameters({ vulns })).toEqual({ package: "torch" })
  })
  it("of mlflow, as its database keeps it, are as they are in this test", () => {
    const text = decodedCapture<string>(osv, "file", "record-PYSEC-2024-51-mlflow.yaml")
    const [id, modified, published, alias] = [
      /^id: (.+)$/m,
      /^modified: (.+)$/m,
      /^published: (.+)$/m,
      /^aliases:\n- (.+)$/m,
    ].map((pattern) => pattern.exec(text)?.[1])
    const details = /^details: ([\s\S]+?)\naffected:/m.exec(text)?.[1]
    const affected = [{ package: { name: "mlflow", ecosystem: "PyPI" } }]
    const items = itemsOf([{ id, modified, published, aliases: [alias], details, affected }], {}, "mlflow")
    expect(items).toEqual([
      {
        id: "CVE-2024-4263",
        aliases: ["PYSEC-2024-51"],
        severity: "unstated",
        cvss: null,
        epss: null,
        summary:
          "A broken access control vulnerability exists in mlflow/mlflow versions before 2.10.1, where low privilege users with only EDIT permissions on an experiment can delete any artifacts. This issue arises due to the lack of proper validation for DELETE requests by users with EDIT perm",
        publishedAt: "2024-05-16T09:15:00.000Z",
        modifiedAt: "2024-05-16T11:19:52.866Z",
        url: "https://osv.dev/vulnerability/PYSEC-2024-51",
      },
    ])
  })
  it("of an R package are refused, and as torch's own would be three flaws, one of seven CVE ids", () => {
    const { vulns } = decodedCapture<Answer>(osv, "query", "v1-query-response-2023.json")
    expect(refusedBy(osv, collectedOf(vulns), { parameters: { package: "torch" } })?.message).toMatch(/3 of 3 rows/)
    const items = itemsOf(vulns.map((one) => ({ ...one, ...asTorch })))
    expect(items.map(({ id, publishedAt, modifiedAt }) => [id, publishedAt, modifiedAt])).toEqual([
      ["CVE-2021-27836", "2023-07-13T02:46:57.600Z", "2023-10-20T07:27:00.600Z"],
      ["CVE-2018-20450", "2023-07-13T02:37:06.600Z", "2023-10-20T07:27:00.600Z"],
      ["CVE-2017-12108", "2023-07-13T02:22:58.600Z", "2023-10-19T01:17:00.600Z"],
    ])
    expect(items[2]?.aliases).toEqual([
      "CVE-2017-12109",
      "CVE-2017-12110",
      "CVE-2017-12111",
      "CVE-2017-2896",
      "CVE-2017-2897",
      "CVE-2017-2919",
      "RSEC-2023-0",
    ])
    expect(items[1]?.summary).toBe("Double-free and invalid free vulnerabilities")
  })
  it("of another package are refused, whatever their number", () => {
    const dask = decodedCapture<Members>(osv, "record", "v1-vulns-PYSEC-2021-387.json")
    expect(refusedBy(osv, collectedOf([dask]), { parameters: { package: "torch" } })?.message).toMatch(/1 of 1 rows/)
  })
  it("of the US national database have the score that is computed of their vectors", () => {
    const page = document({ format: "json", wire: Schema.Struct({ vulnerabilities: Schema.Unknown }), url: "" })
    const nvd = { name: "nvd", documents: { page } }
    const text = JSON.stringify(decodedCapture<object>(nvd, "page", "cves-2.0-page-2023.json"))
    const scored = [...text.matchAll(/"vectorString":"(CVSS:3[^"]+)".*?"baseScore":([\d.]+)/g)]
    expect(scored).toHaveLength(48)
    for (const [, vector = "", score] of scored) expect([vector, cvss3Score(vector)]).toEqual([vector, Number(score)])
  })
  it("of estimates are numbers of texts", () => {
    const captured = (file: string) =>
      decodedCapture<{ readonly data: ReadonlyArray<object> }>({ name: "epss", documents: { scores } }, "scores", file)
        .data
    expect(captured("v1-epss-single-2024-01-03.json")).toMatchObject([{ cve: "CVE-2022-27225", epss: 0.0015 }])
    expect(captured("documentation-dated-query-2022-02-28.json")).toMatchObject([
      { cve: "CVE-2021-40438", epss: 0.97224 },
    ])
    expect(captured("hand-made-join-example.json")).toMatchObject([
      { cve: "CVE-2025-32434", epss: 0.0123 },
      { cve: "CVE-2025-3248", epss: 0.92 },
      { cve: "CVE-2025-32444", epss: 0.0087 },
    ])
  })
})

describe("vulnerabilities of the AI stack", () => {
  it("are one for all records that share an id, directly or through others", () => {
    const items = itemsOf(
      [
        record("PYSEC-2026-1", {
          aliases: ["CVE-2026-1000"],
          summary: null,
          details: "Longer",
          modified: "2026-11-05T00:00:00Z",
        }),
        record("GHSA-aaaa-bbbb-cccc", {
          aliases: ["CVE-2026-1000"],
          published: "2026-10-30T00:00:00Z",
          severity: [{ type: "CVSS_V3", score: CRITICAL }],
          database_specific: { severity: "MODERATE" },
        }),
        record("GHSA-dddd-eeee-ffff"),
      ],
      { "CVE-2026-1000": 0.5 },
    )
    expect(items).toEqual([
      {
        id: "GHSA-dddd-eeee-ffff",
        aliases: [],
        severity: "unstated",
        cvss: null,
        epss: null,
        summary: "A flaw",
        publishedAt: "2026-11-01T00:00:00.000Z",
        modifiedAt: "2026-11-02T00:00:00.000Z",
        url: "https://osv.dev/vulnerability/GHSA-dddd-eeee-ffff",
      },
      {
        id: "CVE-2026-1000",
        aliases: ["GHSA-aaaa-bbbb-cccc", "PYSEC-2026-1"],
        // The word of the database stands before the rating of the score.
        severity: "medium",
        cvss: 9.8,
        epss: 0.5,
        summary: "A flaw",
        publishedAt: "2026-10-30T00:00:00.000Z",
        modifiedAt: "2026-11-05T00:00:00.000Z",
        url: "https://osv.dev/vulnerability/GHSA-aaaa-bbbb-cccc",
      },
    ])
  })
  it.each([
    ["CVE-2026-1000", ["PYSEC-2026-1", "GHSA-aaaa-bbbb-cccc", "CVE-2026-1000"]],
    ["GHSA-aaaa-bbbb-cccc", ["PYSEC-2026-1", "GHSA-aaaa-bbbb-cccc"]],
    ["PYSEC-2026-1", ["PYSEC-2026-1", "MAL-2026-7"]],
    ["MAL-2026-7", ["MAL-2026-7"]],
  ])("are named %s of the ids %j", (name, [id = "", ...aliases]) => {
    expect(itemsOf([record(id, { aliases })])[0]?.id).toBe(name)
  })
  it.each([
    ["critical", { database_specific: { severity: "CRITICAL" } }],
    ["medium", { database_specific: { severity: "MODERATE" } }],
    ["critical", { severity: [{ type: "CVSS_V3", score: CRITICAL }] }],
    ["low", { severity: [{ type: "CVSS_V3", score: "CVSS:3.1/AV:L/AC:H/PR:L/UI:N/S:U/C:L/I:N/A:N" }] }],
    ["unstated", { severity: [{ type: "CVSS_V4", score: "CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H" }] }],
    ["unstated", { database_specific: { severity: 9 } }],
    ["unstated", { database_specific: null, severity: null, aliases: null }],
  ])("are %s with %j", (severity, members) => {
    expect(itemsOf([record("GHSA-aaaa-bbbb-cccc", members)])[0]?.severity).toBe(severity)
  })
  it("of more other ids than are kept are refused: by one that is left out it may be known to be exploited", () => {
    const aliases = Array.from({ length: FLAW_ALIASES_MAX + 1 }, (_, n) => `CVE-2026-${1_000 + n}`)
    expect(itemsOf([record("GHSA-a-b-c", { aliases: aliases.slice(1) })])[0]?.aliases).toHaveLength(FLAW_ALIASES_MAX)
    const collected = collectedOf([record("GHSA-a-b-c", { aliases })])
    expect(refusedBy(osv, collected, { parameters: { package: "torch" }, observedAtMs: NOW_MS })?.message).toBe(
      `a vulnerability has more than ${FLAW_ALIASES_MAX} other ids`,
    )
  })
  it("have the score of a vector of version 3 that stands behind one of version 4", () => {
    const severity = [
      { type: "CVSS_V4", score: "CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N" },
      { type: "CVSS_V3", score: CRITICAL },
    ]
    expect(itemsOf([record("GHSA-aaaa-bbbb-cccc", { severity })])[0]).toMatchObject({ cvss: 9.8, severity: "critical" })
  })
  it("are those of a package whose name is written otherwise, and of no other ecosystem", () => {
    const named = (name: string, ecosystem: string) =>
      readBy(osv, collectedOf([record("PYSEC-2026-1", { affected: [{ package: { name, ecosystem } }] })]), {
        parameters: { package: "jupyter-server" },
        observedAtMs: NOW_MS,
      }).unreadable.length
    expect([named("Jupyter_Server", "PyPI"), named("jupyter-server", "PyPI")]).toEqual([0, 0])
    expect([named("jupyter-server", "npm"), named("jupyter-server-terminals", "PyPI")]).toEqual([1, 1])
  })
  it.each([
    ["an id that is none", { id: "a flaw" }],
    ["a change in the future", { modified: "2026-11-21T00:00:00Z" }],
    ["no change", { modified: undefined }],
    ["no package", { affected: [] }],
  ])("leave out a record with %s, and count it", (_, members) => {
    const records = [record("PYSEC-2026-1"), record("PYSEC-2026-2"), { ...record("PYSEC-2026-3"), ...members }]
    const { outcome, unreadable } = readBy(osv, collectedOf(records), {
      parameters: { package: "torch" },
      observedAtMs: NOW_MS,
    })
    expect(outcome).toMatchObject({ payload: { items: [{ id: "PYSEC-2026-2" }, { id: "PYSEC-2026-1" }] } })
    expect(unreadable).toHaveLength(1)
  })
  it("have no day where none is stated, and come last", () => {
    const items = itemsOf([record("PYSEC-2026-1", { published: null }), record("PYSEC-2026-2")])
    expect(items.map(({ id, publishedAt }) => [id, publishedAt])).toEqual([
      ["PYSEC-2026-2", "2026-11-01T00:00:00.000Z"],
      ["PYSEC-2026-1", null],
    ])
  })
  it("have changed when a record was modified, and not with a new estimate", () => {
    expect(aiStackCves.isRevised(item, { ...item, epss: 0.9 })).toBe(false)
    expect(aiStackCves.isRevised(item, { ...item, modifiedAt: "2026-11-20T00:00:00.000Z" })).toBe(true)
  })
})
