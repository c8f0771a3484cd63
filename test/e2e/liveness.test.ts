import { spawnSync } from "node:child_process"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { describe, expect, it, onTestFinished } from "vitest"
import { startLiveness } from "../../infra/roles/admin.ts"
import { eventually } from "../support/eventually.ts"
import { freePort } from "../support/service.ts"

const start = async (silentMsMax: number) => {
  const scope = await Effect.runPromise(Scope.make())
  onTestFinished(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  const wanted = { variable: "LIVE_PORT", port: await freePort(), host: "127.0.0.1", hostVariable: "ADMIN_HOST" }
  const url = await Effect.runPromise(startLiveness(wanted, silentMsMax).pipe(Scope.provide(scope)))
  return { url: `${url}/livez`, wanted }
}

/** Asks from another process until a reply is as wanted, while this thread is blocked. */
const askWhileBlocked = (url: string, isWanted: string) => {
  const script = `
    const ask = async () => {
      const reply = await fetch(${JSON.stringify(url)})
      const [status, body] = [reply.status, await reply.json()]
      if (${isWanted}) console.log(JSON.stringify({ status, body }))
      else setTimeout(ask, 50)
    }
    ask()`
  const { stdout, stderr } = spawnSync(process.execPath, ["-e", script], { timeout: 60_000, encoding: "utf8" })
  expect(stderr).toBe("")
  return JSON.parse(stdout)
}

describe("the liveness of a process", () => {
  it("is answered with its silence while the main thread is blocked", async () => {
    const { url } = await start(600_000)
    const { status, body } = askWhileBlocked(url, "body.silent_ms > 2_000")
    expect([status, body.live]).toEqual([200, true])
    const after = await fetch(url)
    expect(after.status).toBe(200)
  })

  it("ends beyond the longest silence, and returns with the main thread", async () => {
    const { url } = await start(1_500)
    const { status, body } = askWhileBlocked(url, "status !== 200")
    expect([status, body.live]).toEqual([503, false])
    expect(body.silent_ms).toBeGreaterThanOrEqual(1_500)
    await eventually("the main thread is heard of again", async () => (await fetch(url)).status === 200)
  })

  it("refuses a port that is in use, by the name of its setting, and serves nothing else", async () => {
    const { url, wanted } = await start(1_500)
    const failed = await Effect.runPromise(Effect.flip(Effect.scoped(startLiveness(wanted))))
    expect(failed.message).toContain(`LIVE_PORT: 127.0.0.1:${wanted.port} is in use`)
    expect((await fetch(new URL("/metrics", url))).status).toBe(404)
    expect((await fetch(url, { method: "POST" })).status).toBe(404)
  })
})
