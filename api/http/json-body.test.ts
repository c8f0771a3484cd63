import { expect, it } from "vitest"
import { apiUnderTest } from "../testing/api-under-test.ts"

it.each([
  ["64 deep", 64, 200],
  ["65 deep", 65, 400],
  ["30,000 deep", 30_000, 400],
])("a JSON body is refused beyond its depth before a route sees it: %s", async (_, depth, status) => {
  const { app, errors } = await apiUnderTest()
  app.post("/api/echo", (request) => ({ read: request.body }))
  const payload = `{"text":"[[[{\\"[","a":${"[".repeat(depth - 1)}${"]".repeat(depth - 1)}}`
  const reply = await app.inject({
    method: "POST",
    url: "/api/echo",
    payload,
    headers: { "content-type": "application/json" },
  })
  expect(reply.statusCode).toBe(status)
  if (status === 200) expect(reply.json()).toEqual({ read: JSON.parse(payload) })
  else
    expect(reply.json()).toMatchObject({
      error: "malformed_body",
      message: "The body nests arrays and objects deeper than this service reads.",
    })
  expect(errors).toEqual([])
})
