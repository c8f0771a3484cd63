import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import board from "../../ingestors/sources/harness-leaderboard.ts"
import { boardPage } from "../../schemas/feeds/harnesses.ts"
import simulated from "../world/upstreams/harness-leaderboard.ts"
import { worldAt } from "../world/world.ts"
import { normalised } from "./support/read.ts"
import { observed, pollFailure, upstreamOf } from "./support/world.ts"

// How a board is collected: by its pages, from the page of the site, and from the address of a setting.

const NOW_MS = Date.parse("2026-11-20T12:34:56.789Z")
const CURRENT = { revision: "4.0" }
const OLDER = { revision: "2.1" }
const [API, SITE] = simulated.hosts as readonly [string, string]

describe("a board", () => {
  const world = worldAt("test", NOW_MS)
  const collectBy = (answer: typeof simulated.answer, parameters: typeof CURRENT, addresses = {}) =>
    Effect.runPromise(
      board.collect(upstreamOf({ ...simulated, hosts: [...simulated.hosts, "boards.example"], answer }, world), {
        parameters,
        observedAtMs: NOW_MS,
        key: null,
        addresses,
      }),
    )
  const collected = (parameters: typeof CURRENT) => collectBy(simulated.answer, parameters)

  it("is the same by the JSON and by the data of the page, which stands in for it", async () => {
    for (const parameters of [CURRENT, OLDER]) {
      const whole = await observed(board, simulated, NOW_MS, parameters)
      const withoutApi = upstreamOf(simulated, world, { unreachable: [API] })
      const rest = await Effect.runPromise(board.collect(withoutApi, { parameters, observedAtMs: NOW_MS, key: null }))
      expect(normalised(board, rest, { parameters, observedAtMs: NOW_MS })).toEqual(whole)
    }
  })
  it("is read page by page", async () => {
    const pages: Array<unknown> = []
    const inPages: typeof simulated.answer = (request, at) => {
      const asked = JSON.parse(String(request.body)) as { readonly page: number }
      pages.push(asked.page)
      return simulated.answer({ ...request, body: JSON.stringify({ ...asked, page_size: 5 }) }, at)
    }
    expect(await collectBy(inPages, CURRENT)).toEqual(await collected(CURRENT))
    expect(pages).toEqual([1, 2, 3])
  })
  it("is refused where it has more pages than are read", async () => {
    const long: typeof simulated.answer = (request, at) => {
      const reply = simulated.answer(request, at)
      const { page } = JSON.parse(String(request.body)) as { readonly page: number }
      return { body: { ...Object(reply?.body), pagination: { page, total_pages: 6 } } }
    }
    const alone = upstreamOf({ ...simulated, answer: long }, world, { unreachable: [SITE] })
    expect(await pollFailure(board, alone, CURRENT)).toMatchObject({
      value: { message: "the board has more than 5 pages" },
    })
  })
  it("is refused, and read of the page, where the JSON is of another board or of another page", async () => {
    const answers: ReadonlyArray<(reply: Record<string, unknown>) => object> = [
      (reply) => ({ ...reply, leaderboard: { package: "terminal-bench/terminal-bench", name: "3-0-0" } }),
      (reply) => ({ ...reply, pagination: { page: 2, total_pages: 3 } }),
      () => ({ error: "moved" }),
    ]
    for (const change of answers) {
      const wrong: typeof simulated.answer = (request, at) => {
        const reply = simulated.answer(request, at)
        return request.host === API ? { body: change((reply?.body ?? {}) as Record<string, unknown>) } : reply
      }
      expect((await collectBy(wrong, CURRENT)).rows.length).toBe((await collected(CURRENT)).rows.length)
      const alone = upstreamOf({ ...simulated, answer: wrong }, world, { unreachable: [SITE] })
      expect(await pollFailure(board, alone, CURRENT)).toMatchObject({
        value: { _tag: expect.stringMatching(/^(UpstreamError|Undecodable)$/) },
      })
    }
  })
  it("is refused where the page holds the other board, or none", async () => {
    const other: typeof simulated.answer = (request, at) =>
      request.host === SITE ? simulated.answer({ ...request, path: "/leaderboard/terminal-bench/2.1" }, at) : null
    await expect(collectBy(other, CURRENT)).rejects.toThrow()
    expect((await collectBy(other, OLDER)).rows.length).toBeGreaterThan(0)
  })
  it("is read of the address that a setting names, and of none else", async () => {
    const hosts = new Set<string>()
    const address = "https://boards.example/mirror.json"
    const mirrored =
      (body: (json: unknown) => string | object): typeof simulated.answer =>
      (request, at) => {
        hosts.add(request.host)
        const query = JSON.stringify({ package: "terminal-bench/terminal-bench", name: "4-0-0" })
        const reply = simulated.answer(
          { ...request, host: API, path: "/functions/v1/leaderboard-read", body: query },
          at,
        )
        return { body: body(reply?.body) }
      }
    const expected = await collected(CURRENT)
    expect(
      await collectBy(
        mirrored((json) => JSON.stringify(json)),
        CURRENT,
        { "4.0": address },
      ),
    ).toEqual(expected)
    const page = simulated.answer(
      { host: SITE, path: new URL(boardPage("4.0")).pathname, query: new URLSearchParams() },
      world,
    )
    expect(
      await collectBy(
        mirrored(() => page?.body ?? ""),
        CURRENT,
        { "4.0": address },
      ),
    ).toEqual(expected)
    expect([...hosts]).toEqual(["boards.example"])
    await expect(
      collectBy(
        mirrored(() => "{}"),
        CURRENT,
        { "4.0": address },
      ),
    ).rejects.toThrow()
    expect([...hosts]).toEqual(["boards.example"])
    // The other board keeps its own address.
    const noting: typeof simulated.answer = (request, at) => {
      hosts.add(request.host)
      return simulated.answer(request, at)
    }
    await collectBy(noting, OLDER, { "4.0": address })
    expect([...hosts]).toEqual(["boards.example", API])
  })
})

