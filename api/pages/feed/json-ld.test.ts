import * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"
import { defaultTtlMs, isPremium, subjects } from "../../../schemas/contract/endpoint-kinds.ts"
import { feedPagePath } from "../../../schemas/contract/pages.ts"
import { type Answer, noProvenance, type Provenance, type Terms } from "../../../schemas/contract/provenance.ts"
import { mediaTypesOf } from "../../../schemas/contract/renditions.ts"
import { dcatEndpoint } from "../../../schemas/endpoints/dcat.ts"
import { datasetId } from "../../../schemas/printers/datasets.ts"
import { isData } from "../../../schemas/printers/tools.ts"
import { endpoints } from "../../../schemas/registry.ts"
import { apiUnderTest } from "../../testing/api-under-test.ts"
import { dataFields } from "./data-section.ts"

// No parser of JSON-LD is installed, so the two documents are compared with the contract member by member.

const BASE = "https://tidewire.example"
const listed = endpoints.filter(isData)
const licence = { licence: "CC BY 4.0 </script>", termsUrl: "https://agency.example/terms" }
const unread: Answer = { answer: "unknown", clause: null, readOn: null }
const questions = { shown: unread, kept: unread, sold: unread, models: unread }
const terms: Terms = { use: "open", url: licence.termsUrl, ...questions, credit: null }
const provenance = (path: string): Provenance => ({
  ...noProvenance,
  upstreams: path.startsWith("/api/pro/")
    ? []
    : [{ provider: "Agency", url: "https://agency.example/", licence: licence.licence, terms }],
})

interface Node {
  readonly "@id"?: string
  readonly "@type"?: string
  readonly [name: string]: unknown
}
const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null && !Array.isArray(value)

/** Every node of a document, itself included. */
const nodesOf = (value: unknown): ReadonlyArray<Node> =>
  Array.isArray(value)
    ? value.flatMap(nodesOf)
    : isNode(value)
      ? [value, ...Object.entries(value).flatMap(([name, member]) => (name === "@context" ? [] : nodesOf(member)))]
      : []

describe("the JSON-LD of a feed's page", () => {
  it("is a schema.org Dataset that says what the contract says", async () => {
    const { app } = await apiUnderTest({ endpoints, baseUrl: BASE, provenance })
    for (const endpoint of listed) {
      const { body } = await app.inject({ url: feedPagePath(endpoint), headers: { accept: "text/html" } })
      const blocks = [...body.matchAll(/<script type="application\/ld\+json">(.*?)<\/script>/gs)]
      expect(blocks, endpoint.path).toHaveLength(1)
      const dataset = JSON.parse(blocks[0]?.[1] ?? "")
      expect(dataset, endpoint.path).toMatchObject({
        "@type": "Dataset",
        "@id": datasetId(endpoint, BASE),
        name: endpoint.summary,
        url: `${BASE}${feedPagePath(endpoint)}`,
        isAccessibleForFree: !isPremium(endpoint),
        "dct:accrualPeriodicity": `PT${defaultTtlMs(endpoint) / 1000}S`,
      })
      expect(dataset["@context"][0]).toBe("https://schema.org")
      expect(dataset.distribution.map((one: Node) => one.encodingFormat)).toEqual(mediaTypesOf(endpoint))
      for (const { contentUrl } of dataset.distribution) expect(contentUrl).toMatch(new RegExp(`^${BASE}/api/`))
      expect(dataset.license).toEqual(
        isPremium(endpoint) ? undefined : [{ "@type": "CreativeWork", name: licence.licence, url: licence.termsUrl }],
      )
      const units = new Map(dataset.variableMeasured.map((one: Node) => [one.name, one.unitText]))
      for (const { place, unit } of dataFields(endpoint).slice(0, 60))
        expect(units.get(place) ?? null, place).toBe(unit)
    }
  })
})

