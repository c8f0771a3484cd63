import { describe, expect, it } from "vitest"
import { instanceKey } from "../schemas/feed.ts"
import { endpoints } from "../schemas/registry.ts"
import { START_MS } from "./testing/api-under-test.ts"
import { BASE, textOf, wholeApi } from "./testing/documents-under-test.ts"
import { apiWithChanges, ListedChanges } from "./testing/listed-changes.ts"
import { scriptedPast } from "./testing/scripted-past.ts"

const PATH = "/SKILL.md"
const MINUTE_MS = 60_000

/** The calls of the text, and the paths that it names. */
const callsOf = (text: string) => [...text.matchAll(/`GET ([^`\s]+)`/g)].map(([, call = ""]) => call)
const pathsOf = (text: string) => [...text.matchAll(/(?:`|GET |example)(\/[\w./-]+)/g)].map(([, path = ""]) => path)

describe("/SKILL.md", () => {
  it("has the front of a skill: a name, and when to use it", async () => {
    const { app } = await wholeApi(BASE)
    const { headers, body } = await app.inject({ url: PATH })
    expect(headers["content-type"]).toBe("text/markdown; charset=utf-8")
    const [, front = "", text = ""] = /^---\n(.*?)\n---\n(.*)$/s.exec(body) ?? []
    const members = Object.fromEntries(front.split("\n").map((line) => line.split(/: (.*)/s).slice(0, 2)))
    expect(Object.keys(members)).toEqual(["name", "description"])
    expect(members.name).toMatch(/^[a-z0-9-]{1,64}$/)
    expect(members.description.length).toBeLessThanOrEqual(1024)
    // A colon followed by a space would begin another member of YAML.
    expect(members.description).not.toMatch(/: |#/)
    expect(text).toContain(`Base address: \`${BASE}\``)
    expect(body.length).toBeLessThan(5_000)
  })

  it("names paths of the contract alone, and the running service's limits", async () => {
    const { app } = await wholeApi(BASE)
    const text = await textOf(app, PATH)
    const known = new Set(endpoints.map(({ path }) => path))
    const paths = pathsOf(text)
    expect(paths.length).toBeGreaterThan(8)
    for (const path of paths) expect(known, path).toContain(path)
    expect(text).toContain("100000 requests a day")
  })

  it("has five questions, each with a call that answers", async () => {
    const past = scriptedPast()
    past.settle(START_MS - MINUTE_MS)
    const changes = new ListedChanges()
    changes.add({ item: { magnitude: 5 } })
    const { app, fill, store } = await apiWithChanges(changes, { endpoints, past: past.source })
    const text = await textOf(app, PATH)
    const calls = callsOf(text).filter((call) => call.startsWith("/api") && !call.includes("/pro/"))
    expect(calls).toHaveLength(5)
    for (const endpoint of endpoints) {
      if (endpoint.kind !== "prepared" || endpoint.tier !== "free") continue
      const parameters = endpoint.path === "/api/climate/earthquakes" ? ["day", "week"] : [""]
      for (const period of parameters) {
        const magnitude = period === "week" ? "4.5" : "2.5"
        const key = instanceKey(endpoint.path, period === "" ? {} : { magnitude, period })
        fill(key, endpoint.example)
        past.version(key, START_MS - 30 * MINUTE_MS, endpoint.example)
      }
    }
    await store.settled()
    for (const call of calls) {
      const { statusCode, body } = await app.inject({ url: call })
      expect(statusCode, `${call} ${body}`).toBe(200)
      expect(JSON.parse(body)).toBeTypeOf("object")
    }
  })

  it("names nothing that is not offered", async () => {
    const without = endpoints.filter(({ path, tier }) => path !== "/api/changes" && tier !== "premium")
    const { app } = await apiWithChanges(new ListedChanges(), { endpoints: without })
    const text = await textOf(app, PATH)
    expect(text).not.toMatch(/\/api\/changes|\/api\/pro\/|## Credits/)
    expect(callsOf(text)).toHaveLength(4)
  })
})
