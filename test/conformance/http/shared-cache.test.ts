import { expect, it, onTestFinished } from "vitest"
import { apiUnderTest, START_MS } from "../../../api/testing/api-under-test.ts"
import { describeUnless } from "../../support/describe-unless.ts"
import { startNginx, startVarnish } from "../../support/shared-cache.ts"

const ROUNDS = 5
const caches = [
  { name: "nginx", start: startNginx },
  { name: "Varnish", start: startVarnish },
]

/** The replies that a cache must store, and their age in seconds since they were prepared. */
const replies = [
  { path: "/api/things", preparedSecondsAgo: 0 },
  { path: "/api/things", preparedSecondsAgo: 150 },
  { path: "/api/climate/choices?period=hour", preparedSecondsAgo: 299 },
  { path: "/api", preparedSecondsAgo: 3_700 },
  { path: "/openapi.json", preparedSecondsAgo: 86_400 },
]

for (const { name, start } of caches)
  describeUnless(start === null ? `${name} is not installed` : undefined, `${name} in front of the API`, () => {
    it.each(replies)("stores $path, prepared $preparedSecondsAgo s before", async ({ path, preparedSecondsAgo }) => {
      const { app, fill, moveTo, listen, store } = await apiUnderTest()
      fill("/api/things", { items: ["thing"] }, 1_000_000)
      fill("/api/climate/choices?period=hour&size=small", { size: "small" }, 1_000_000)
      await store.settled()
      const cache = await start?.(`http://127.0.0.1:${await listen()}`)
      if (cache === undefined) throw new Error("there is no cache")
      onTestFinished(cache.stop)
      moveTo(START_MS + preparedSecondsAgo * 1_000)
      const requested: Array<string | undefined> = []
      app.server.on("request", (request) => requested.push(request.url))
      for (let round = 0; round < ROUNDS; round++) {
        const { status, headers } = await fetch(`${cache.url}${path}`)
        const maxAge = Number(/max-age=(\d+)/.exec(headers.get("cache-control") ?? "")?.[1])
        expect(status).toBe(200)
        expect(Number(headers.get("age") ?? 0)).toBeLessThan(maxAge)
      }
      expect(requested).toEqual([path])
    })

    it("stores no reply that must not be stored", async () => {
      const { app, listen } = await apiUnderTest()
      const cache = await start?.(`http://127.0.0.1:${await listen()}`)
      if (cache === undefined) throw new Error("there is no cache")
      onTestFinished(cache.stop)
      const requested: Array<string | undefined> = []
      app.server.on("request", (request) => requested.push(request.url))
      // A path that does not exist, and a view that was never filled.
      const paths = ["/api/nowhere", "/api/things"]
      for (const path of [...paths, ...paths]) await (await fetch(`${cache.url}${path}`)).text()
      expect(requested).toEqual([...paths, ...paths])
    })
  })
