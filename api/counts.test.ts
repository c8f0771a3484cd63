import { expect, it } from "vitest"
import { isPremium } from "../schemas/contract/endpoint-kinds.ts"
import { isData } from "../schemas/printers/tools.ts"
import { endpoints } from "../schemas/registry.ts"
import { countsOf } from "./counts.ts"
import { apiUnderTest } from "./testing/api-under-test.ts"

// Every text that counts feeds, endpoints or checks says the same number of the same thing.

const offered = endpoints.filter((one) => !isData(one) || (one.name !== "weather" && one.name !== "pro_macro"))
const data = offered.filter(isData)
/** Two feeds at each endpoint: one of its own, and one of all. */
const provenance = (path: string) => ({
  upstreams: [],
  tables: [],
  monitored: [],
  feeds: ["shared", path],
  changesByItems: true,
})

it("counts feeds, free and premium endpoints of what is offered", () => {
  const counts = countsOf({ endpoints: offered, provenance })
  expect(counts).toEqual({
    feeds: data.length + 1,
    free: data.filter((one) => !isPremium(one)).length,
    premium: data.filter(isPremium).length,
  })
  expect(countsOf({ endpoints, provenance }).feeds).toBe(endpoints.filter(isData).length + 1)
})

it("says the same in every text", async () => {
  const { app } = await apiUnderTest({ endpoints: offered, provenance })
  const { feeds, free, premium } = countsOf({ endpoints: offered, provenance })
  const read = async (url: string) => (await app.inject({ url, headers: { accept: "text/html" } })).body
  const all = `${free + premium} endpoints`
  for (const url of ["/feeds", "/feeds.md"])
    expect(await read(url), url).toContain(
      `${feeds} feeds at ${all}: ${free} are free, without a key, and ${premium} cost credits by the call`,
    )
  expect(await read("/feeds")).toContain(`data-count>${all}<`)
  expect(await read("/llms.txt")).toContain(`${free} free endpoints without a key, and ${premium} premium endpoints`)
  const { payload } = await app.inject({
    method: "POST",
    url: "/api/mcp",
    headers: { accept: "application/json, text/event-stream", "mcp-protocol-version": "2025-11-25" },
    payload: { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} },
  })
  expect(payload).toContain(`Finds datasets by words: ${all} of live data and reports`)
  // No other number of any of them stands in these texts.
  for (const url of ["/", "/feeds.md", "/llms.txt", "/docs.md", "/status.md"]) {
    const counted = [...(await read(url)).matchAll(/\b(\d+) (?:free |premium )?(?:feeds|endpoints)\b/g)].map(
      ([text]) => text,
    )
    const known = [`${feeds} feeds`, all, `${free} free endpoints`, `${premium} premium endpoints`]
    expect(
      counted.filter((text) => !known.includes(text)),
      url,
    ).toEqual([])
  }
})
