import { describe, expect, it, onTestFinished } from "vitest"
import { buildAdmin } from "./admin.ts"

describe("the admin port", () => {
  it("shows metrics, liveness, and readiness with its reasons", async () => {
    const state = {
      ready: false,
      reasons: ["api views: starting"] as ReadonlyArray<string>,
      degraded: [],
      parts: [{ role: "api", part: "views", state: "starting", reason: null, since: "2026-08-17T20:35:00.000Z" }],
    }
    const app = buildAdmin({ metrics: async () => "tidewire_up 1\n", ready: () => state })
    onTestFinished(() => app.close())
    const metrics = await app.inject({ url: "/metrics" })
    expect(metrics.body).toBe("tidewire_up 1\n")
    expect(metrics.headers["content-type"]).toBe("text/plain; version=0.0.4; charset=utf-8")
    expect((await app.inject({ url: "/livez" })).statusCode).toBe(200)
    const notYet = await app.inject({ url: "/readyz" })
    expect([notYet.statusCode, notYet.json()]).toEqual([503, state])
    Object.assign(state, { ready: true, reasons: [] })
    expect((await app.inject({ url: "/readyz" })).statusCode).toBe(200)
    expect(metrics.headers["cache-control"]).toBe("no-store")
  })
})
