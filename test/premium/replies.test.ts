import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { describe, expect, it, onTestFinished } from "vitest"
import { KEPT_BODY_MAX_BYTES, openReplies } from "../../api/premium/replies.ts"
import { openLmdbLog } from "../../infra/log/lmdb/event-log.ts"
import { type EventLog, LogUnavailable } from "../../schemas/ports/event-log.ts"
import { makeMemoryLog } from "../support/memory-log.ts"

const reply = (text: string) => ({ status: 200, body: Buffer.from(text), receiptId: `receipt of ${text.slice(0, 9)}` })
const run = <A, E>(effect: Effect.Effect<A, E>) => Effect.runPromise(effect)

describe("kept replies", () => {
  it("are the same bytes on another process of the same log, also of one that starts later", async () => {
    const path = await mkdtemp(join(tmpdir(), "tidewire-replies-"))
    onTestFinished(() => rm(path, { recursive: true, force: true }))
    const bytes = JSON.stringify({ text: 'quotes " and \\ and \u2028 and 😀', list: [1, 2] })
    await run(
      Effect.scoped(
        Effect.gen(function* () {
          const log = yield* openLmdbLog({ path })
          const [first, second] = [yield* openReplies({ log }), yield* openReplies({ log })]
          yield* Effect.forEach(
            Array.from({ length: 300 }, (_, index) => index),
            (index) => first.append(`debit ${index}`, reply(`${index}${bytes}`)),
            { concurrency: 50 },
          )
          for (const store of [second, yield* openReplies({ log })])
            for (const index of [0, 77, 299]) {
              const found = yield* store.get(`debit ${index}`)
              expect(found).toEqual(reply(`${index}${bytes}`))
            }
          expect(yield* second.get("nobody's")).toBe("unknown")
          yield* log.trim("replies", 100)
          expect(yield* second.get("debit 77")).toBe("unknown")
          expect(yield* second.get("debit 299")).toEqual(reply(`299${bytes}`))
        }),
      ),
    )
  })

  it("that are too large are recorded as such, without their bytes", async () => {
    const { log, records } = makeMemoryLog()
    await run(
      Effect.scoped(
        Effect.gen(function* () {
          const store = yield* openReplies({ log })
          yield* store.append("fits", reply("x".repeat(KEPT_BODY_MAX_BYTES)))
          yield* store.append("large", reply("x".repeat(KEPT_BODY_MAX_BYTES + 1)))
          // Bytes count, not characters.
          yield* store.append("wide", reply("é".repeat(KEPT_BODY_MAX_BYTES / 2 + 1)))
          expect(yield* store.get("fits")).toMatchObject({ status: 200 })
          expect(yield* store.get("large")).toBe("tooLarge")
          expect(yield* store.get("wide")).toBe("tooLarge")
        }),
      ),
    )
    expect(records("replies")[1]?.value?.length).toBeLessThan(1_000)
  })

  it("are forgotten when their day is over", async () => {
    const { log } = makeMemoryLog()
    let nowMs = 0
    await run(
      Effect.scoped(
        Effect.gen(function* () {
          const store = yield* openReplies({ log, nowMs: () => nowMs })
          yield* store.append("old", reply("old"))
          expect(yield* store.get("old")).toEqual(reply("old"))
          nowMs = 26 * 60 * 60_000
          yield* store.append("new", reply("new"))
          expect(yield* store.get("new")).toEqual(reply("new"))
          expect(yield* store.get("old")).toBe("unknown")
        }),
      ),
    )
  })

  it("are forgotten beyond a number, the oldest first", async () => {
    const { log } = makeMemoryLog()
    await run(
      Effect.scoped(
        Effect.gen(function* () {
          const store = yield* openReplies({ log, placesMax: 2 })
          for (const name of ["a", "b", "c"]) yield* store.append(name, reply(name))
          expect(yield* store.get("c")).toEqual(reply("c"))
          expect(yield* store.get("a")).toBe("unknown")
        }),
      ),
    )
  })

  it("are unavailable, never absent, while the log is not followed", async () => {
    const { log } = makeMemoryLog()
    const lagging: EventLog = { ...log, start: () => Effect.never }
    const failing: EventLog = {
      ...log,
      end: () => Effect.fail(new LogUnavailable({ problem: "made so", cause: null })),
      append: () => Effect.fail(new LogUnavailable({ problem: "made so", cause: null })),
    }
    await run(
      Effect.scoped(
        Effect.gen(function* () {
          yield* (yield* openReplies({ log })).append("a", reply("a"))
          const late = yield* openReplies({ log: lagging, catchUpMsMax: 50 })
          const away = yield* openReplies({ log: failing, catchUpMsMax: 50 })
          const failures = [
            yield* Effect.flip(late.get("a")),
            yield* Effect.flip(away.get("not there")),
            yield* Effect.flip(away.append("b", reply("b"))),
          ]
          for (const { _tag } of failures) expect(_tag).toBe("RepliesUnavailable")
        }),
      ),
    )
  })

  it("go on after the following broke off", async () => {
    const { log } = makeMemoryLog()
    let broken = 0
    const flaky: EventLog = {
      ...log,
      start: (topic) => {
        broken += 1
        return broken < 3 ? Effect.fail(new LogUnavailable({ problem: "made so", cause: null })) : log.start(topic)
      },
    }
    await run(
      Effect.scoped(
        Effect.gen(function* () {
          const store = yield* openReplies({ log: flaky })
          yield* store.append("a", reply("a"))
          expect(yield* store.get("a")).toEqual(reply("a"))
          expect(broken).toBe(3)
        }),
      ),
    )
  })

  it("hold what was kept, and refuse what this version cannot read", async () => {
    const { log } = makeMemoryLog()
    await run(
      Effect.scoped(
        Effect.gen(function* () {
          const store = yield* openReplies({ log })
          yield* log.append([{ topic: "replies", key: "odd", value: new TextEncoder().encode('{"v":9}') }])
          expect((yield* Effect.flip(store.get("odd")))._tag).toBe("RepliesUnavailable")
        }),
      ),
    )
  })
})
