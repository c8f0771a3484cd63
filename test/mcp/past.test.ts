import { describe, expect, it } from "vitest"
import { START_MS, things } from "../../api/testing/api-under-test.ts"
import { scriptedPast } from "../../api/testing/scripted-past.ts"
import { mcpEndpoint } from "../../schemas/endpoints/mcp.ts"
import { mcpAllEndpoint } from "../../schemas/endpoints/mcp-all.ts"
import { instant } from "../../schemas/event.ts"
import { earthquakeEndpoint } from "../../schemas/feeds/earthquakes.ts"
import { weatherEndpoint } from "../../schemas/feeds/weather.ts"
import { picked, premiumScene, whole } from "../premium/scene.ts"
import { eras, mcpClient } from "./client.ts"

const THEN_MS = START_MS - 3_600_000
const then = instant(THEN_MS)
const endpoints = [things, earthquakeEndpoint, weatherEndpoint, whole, picked, mcpEndpoint, mcpAllEndpoint]

const scene = async (options: { readonly modelsClosed?: ReadonlyMap<string, ReadonlySet<string>> } = {}) => {
  const past = scriptedPast()
  past.settle(START_MS - 60_000)
  past.version("/api/earthquake", THEN_MS, earthquakeEndpoint.example)
  past.version("/api/pro/picked", THEN_MS, { all: ["then", "and more"] })
  const made = await premiumScene({ endpoints, past: past.source, ...options })
  made.fill("/api/earthquake", { ...earthquakeEndpoint.example, earthquakes: [] })
  return { ...made, past }
}

describe.each(eras)("the past for a client of %s", (era) => {
  it("is an argument of each tool whose data has one, and of get_dataset", async () => {
    const { app, past } = await scene()
    const cursor = past.change(3, THEN_MS)
    const [small, large] = [mcpClient(app, { era }), mcpClient(app, { era, path: mcpAllEndpoint.path })]
    const results = [
      await small.call("earthquake", { at: then }),
      await large.call("earthquake", { at: "2026-08-17T21:35:00+02:00" }),
      await small.call("get_dataset", { name: "earthquake", parameters: { at: then } }),
    ]
    for (const { structuredContent } of results)
      expect(structuredContent).toMatchObject({
        data: earthquakeEndpoint.example,
        _meta: { at: { requested: then, known_at: then, cursor } },
      })
    // The text is the reply of HTTP, byte for byte.
    const { body } = await app.inject({ url: `/api/earthquake?at=${then}` })
    for (const { content } of results) expect(content).toEqual([{ type: "text", text: body }])
    const present = (await small.call("earthquake")).structuredContent
    expect(present).toMatchObject({
      data: { earthquakes: [] },
      _meta: expect.not.objectContaining({ at: expect.anything() }),
    })
  })

  it("is refused with what would be right", async () => {
    const { app } = await scene()
    const client = mcpClient(app, { era })
    for (const [at, error] of [
      ["2026-08-17", "invalid_at"],
      ["yesterday", "invalid_at"],
      [instant(START_MS + 1), "future_instant"],
      [instant(START_MS), "not_settled"],
      [instant(THEN_MS - 1), "before_history"],
      ["aaaaaaaa.000000000001", "future_cursor"],
    ])
      expect(await client.call("earthquake", { at })).toMatchObject({ isError: true, structuredContent: { error } })
    const day = await client.call("earthquake", { at: "2026-08-16" })
    expect(day.structuredContent.allowed).toEqual(["2026-08-16T00:00:00.000Z", "2026-08-17T00:00:00.000Z"])
    // What has no past has no such argument.
    for (const [tool, given] of [
      ["weather", { lat: 1, lon: 2, at: then }],
      ["get_dataset", { name: "weather", parameters: { lat: 1, lon: 2, at: then } }],
    ] as const)
      expect((await client.call(tool, given)).structuredContent).toMatchObject({ error: "unknown_parameter" })
  })

  it("is paid once a day", async () => {
    const { app, token, balanceOf } = await scene()
    const mine = await token(9)
    const client = mcpClient(app, { era, path: mcpAllEndpoint.path, token: mine })
    const first = await client.call("pro_picked", { at: then })
    expect(first.structuredContent).toMatchObject({ chosen: ["then"], billing: { credits_charged: 2 } })
    const again = await client.call("pro_picked", { at: "2026-08-17T19:35:00Z", size: "small" })
    expect(again.structuredContent).toMatchObject({ chosen: ["then"], billing: { no_charge_reason: "paid_today" } })
    expect(await balanceOf(mine)).toBe(7)
  })
})

it("a past reply of a source whose terms forbid it to language models is given to none", async () => {
  const modelsClosed = new Map([["/api/earthquake", new Set(["Provider.things"])]])
  const { app } = await scene({ modelsClosed })
  const result = await mcpClient(app).call("earthquake", { at: then })
  expect(result).toMatchObject({ isError: true, structuredContent: { error: "not_licensed" } })
  expect(JSON.stringify(result)).not.toContain("Kodiak")
})
