import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { sourceFactsOf, sources } from "../../ingestors/registry.ts"
import { feedViews } from "../../processors/registry.ts"
import { defaultParameters } from "../../schemas/contract/endpoint-kinds.ts"
import type { Meta } from "../../schemas/contract/reply.ts"
import { instanceKey, type Parameters } from "../../schemas/feed.ts"
import type { fundingRatesEndpoint } from "../../schemas/feeds/funding-rates.ts"
import type { Catalog } from "../../schemas/printers/catalog.ts"
import { eventually } from "../support/eventually.ts"
import { grantNew } from "../support/ledger-command.ts"
import { JUDGED, removeDirectory, type Service, startService, temporaryDirectory } from "../support/service.ts"
import { type LocalChain, startChain } from "../world/chain/chain.ts"
import { startWorld, type WorldServer } from "../world/server.ts"

// A service that first sells nothing and reads every source, and is then started with a wallet and no exception: whatever it
// has read before, a premium reply holds only what the terms are known to let it sell.

const facts = sources.map(sourceFactsOf)

/** The words on selling of the sources that have a name in `_meta.sources`. */
const soldBy = (name: string): ReadonlyArray<string> =>
  facts.filter(({ providers }) => providers.includes(name)).map(({ terms }) => terms.sold.answer)

interface Reply {
  readonly _meta: Meta
  readonly billing?: { readonly credits_charged: number; readonly no_charge_reason?: string }
  readonly data?: unknown
}

const premium = feedViews.flatMap(({ endpoint }) => {
  if (endpoint.tier !== "premium") return []
  const examples = Object.fromEntries(
    Object.entries(endpoint.parameters)
      .filter(([name]) => name !== "since")
      .map(([name, { example }]) => [name, example]),
  )
  const addresses = [defaultParameters(endpoint), examples].map((one: Parameters) => instanceKey(endpoint.path, one))
  return [...new Set(addresses)].map((address) => ({ path: endpoint.path, address }))
})

const directory = temporaryDirectory()
let world: WorldServer
let chain: LocalChain
let service: Service
let authorization = ""

const start = async (environment: Readonly<Record<string, string>>) => {
  service = await startService({
    dataDirectory: directory,
    environment: { UPSTREAMS: world.url, POLL_SECONDS_MAX: "10", ...environment },
  })
  await service.ready()
}
const paid = async (address: string): Promise<{ readonly text: string; readonly reply: Reply }> => {
  const response = await service.get(address, { headers: { authorization } })
  const text = await response.text()
  expect([response.status, address], text.slice(0, 300)).toEqual([200, address])
  return { text, reply: JSON.parse(text) }
}
const read = (path: string): Promise<Reply> => service.json(path) as Promise<unknown> as Promise<Reply>
const tool = async (name: string) => {
  const response = await service.get("/api/mcp/all", {
    method: "POST",
    headers: { "content-type": "application/json", "mcp-protocol-version": "2025-11-25" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: {} } }),
  })
  return response.text()
}

beforeAll(async () => {
  ;[world, chain] = await Promise.all([startWorld({ seed: "selling" }), startChain()])
  await start({ RESTRICTED_SOURCES: "fred" })
  // The first verdict follows the first poll of every feed that is declared.
  await eventually("every feed was tried", async () => (await service.json(JUDGED)).data !== null)
  // The processor of the views may be a step behind.
  await eventually("every venue was read", async () => (await read("/api/event-market")).data !== null)
  const { token } = await grantNew({ DATA_DIR: directory, ADMIN_PORT: new URL(service.adminUrl).port }, 500)
  authorization = `Bearer ${token}`
  await eventually("the views hold every source", async () => {
    const { text } = await paid("/api/pro/agent-context")
    return text.includes("//polymarket.com") && text.includes('"tech_news_front_page_top5":[{')
  })
})
afterAll(async () => {
  await service?.end("SIGTERM")
  await Promise.all([world?.close(), chain?.stop()])
  removeDirectory(directory)
})

describe("a service that sells nothing", () => {
  it("serves an operator's own use whole, and language models nothing whose terms forbid it", async () => {
    // FRED, whose operator has its consent, is withheld from what is made for language models.
    expect(service.output()).toContain(
      "withheld from premium replies: economic-series (fred) from /api/pro/agent-context",
    )
    expect(await tool("event_market")).toContain("not_licensed")
    expect(await tool("earthquake")).not.toContain("not_licensed")
    expect((await paid("/api/pro/code-host-velocity")).text).toContain("//github.com/")
  })
})

describe("the same service with a wallet, and no exception", () => {
  beforeAll(async () => {
    expect(await service.end("SIGTERM")).toBe(0)
    await start({ WALLET_ADDRESS: chain.wallet, BASE_RPC_URLS: chain.rpcUrl })
    // Its declaration has reached the views.
    await eventually(
      "what rests has left the views",
      async () => (await read("/api/event-market"))._meta.reason === "not_licensed",
    )
  })

  it.each(premium)("sells in $address only what the terms of its sources allow", async ({ path, address }) => {
    const { text, reply } = await paid(address)
    for (const { name, status, fallback_source } of reply._meta.sources)
      if (status !== null)
        expect([path, name, [...new Set(soldBy(fallback_source ?? name))]]).toEqual([path, name, ["yes"]])
    // Of the world's upstreams that may not be sold.
    for (const host of ["polymarket.com", "news.ycombinator.com", "github.com/", "coindesk.com", "thespacedevs.com"])
      expect([address, text.includes(`//${host}`)]).toEqual([address, false])
  })

  it("charges nothing where nothing is left, and sells what is", async () => {
    const { reply: nothing } = await paid("/api/pro/code-host-velocity")
    expect(nothing.billing).toMatchObject({ credits_charged: 0, no_charge_reason: "not_licensed" })
    const { reply: some } = await paid("/api/pro/agent-context")
    // Charged, unless its sources are stale on a slow machine.
    expect(["stale_sources", undefined]).toContain(some.billing?.no_charge_reason)
    expect(some._meta.sources.some(({ status }) => status !== null)).toBe(true)
  })

  it("lists at the start and in the catalog what is withheld, and what rests with its clause", async () => {
    const output = service.output()
    expect(output).toContain("not_licensed, withheld from premium replies: ")
    expect(output).toMatch(/predictions \(polymarket-gamma\) from \/api\/pro\/agent-context, \/api\/pro\/briefing/)
    expect(output).toMatch(/not_licensed, see RESTRICTED_SOURCES: .*kalshi \(.*Developer Agreement v1\.1/)
    expect(output).toMatch(/okx \(.*9\.4: personal use/)
    const { endpoints } = (await service.json("/api")) as unknown as Catalog
    const entry = endpoints.find(({ path }) => path === "/api/pro/code-host-velocity")
    expect(entry?.withheld_feeds).toEqual(["repositories"])
    const page = await (await service.get("/developers/agent-payments.md")).text()
    for (const { path, withheld_feeds: feeds } of endpoints)
      if (feeds.length > 0) expect(page).toContain(`| ${path} | ${feeds.join(", ")} |`)
  })

  it("shows nothing that may not be shown, and says of a venue that it rests", async () => {
    expect((await service.json("/api/event-market")).data).toBeNull()
    const { data } = (await service.json("/api/funding-rates")) as {
      readonly data: typeof fundingRatesEndpoint.example
    }
    expect(data.venues).toContainEqual({ venue: "okx", status: "rests", markets: null })
    expect(data.rates.filter(({ venue }) => venue !== "hyperliquid")).toEqual([])
  })
})
