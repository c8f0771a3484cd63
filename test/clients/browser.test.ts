import { readFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join, normalize } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { apiUnderTest } from "../../api/testing/api-under-test.ts"
import { apiWithChanges, ListedChanges } from "../../api/testing/listed-changes.ts"
import { endpoints } from "../../schemas/registry.ts"
import { describeBrowser } from "../browser/browser.ts"
import { packages } from "./make-packages.ts"
import { vectors } from "./receipt-vectors.ts"

// The client in TypeScript in a real browser: a page of one origin calls the service of another, without a build.

/** Serves an empty page at `/`, and the files of the package. */
const servePackage = async (): Promise<string> => {
  const server = createServer(({ url = "/" }, response) => {
    if (url === "/")
      return response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html><title>a page</title>")
    if (!/^\/[\w./-]+\.js$/.test(url)) return response.writeHead(404).end()
    const text = readFileSync(join(packages, "typescript", normalize(url)))
    return response.writeHead(200, { "content-type": "text/javascript" }).end(text)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

describeBrowser("the client of TypeScript in a browser", ({ open }) => {
  it("calls the service across origins, reads refusals of paid calls, and verifies receipts", async () => {
    const { listen } = await apiUnderTest({ endpoints })
    const baseUrl = `http://127.0.0.1:${await listen()}`
    const origin = await servePackage()
    expect(new URL(baseUrl).origin).not.toBe(origin)
    const { page } = await open(`${origin}/`)
    const { reply, jwk, request } = vectors
    const signed = { reply, keys: { keys: [jwk] }, request }
    const seen: unknown = await page.evaluate(`(async () => {
      const { Tidewire, verifyReceipt } = await import("/index.js")
      const tidewire = new Tidewire({ baseUrl: ${JSON.stringify(baseUrl)}, token: "svc_live_${"0".repeat(64)}" })
      const { endpoint, _meta } = await tidewire.earthquake()
      // With Authorization and Idempotency-Key, which a preflight must allow.
      const refused = await tidewire.proMacro().catch(({ name, error, status, idempotencyKey }) => ({ name, error, status, idempotencyKey }))
      const signed = ${JSON.stringify(signed)}
      const holds = await verifyReceipt(signed)
      const changed = await verifyReceipt({ ...signed, reply: { ...signed.reply, source: "other" } })
      return { endpoint, warming: _meta.warming, refused, holds: holds.valid, changed: changed.problem }
    })()`)
    expect(seen).toEqual({
      endpoint: "earthquake",
      warming: true,
      refused: {
        name: "PaymentRequiredError",
        error: expect.stringMatching(/^(billing_unavailable|invalid_token)$/),
        status: expect.any(Number),
        idempotencyKey: expect.stringMatching(/^[0-9a-f-]{36}$/),
      },
      holds: true,
      changed: "body_differs",
    })
  })

  it("reads changes across origins without a preflight, and knows a lost place by its error", async () => {
    const changes = new ListedChanges()
    changes.add({}, {}, {})
    const { port, app } = await apiWithChanges(changes)
    const methods: Array<string | undefined> = []
    app.server.on("request", ({ method }) => methods.push(method))
    const { page } = await open(`${await servePackage()}/`)
    const read: unknown = await page.evaluate(`(async () => {
      const { CursorError, Tidewire } = await import("/index.js")
      const tidewire = new Tidewire({ baseUrl: "http://127.0.0.1:${port}" })
      const cursors = []
      for await (const { cursor } of tidewire.changes({ after: "start", feeds: ["earthquakes"] }))
        if (cursors.push(cursor) === 3) break
      const lost = await tidewire.changes({ after: "aaaaaaaa.000000000001" }).next().catch((cause) => cause)
      return { cursors, lost: lost instanceof CursorError && lost.error }
    })()`)
    expect(read).toEqual({ cursors: [1, 2, 3].map((ordinal) => changes.cursor(ordinal)), lost: "other_log" })
    expect(new Set(methods)).toEqual(new Set(["GET"]))
  })
})