describe("the data of a page", () => {
  const [open, close] = ["<script>self.__next_f.push([1,", "])</script>"]
  const holding = (...pieces: ReadonlyArray<string>) =>
    pieces.map((piece) => `${open}${JSON.stringify(piece)}${close}`).join("")
  const decoded = (html: string) =>
    Effect.runPromise(
      board.collect(
        upstreamOf({ ...simulated, hosts: [SITE], answer: () => ({ body: html }) }, worldAt("test", NOW_MS)),
        { parameters: CURRENT, observedAtMs: NOW_MS, key: null, addresses: { "4.0": boardPage("4.0") } },
      ),
    )
  const json = (label: string) =>
    JSON.stringify({
      leaderboard: { package: "terminal-bench/terminal-bench", name: "4-0-0" },
      rows: [{ label }],
    })

  it("is joined before it is read, and its dollar signs are unescaped", async () => {
    const whole = json('$$3.3k {"} \\ é')
    for (let at = 1; at < whole.length; at += 7)
      expect(await decoded(holding("1:", whole.slice(0, at), `${whole.slice(at)}\n`))).toEqual({
        rows: [{ label: '$3.3k {"} \\ é' }],
      })
    expect(await decoded(holding(json("$undefined")))).toEqual({ rows: [{ label: null }] })
  })
  it("is of the board that was asked for, among several", async () => {
    const other = json("other").replace("4-0-0", "3-0-0")
    expect(await decoded(holding(`1:[${other},${json("ours")}]`))).toEqual({ rows: [{ label: "ours" }] })
    const none = '{"leaderboard":{"title":"an entry of a menu"}}'
    expect(await decoded(holding(`1:[${none},${json("ours")}]`))).toEqual({ rows: [{ label: "ours" }] })
  })
  it("does no harm where it is cut, nested too deep, or holds no board", async () => {
    const deep = `{"leaderboard":${'{"a":'.repeat(200_000)}${"}".repeat(200_000)}}`
    for (const html of [
      holding(json("x").slice(0, -3)),
      holding(deep),
      holding("1:[]"),
      `${open}"never ends`,
      `${open}not a text${close}`,
      `${open}"\\x"${close}`,
      "",
      "{",
      `{"leaderboard":${"[".repeat(100_000)}`,
    ])
      await expect(decoded(html)).rejects.toThrow(/page|document|another board/)
  })
  it("may be long", async () => {
    const long = '\\"'.repeat(300_000)
    expect((await decoded(holding(json(long)))).rows).toEqual([{ label: long }])
  })
})