describe("/catalog.jsonld", () => {
  const catalogue = async (baseUrl: string | null = BASE) => {
    const { app } = await apiUnderTest({ endpoints, baseUrl, provenance })
    const reply = await app.inject({ url: dcatEndpoint.path })
    return { app, reply, body: reply.json() }
  }

  it("is a document of its schema, in the media type of JSON-LD, linked from the other documents", async () => {
    const { app, reply, body } = await catalogue()
    expect(reply.headers["content-type"]).toBe("application/ld+json; charset=utf-8")
    expect(reply.headers.etag).toBeDefined()
    expect(Schema.is(dcatEndpoint.data)(body)).toBe(true)
    for (const url of ["/.well-known/api-catalog", "/llms.txt"])
      expect((await app.inject({ url })).body, url).toContain(`${BASE}${dcatEndpoint.path}`)
    const feeds = await app.inject({ url: "/feeds", headers: { accept: "text/html" } })
    expect(feeds.body).toContain(`href="${dcatEndpoint.path}" type="application/ld+json"`)
  })

  it("has a dataset for each endpoint of data, with its distributions, licences, access and page", async () => {
    const { body } = await catalogue()
    const datasets: ReadonlyArray<Node> = body["dcat:dataset"]
    expect(datasets.map((one) => one["@id"])).toEqual(listed.map((one) => datasetId(one, BASE)))
    for (const [at, endpoint] of listed.entries()) {
      const dataset = datasets[at] ?? {}
      expect(dataset, endpoint.path).toMatchObject({
        "@type": "dcat:Dataset",
        "dct:title": endpoint.summary,
        "dct:identifier": endpoint.name,
        "dcat:landingPage": { "@id": `${BASE}${feedPagePath(endpoint)}` },
      })
      expect(JSON.stringify(dataset["dct:accessRights"])).toContain(isPremium(endpoint) ? "/RESTRICTED" : "/PUBLIC")
      const distributions = dataset["dcat:distribution"] as ReadonlyArray<Node>
      expect(distributions.map((one) => Object(one["dcat:mediaType"])["@id"])).toEqual(
        mediaTypesOf(endpoint).map((type) => `https://www.iana.org/assignments/media-types/${type}`),
      )
      for (const one of distributions) {
        expect("dcat:downloadURL" in one, endpoint.path).toBe(!isPremium(endpoint))
        expect(JSON.stringify(one).includes(licence.termsUrl), endpoint.path).toBe(!isPremium(endpoint))
      }
    }
  })

  it("names every vocabulary that it uses, and refers only to what it holds or to the web", async () => {
    const { body } = await catalogue()
    const prefixes = new Set(Object.keys(body["@context"]))
    const nodes = nodesOf(body)
    const held = new Set(nodes.filter((node) => "@type" in node).map((node) => node["@id"]))
    for (const node of nodes) {
      for (const name of Object.keys(node).filter((one) => !one.startsWith("@")))
        expect(prefixes.has(name.split(":")[0] ?? ""), name).toBe(true)
      if (node["@type"] !== undefined) expect(prefixes.has(node["@type"].split(":")[0] ?? "")).toBe(true)
      if (node["@id"] !== undefined) expect(() => new URL(node["@id"] ?? ""), node["@id"]).not.toThrow()
    }
    for (const subject of Object.keys(subjects)) expect(held.has(`${BASE}/feeds#${subject}`)).toBe(true)
    for (const id of nodes.map((node) => node["@id"]).filter((one) => one?.startsWith(`${BASE}/`) && one.includes("#")))
      expect(held.has(id), id).toBe(true)
  })

  it("has addresses relative to its own where the public one is not configured", async () => {
    const { body } = await catalogue(null)
    for (const { "@id": id } of nodesOf(body))
      if (id !== undefined && !/^https?:/.test(id)) expect(new URL(id, `${BASE}${dcatEndpoint.path}`).origin).toBe(BASE)
    expect(body["dcat:dataset"][0]["@id"]).toBe(`${datasetId(listed[0] ?? { path: "" }, "")}`)
  })
})
