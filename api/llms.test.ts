import { describe, expect, it } from "vitest"
import { statedChanges } from "../schemas/contract/changes.ts"
import { isPremium } from "../schemas/contract/endpoint-kinds.ts"
import { CREDITS_PER_USD } from "../schemas/contract/refusal.ts"
import { FIELDS_MAX, fieldsOf } from "../schemas/printers/fields.ts"
import { Components } from "../schemas/printers/openapi-components.ts"
import { agentParameters, isData } from "../schemas/printers/tools.ts"
import { endpoints } from "../schemas/registry.ts"
import { apiUnderTest } from "./testing/api-under-test.ts"
import { textOf, wholeApi } from "./testing/documents-under-test.ts"

const free = endpoints.filter(({ tier }) => tier === "free")
const premium = endpoints.filter(isPremium)

/** The parts of an llms.txt: what stands before the sections, and the lines of each section. */
const partsOf = (text: string) => {
  const [head = "", ...sections] = text.split(/^## /m)
  return {
    head,
    sections: new Map(
      sections.map((section): [string, ReadonlyArray<string>] => {
        const [title = "", ...lines] = section.split("\n")
        return [title, lines.filter((line) => line !== "")]
      }),
    ),
  }
}

const LINK = /^- \[([^\]]+)\]\(([^)\s]+)\): (.+)$/

describe("/llms.txt", () => {
  it("has the form of llmstxt.org: a title, a quote, details, and sections of links alone", async () => {
    const { app } = await wholeApi()
    const { headers, body } = await app.inject({ url: "/llms.txt" })
    expect(headers["content-type"]).toBe("text/plain; charset=utf-8")
    expect(headers["cache-control"]).toContain("max-age=3600,")
    const { head, sections } = partsOf(body)
    expect(head.split("\n").filter((line) => line !== "")[0]).toBe("# Tidewire")
    expect(head.split("\n").filter((line) => line !== "")[1]).toMatch(/^> \S/)
    expect(head.match(/^#/gm)).toHaveLength(1)
    expect([...sections.keys()]).toEqual(["Start here", "Free data", "Premium data", "Buying credits", "Optional"])
    for (const lines of sections.values()) for (const line of lines) expect(line).toMatch(LINK)
  })

  it("lists each endpoint of data with its price, its reasons for no charge, and its sources", async () => {
    const { app } = await wholeApi()
    const { head, sections } = partsOf(await textOf(app, "/llms.txt"))
    const titles = (section: string) => (sections.get(section) ?? []).map((line) => LINK.exec(line)?.[1])
    expect(titles("Free data")).toEqual(free.map(({ path }) => path))
    expect(titles("Premium data")).toEqual(premium.map(({ path }) => path))
    const lineOf = (path: string) => [...sections.values()].flat().find((line) => line.startsWith(`- [${path}]`)) ?? ""
    for (const { path, credits, noCharge } of premium) {
      expect(lineOf(path)).toContain(`Costs ${credits} credit`)
      expect(lineOf(path)).toContain(`(${(credits / CREDITS_PER_USD).toFixed(2)} USD)`)
      for (const { reason, description } of noCharge) {
        expect(lineOf(path), reason).toContain(reason)
        expect(head, reason).toContain(description.replace(/\.$/, ""))
      }
    }
    for (const { path } of free) expect(lineOf(path)).not.toContain("credit")
    expect(lineOf("/api/forex")).toContain("Sources: European Central Bank (Free reuse with attribution).")
    for (const endpoint of [...free, ...premium])
      for (const [name] of agentParameters(endpoint)) expect(lineOf(endpoint.path), name).toContain(name)
  })

  it("names the limits, the price and the errors of the running service", async () => {
    const { app } = await apiUnderTest({ endpoints, limits: { requestsPerDay: 4_321, tokenRequestsPerMinute: 77 } })
    const { head } = partsOf(await textOf(app, "/llms.txt"))
    expect(head).toContain("4321 requests a day")
    expect(head).toContain("77 premium calls a minute")
    expect(head).toContain(`${CREDITS_PER_USD} for 1 USD`)
    for (const word of ["stale_after", "_meta.warming", "429", "insufficient_credits"]) expect(head).toContain(word)
    expect(head).toContain("this installation sells no credits now")
  })

  it("says in one line where changes are read, and of which feeds", async () => {
    const { app } = await wholeApi()
    const { head } = partsOf(await textOf(app, "/llms.txt"))
    const lines = head.split("\n").filter((line) => line.includes("/api/changes"))
    expect(lines).toHaveLength(1)
    expect(lines[0]).toContain("/api/stream")
    for (const endpoint of free)
      for (const { feed } of statedChanges(endpoint)) expect(lines[0]).toMatch(new RegExp(`[ ,]${feed}[,.]`))
    const { app: without } = await apiUnderTest({ endpoints: endpoints.filter(({ kind }) => kind !== "changes") })
    expect(await textOf(without, "/llms.txt")).not.toContain("/api/changes")
  })

  it("names no parameter that is not for agents, nor does the long text", async () => {
    const { app } = await wholeApi()
    const [short = "", full = ""] = await Promise.all(["/llms.txt", "/llms-full.txt"].map((url) => textOf(app, url)))
    expect(short.split("\n").find((line) => line.startsWith("- [/api/cyber-threats]"))).not.toContain("raw")
    const lines = partsOf(full).sections.get("GET /api/cyber-threats") ?? []
    expect(lines.length).toBeGreaterThan(10)
    expect(lines.filter((line) => line.startsWith("| raw "))).toEqual([])
    expect(lines.filter((line) => line.startsWith("| at |"))).toHaveLength(1)
    expect(Object.keys(endpoints.find(({ path }) => path === "/api/cyber-threats")?.parameters ?? {})).toEqual(["raw"])
  })
})

describe("/llms-full.txt", () => {
  it("holds every endpoint of data with its parameters, fields and an example", async () => {
    const { app } = await wholeApi()
    const sections = partsOf(await textOf(app, "/llms-full.txt")).sections
    for (const endpoint of endpoints.filter(isData)) {
      const text = (sections.get(`${endpoint.method} ${endpoint.path}`) ?? []).join("\n")
      const fields = fieldsOf(new Components().schemaOf(endpoint.data))
      expect(fields.length, endpoint.path).toBeGreaterThan(0)
      expect(fields.length, endpoint.path).toBeLessThan(FIELDS_MAX)
      for (const { place } of fields) expect(text, endpoint.path).toContain(`| ${place} |`)
      for (const [name] of agentParameters(endpoint)) expect(text, endpoint.path).toContain(`| ${name} |`)
      expect(text, endpoint.path).toContain(JSON.stringify(endpoint.example))
    }
    // Columns of tables: a bar within a text is escaped.
    for (const line of [...sections.values()].flat().filter((one) => one.startsWith("| ")))
      expect([4, 6], line).toContain(line.split(/(?<!\\)\|/).length - 1)
  })
})
