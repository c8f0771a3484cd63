import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { describe, expect, it } from "vitest"
import { things } from "../../api/testing/api-under-test.ts"
import { mcpEndpoint } from "../../schemas/endpoints/mcp.ts"
import { mcpAllEndpoint } from "../../schemas/endpoints/mcp-all.ts"
import { receiptVerifyEndpoint } from "../../schemas/endpoints/receipt-verify.ts"
import { anyToken, picked, premiumScene, range, whole } from "../premium/scene.ts"
import { type Era, eras, mcpClient } from "./client.ts"

const endpoints = [things, whole, picked, range, mcpEndpoint, mcpAllEndpoint, receiptVerifyEndpoint]
const ALL = mcpAllEndpoint.path

const sceneOf = () => premiumScene({ endpoints })

const withBalances = ([before, after]: readonly [number, number]) => ({ before, after })

describe.each(eras)("spending credits with a client of %s", (era: Era) => {
  it("charges a call once, and repeats it free of charge with the same bytes under a new id", async () => {
    const { app, token, balanceOf, entries } = await sceneOf()
    const mine = await token(10)
    const client = mcpClient(app, { era, path: ALL, token: mine })
    const given = { size: "large", idempotency_key: "purchase-1" }
    const first = await client.call("pro_picked", given)
    expect(first.isError).toBeUndefined()
    expect(first.structuredContent).toMatchObject({
      chosen: ["a", "b", "c"],
      billing: { credits_charged: 2, credits_remaining: 8 },
    })
    const again = await client.call("pro_picked", given)
    expect(again).toEqual(first)
    expect(withBalances([10, await balanceOf(mine)])).toEqual({ before: 10, after: 8 })
    expect(entries()).toEqual(["credits.debited", "debit.settled"])
    // Without a key each call is a purchase.
    await client.call("pro_picked", { size: "large" })
    expect(await balanceOf(mine)).toBe(6)
  })

  it("refuses a key for another call, and one that is no text, without a charge", async () => {
    const { app, token, balanceOf } = await sceneOf()
    const mine = await token(10)
    const client = mcpClient(app, { era, path: ALL, token: mine })
    await client.call("pro_picked", { size: "large", idempotency_key: "k" })
    const other = await client.call("pro_picked", { size: "small", idempotency_key: "k" })
    expect([other.isError, other.structuredContent.status]).toEqual([true, 422])
    for (const wrong of [7, null, { k: 1 }, "with a space", ""]) {
      const refused = await client.call("pro_picked", { idempotency_key: wrong })
      expect(refused.isError, String(wrong)).toBe(true)
    }
    expect(await balanceOf(mine)).toBe(8)
  })

  it.each([
    ["no token", null, "missing_token"],
    ["an unknown token", anyToken(), "invalid_token"],
    ["no token but some text", "abc", "invalid_token"],
  ])("answers %s with a result, never with a status that starts a sign-in", async (_, token, error) => {
    const { app, entries } = await sceneOf()
    const client = mcpClient(app, { era, path: ALL, token })
    const reply = await client.send("tools/call", { name: "pro_picked", arguments: {} })
    expect(reply.statusCode).toBe(200)
    expect(reply.headers).not.toHaveProperty("www-authenticate")
    const { isError, structuredContent, content } = reply.json().result
    expect(isError).toBe(true)
    expect(structuredContent).toMatchObject({
      status: 402,
      error,
      signup: expect.stringMatching(/\/developers\/agent-payments$/),
      pricing: { "/api/pro/picked": "2 credits" },
    })
    expect(JSON.parse(content[0].text)).toEqual(structuredContent)
    expect(entries()).toEqual([])
  })

  it("says that the credits do not suffice", async () => {
    const { app, token } = await sceneOf()
    const { structuredContent } = await mcpClient(app, { era, path: ALL, token: await token(1) }).call("pro_picked")
    expect(structuredContent).toMatchObject({ status: 402, error: "insufficient_credits" })
  })

  it("spends by name only what the call allows", async () => {
    const { app, token, balanceOf } = await sceneOf()
    const mine = await token(10)
    const client = mcpClient(app, { era, token: mine })
    const call = (more: object) => client.call("get_dataset", { name: "pro_picked", ...more })
    for (const more of [{}, { max_credits: 1 }, { max_credits: "2" }, { max_credits: null }]) {
      const refused = await call(more)
      expect(refused, JSON.stringify(more)).toMatchObject({
        isError: true,
        structuredContent: { error: "max_credits", credits: 2 },
      })
    }
    expect(await balanceOf(mine)).toBe(10)
    const bought = await call({ max_credits: 2, parameters: { size: "large" }, idempotency_key: "one" })
    expect(bought.structuredContent).toMatchObject({ chosen: ["a", "b", "c"] })
    expect(await call({ max_credits: 2, parameters: { size: "large" }, idempotency_key: "one" })).toEqual(bought)
    expect(await balanceOf(mine)).toBe(8)
  })

  it("verifies the receipt of what it bought, and finds a reply that was changed", async () => {
    const { app, token } = await sceneOf()
    const client = mcpClient(app, { era, path: ALL, token: await token(10) })
    const { structuredContent: reply } = await client.call("pro_picked", { size: "large" })
    const whole = await client.call("verify_receipt", { reply })
    expect(whole.structuredContent).toMatchObject({ valid: true, body: "matches", receipt: { credits: 2 } })
    const changed = await client.call("verify_receipt", { reply: { ...reply, chosen: ["b"] } })
    expect(changed.structuredContent).toMatchObject({ valid: false, reason: "body_differs" })
    const { jws } = reply.receipt as { readonly jws: string }
    const alone = await client.call("verify_receipt", { receipt: jws })
    expect(alone.structuredContent).toMatchObject({ valid: true, body: "not_given" })
    expect((await client.call("verify_receipt", {})).isError).toBe(true)
  })
})

describe("the public client library", () => {
  it("lists the tools, spends credits and repeats a call free of charge", async () => {
    const { listen, token, balanceOf } = await sceneOf()
    const mine = await token(10)
    const transport = new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${await listen()}${ALL}`), {
      requestInit: { headers: { authorization: `Bearer ${mine}` } },
    })
    const client = new Client({ name: "test", version: "1" })
    // The library's own types of its transport disagree with each other under exact optional members.
    await client.connect(transport as never)
    try {
      const { tools } = await client.listTools()
      expect(tools.map(({ name }) => name)).toEqual([
        "things",
        "pro_whole",
        "pro_picked",
        "pro_range",
        "verify_receipt",
      ])
      const given = { name: "pro_picked", arguments: { size: "large", idempotency_key: "library" } }
      const first = await client.callTool(given)
      expect(await client.callTool(given)).toEqual(first)
      expect(await balanceOf(mine)).toBe(8)
      const { resources } = await client.listResources()
      expect(resources.map(({ uri }) => uri)).toEqual(["tidewire:/api/things"])
    } finally {
      await client.close()
    }
  })
})
