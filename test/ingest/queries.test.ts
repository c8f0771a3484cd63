import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { TestClock } from "effect/testing"
import { document } from "../../ingestors/document.ts"
import { startIngest } from "../../ingestors/poll/runner.ts"
import { listSource, type Source } from "../../ingestors/source.ts"
import { lastPollEvent, START, scene } from "./scene.ts"
import { thingSource, things, Wire } from "./scripted.ts"

const { attribution, terms } = thingSource("alpha")

const source = (documents: Source["documents"], collect: Source["collect"]): Source =>
  listSource({
    name: "alpha",
    provider: "alpha.things",
    fills: things,
    every: "1 minute",
    documents,
    collect,
    candidates: (collected) => collected as ReadonlyArray<{ readonly id: string; readonly value: number }>,
    toItem: (row) => row,
    contentAtMs: () => null,
    attribution,
    terms,
  }) as Source

describe("documents that are requested by POST", () => {
  const rpc = document({
    format: "json",
    wire: Wire,
    url: "https://alpha.example/rpc",
    method: "POST",
    headers: ({ id }: { readonly id: string }) => ({ "x-id": id }),
    body: ({ id }: { readonly id: string }) => ({ params: [id], method: "get" }),
  })
  const pair = source({ rpc } as never, (upstream) =>
    Effect.map(Effect.all([upstream.fetch(rpc, { id: "1" }), upstream.fetch(rpc, { id: "2" })]), ([one, other]) => [
      { id: "1", value: one.value },
      { id: "2", value: other.value },
    ]),
  )

  it.effect("are distinguished by their bodies, and are never conditional", () =>
    Effect.gen(function* () {
      const { memory, scripted, options } = yield* scene({ sources: [pair] })
      // An answer of the one must never stand for the other, whatever validators they come with.
      scripted.answer(({ body }) => ({ json: { value: body?.includes("1") ? 10 : 20 }, etag: "same" }))
      yield* startIngest(options)
      yield* TestClock.adjust("3 minutes")
      assert.deepInclude(lastPollEvent(memory).data, { feed: "things" })
      const [, , third] = scripted.requests
      assert.strictEqual(third?.body, '{"method":"get","params":["1"]}')
      assert.deepInclude(third?.headers, { "x-id": "1" })
      assert.isTrue(scripted.requests.every(({ validators }) => validators === undefined))
      const observed = memory.events("observations").find(({ type }) => type === "feed.observed")
      assert.deepInclude(observed?.data as object, {
        payload: {
          items: [
            { id: "1", value: 10 },
            { id: "2", value: 20 },
          ],
          facts: {},
        },
      })
    }),
  )

  it.effect("fail, as a fault of ours, where they are longer than any query", () =>
    Effect.gen(function* () {
      const large = source({ rpc } as never, (upstream) =>
        Effect.map(upstream.fetch(rpc, { id: "x".repeat(65 * 1024) }), () => []),
      )
      const { memory, scripted, options } = yield* scene({ sources: [large] })
      yield* startIngest(options)
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual(lastPollEvent(memory).data.reason, "undecodable")
      assert.deepStrictEqual(scripted.requests, [])
    }),
  )
})

it.effect("a status that is an answer reaches the client with its document", () =>
  Effect.gen(function* () {
    const host = document({
      format: "json",
      wire: Schema.Union([Wire, Schema.Struct({ detail: Schema.String })]),
      url: "https://alpha.example/host",
      acceptedStatuses: [404],
    })
    const { memory, scripted, options } = yield* scene({
      sources: [
        source({ host } as never, (upstream) =>
          Effect.map(upstream.fetch(host, undefined), (answer) => ("detail" in answer ? [] : [{ id: "a", value: 1 }])),
        ),
      ],
    })
    scripted.answer(() => ({ json: { detail: "No information available" } }))
    yield* startIngest(options)
    yield* TestClock.adjust("5 seconds")
    assert.deepStrictEqual(scripted.requests[0]?.acceptedStatuses, [404])
    assert.strictEqual(lastPollEvent(memory).type, "feed.observed")
  }),
)

it.effect("an address may hold the time of the poll, without a clock", () =>
  Effect.gen(function* () {
    const since = document({
      format: "json",
      wire: Wire,
      url: (observedAtMs: number) => `https://alpha.example/since/${new Date(observedAtMs).toISOString()}`,
    })
    const { scripted, options } = yield* scene({
      sources: [
        source({ since } as never, (upstream, { observedAtMs }) =>
          Effect.map(upstream.fetch(since, observedAtMs), ({ value }) => [{ id: "a", value }]),
        ),
      ],
    })
    yield* startIngest(options)
    yield* TestClock.adjust("90 seconds")
    const [first, second] = scripted.requests.map(({ url }) => Date.parse(url.split("/since/")[1] ?? ""))
    assert.isAtLeast(first ?? 0, Date.parse(START))
    assert.isAtLeast((second ?? 0) - (first ?? 0), 60_000)
  }),
)
