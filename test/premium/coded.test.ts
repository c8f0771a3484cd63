import { brotliDecompressSync, gunzipSync } from "node:zlib"
import { describe, expect, it } from "vitest"
import { Coder } from "../../api/http/representation.ts"
import { premiumScene } from "./scene.ts"

const long = { stalled: false, list: Array.from({ length: 500 }, (_, n) => `story ${n}`) }

describe("a premium reply", () => {
  it.each([
    ["gzip", gunzipSync],
    ["br", brotliDecompressSync],
  ] as const)(
    "is sent as %s to a caller who takes it, and its receipt is over the body itself",
    async (coding, decode) => {
      const { fill, get, token, receipts } = await premiumScene()
      fill("/api/pro/whole", long)
      const mine = await token(5)
      const plain = await get("/api/pro/whole", mine)
      const coded = await get("/api/pro/whole", mine, { "accept-encoding": coding })
      expect([plain.headers["content-encoding"], coded.headers["content-encoding"]]).toEqual([undefined, coding])
      expect(coded.headers).toMatchObject({ vary: "Accept-Encoding", "cache-control": "private, no-store" })
      expect(coded.rawPayload.length).toBeLessThan(plain.rawPayload.length / 2)
      expect(Number(coded.headers["content-length"])).toBe(coded.rawPayload.length)
      const body = JSON.parse(decode(coded.rawPayload).toString())
      expect(body.list).toEqual(long.list)
      expect(await receipts.verify(body.receipt.jws, body)).toMatchObject({ valid: true, body: "matches" })
    },
  )

  it("that was kept under a key is sent in the content coding of the repeated request", async () => {
    const { fill, get, token } = await premiumScene()
    fill("/api/pro/whole", long)
    const mine = await token(5)
    const first = await get("/api/pro/whole", mine, { "idempotency-key": "k" })
    const again = await get("/api/pro/whole", mine, { "idempotency-key": "k", "accept-encoding": "gzip" })
    expect(again.headers).toMatchObject({ "content-encoding": "gzip", "idempotent-replayed": "true" })
    expect(gunzipSync(again.rawPayload).toString()).toBe(first.body)
  })

  it("is sent as it is where it is small, and no call waits where many are compressed", async () => {
    const coder = new Coder()
    const body = Buffer.from(JSON.stringify(long))
    expect(await coder.once(Buffer.from("{}"), "gzip")).toMatchObject({ coding: "identity" })
    const codings = await Promise.all(Array.from({ length: 50 }, () => coder.once(body, "br, gzip")))
    const compressed = codings.filter(({ coding }) => coding === "br").length
    expect(compressed).toBeGreaterThan(0)
    expect(compressed).toBeLessThan(50)
    expect((await coder.once(body, "br")).coding).toBe("br")
  })
})
