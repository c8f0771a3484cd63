import { register } from "prom-client"
import { describe, expect, it } from "vitest"
import { chainOf, found, honest, KEY, lines, metricOf, open, over, refused, start } from "./testing/scripted-chain.ts"
import type { Script } from "./testing/scripted-node.ts"

describe("a provider", () => {
  it("of another chain is not used, and logged once", async () => {
    const foreign = await start({ chainId: 1 })
    const chain = await open([foreign])
    expect(await refused(chain)).toMatchObject({ problem: expect.stringContaining("1 wrong_chain") })
    expect(await refused(chain)).toMatchObject({ problem: expect.stringContaining("1 wrong_chain") })
    expect(foreign.asked.map(({ method }) => method)).toEqual(["eth_chainId"])
    expect(lines.filter((line) => line.includes("another chain"))).toHaveLength(1)
  })
  it("need not answer when the chain is opened, and is asked for its chain again when it comes back", async () => {
    const node = await start({}, () => "breaks")
    const chain = await open([node])
    expect(await refused(chain)).toMatchObject({ problem: expect.stringContaining("1 unreachable") })
    node.script = chainOf(honest)
    expect(await found(chain)).toMatchObject({ _tag: "mined" })
    node.script = () => "breaks"
    await refused(chain)
    node.script = chainOf({ ...honest, chainId: 1 })
    expect(await refused(chain)).toMatchObject({ problem: expect.stringContaining("1 wrong_chain") })
  })
  it("is asked for its chain only once while it answers", async () => {
    const node = await start()
    const chain = await open([node])
    await found(chain)
    await found(chain)
    expect(node.asked.filter(({ method }) => method === "eth_chainId")).toHaveLength(1)
  })
  it("that sends Retry-After is not called for that time, and callers get it", async () => {
    const node = await start({}, () => ({ status: 429, headers: { "retry-after": "17" } }))
    const chain = await open([node])
    expect(await refused(chain)).toMatchObject({ retryAfterSeconds: 17 })
    const later = await refused(chain)
    expect(later.retryAfterSeconds).toBeGreaterThan(0)
    expect(later.problem).toContain("1 rate_limited")
    expect(node.asked).toHaveLength(1)
  })
  it("that stumbles is asked again, a few times", async () => {
    let stumbles = 2
    const node = await start({}, () => (stumbles-- > 0 ? { status: 503 } : undefined))
    expect(await found(await open([node]))).toMatchObject({ _tag: "mined" })
    const down = await start({}, () => ({ status: 503 }))
    await refused(await open([down]))
    expect(down.asked).toHaveLength(3)
  })
  it("is not believed when it answers more than any answer has", async () => {
    const node = await start({}, (method) =>
      method === "eth_chainId" ? { result: "0x2105" } : { status: 200, body: " ".repeat(9 * 1024 * 1024) },
    )
    expect(await refused(await open([node]))).toMatchObject({ problem: expect.stringContaining("1 too_large") })
  })
  it("does not lead elsewhere", async () => {
    const target = await start()
    const node = await start({}, () => ({ status: 307, headers: { location: target.url } }))
    await refused(await open([node]))
    expect(target.asked).toEqual([])
  })
  it("does not leak its key in errors, logs or metrics", async () => {
    const failing: ReadonlyArray<Script> = [
      () => "breaks",
      () => "hangs",
      () => ({ status: 500, body: KEY }),
      () => ({ status: 401, body: KEY }),
      () => ({ error: { code: -32000, message: `no such key: ${KEY}` } }),
      () => ({ result: KEY }),
      chainOf({ ...honest, chainId: 1 }),
    ]
    for (const script of failing) {
      const failure = await refused(await open([await start({}, script)], { callTimeoutMs: 100 }))
      lines.push(JSON.stringify(failure), failure.message, failure.stack ?? "", String(failure.cause))
    }
    const all = [...lines, await register.metrics()].join("\n")
    expect(all).toContain("wrong_chain")
    expect(all).not.toContain(KEY)
    expect(all).not.toContain("127.0.0.1")
  })
  it("is counted by what it answers", async () => {
    const count = (outcome: string) => metricOf("tidewire_chain_requests_total", { provider: "0", outcome })
    const [ok, refusedBefore] = [await count("ok"), await count("refused")]
    await found(await over({}))
    await refused(await open([await start({}, () => ({ status: 403 }))]))
    expect(await count("ok")).toBe(ok + 7)
    expect(await count("refused")).toBe(refusedBefore + 1)
  })
})
