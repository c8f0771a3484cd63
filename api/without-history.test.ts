import { expect, it } from "vitest"
import { endpoints } from "../schemas/registry.ts"
import { apiUnderTest } from "./testing/api-under-test.ts"

// What an API says and refuses whose installation keeps no history. It has no ledger either: nothing of it is asked.

const reading = endpoints.filter(({ kind }) => kind === "history" || kind === "queried")
const SAID = /this installation keeps no history[:;]/i
const open = () =>
  apiUnderTest({
    endpoints: endpoints.filter((one) => !reading.includes(one)),
    notConfigured: reading,
    keepsHistory: false,
  })

it.each(reading.map(({ path }) => path))("%s is not configured, whoever asks", async (path) => {
  const { app } = await open()
  for (const headers of [{}, { authorization: `Bearer svc_live_${"0".repeat(64)}` }]) {
    const { statusCode, headers: sent, body } = await app.inject({ url: path, headers })
    expect([statusCode, sent["cache-control"]]).toEqual([404, "no-store"])
    expect(JSON.parse(body)).toMatchObject({ error: "not_configured", catalog: "http://localhost:80/api" })
  }
  expect((await app.inject({ method: "OPTIONS", url: path })).statusCode).toBe(204)
})

it("is said by the documents, which list nothing of it", async () => {
  const { app } = await open()
  for (const url of ["/openapi.json", "/llms.txt", "/feeds/earthquake"]) {
    const { body } = await app.inject({ url, headers: { accept: "*/*" } })
    expect([url, SAID.test(body)]).toEqual([url, true])
    for (const { path } of reading) expect([url, path, body.includes(path)]).toEqual([url, path, false])
  }
  const catalog = JSON.parse((await app.inject({ url: "/api" })).body)
  expect(catalog.endpoints.filter((one: { readonly history: string | null }) => one.history !== null)).toEqual([])
})

it("is not said where a history is kept", async () => {
  const { app } = await apiUnderTest({ endpoints })
  for (const url of ["/openapi.json", "/llms.txt", "/feeds/earthquake"])
    expect([url, SAID.test((await app.inject({ url })).body)]).toEqual([url, false])
})
