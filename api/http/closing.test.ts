import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { type Demand, DemandFailed } from "../../schemas/ports/demand.ts"
import { closeApi } from "../server.ts"
import { apiUnderTest } from "../testing/api-under-test.ts"
import { get, open } from "../testing/socket.ts"
import { waitFor } from "../testing/wait-for.ts"

describe("closing", () => {
  it("lets a running request finish, takes no new connection, and ends idle ones", async () => {
    const { app, listen } = await apiUnderTest()
    const running = Promise.withResolvers<void>()
    const finished = Promise.withResolvers<void>()
    app.get("/api/slow", async () => {
      running.resolve()
      await finished.promise
      return { done: true }
    })
    const port = await listen()
    const idle = open(port)
    idle.socket.write(get("/api/health"))
    await waitFor(() => expect(idle.state.received).toContain("200 OK"))
    const busy = open(port)
    busy.socket.write(get("/api/slow"))
    await running.promise
    const closing = closeApi(app, 600_000)
    await idle.closed()
    const late = open(port)
    await late.closed()
    expect(late.state.received).toBe("")
    expect(busy.state.closed).toBe(false)
    finished.resolve()
    await closing
    await busy.closed()
    expect(busy.state.received).toContain('{"done":true}')
  })

  it("ends a connection whose last request was answered after the closing began", async () => {
    const asked = Promise.withResolvers<void>()
    const observed = Promise.withResolvers<void>()
    const demand: Demand = {
      observe: () => {
        asked.resolve()
        return Effect.promise(() => observed.promise).pipe(
          Effect.andThen(new DemandFailed({ reason: "unavailable", retryAfterSeconds: 5 })),
        )
      },
    }
    const { app, listen } = await apiUnderTest({ demand, limits: { keepAliveTimeoutMs: 600_000 } })
    const busy = open(await listen())
    busy.socket.write(get("/api/place?lat=1&lon=1"))
    await asked.promise
    const closing = closeApi(app, 600_000)
    observed.resolve()
    await closing
    await busy.closed()
    expect(busy.state.received).toContain('"warming":true')
  })

  it("does not wait longer than its deadline", async () => {
    const { app, listen } = await apiUnderTest()
    const running = Promise.withResolvers<void>()
    app.get("/api/for-ever", () => {
      running.resolve()
      return new Promise(() => undefined)
    })
    const busy = open(await listen())
    busy.socket.write(get("/api/for-ever"))
    await running.promise
    await closeApi(app, 100)
    await busy.closed()
  })
})
