import * as Effect from "effect/Effect"
import * as References from "effect/References"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { openLog } from "../../infra/log/open.ts"
import { keyDigest } from "../../processors/purges/item-purge.ts"
import { COMMIT_SPAN_MAX_MS } from "../../processors/run/runner.ts"
import { encodeEvent, instant, makeEvent } from "../../schemas/event.ts"
import { itemAppeared, itemGone } from "../../schemas/events/deltas.ts"
import { pastPurged } from "../../schemas/events/versions.ts"
import type { EventLog, LogRecord } from "../../schemas/ports/event-log.ts"
import { eventReader } from "../../schemas/registry.ts"
import { runCommand } from "../support/command.ts"
import { settingsOf } from "../support/everything-kept.ts"
import { removeDirectory, temporaryDirectory } from "../support/service.ts"

const BY = ["--operator", "ann", "--reason", "a name, letter of 20 November"]
const RANGE = ["--from", "2026-11-20T05:00:00Z", "--to", "2026-11-20T07:30:00+02:00"]

describe("npm run purge", () => {
  const directory = temporaryDirectory()
  const environment = { DATA_DIR: directory }
  const purge = (...words: ReadonlyArray<string>) => runCommand(environment, "purge", ...words)

  /** The data of the events of `versions`. */
  const logged = () =>
    Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const log = yield* openLog(settingsOf(environment))
          return yield* Stream.runFold(
            log.read("versions", 0),
            (): Array<unknown> => [],
            (all, { records }) => {
              for (const { value } of records) {
                const event = Result.getOrThrow(eventReader.readEvent(value ?? new Uint8Array()))
                expect(event.type).toBe(pastPurged.type)
                all.push(event.data)
              }
              return all
            },
          )
        }),
      ).pipe(Effect.provideService(References.MinimumLogLevel, "None")),
    )
  afterAll(() => removeDirectory(directory))

  it("writes to the log what is no longer shown, who said so and why", async () => {
    const missing = await purge("/api/tech-news", ...RANGE, ...BY)
    expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining("does not exist")])
    expect(await logged()).toEqual([])
    const { code, stdout } = await purge("/api/tech-news", ...RANGE, ...BY)
    expect([code, stdout]).toEqual([0, expect.stringContaining("/api/tech-news from 2026-11-20T05:00:00.000Z to ")])
    expect(await logged()).toEqual([
      {
        path: "/api/tech-news",
        from: "2026-11-20T05:00:00.000Z",
        to: "2026-11-20T05:30:00.000Z",
        operator: "ann",
        reason: "a name, letter of 20 November",
      },
    ])
  })

  it.each([
    ["an endpoint that is none", ["/api/tech-new", ...RANGE, ...BY], "the nearest is /api/tech-news"],
    ["an endpoint without a past", ["/api/ai-stats", ...RANGE, ...BY], "no past is kept of /api/ai-stats"],
    ["no begin", ["/api/tech-news", "--to", "2026-11-20T05:00:00Z", ...BY], "--from must be an instant with its zone"],
    [
      "an end before the begin",
      ["/api/tech-news", "--from", "2026-11-20T05:00:00Z", "--to", "2026-11-20T05:00:00Z", ...BY],
      "--from must be before --to",
    ],
    [
      "an end that has not come",
      ["/api/tech-news", "--from", "2026-11-20T05:00:00Z", "--to", "2099-01-01T00:00:00Z", ...BY],
      "--to has not come yet",
    ],
    ["nobody who says so", ["/api/tech-news", ...RANGE, "--reason", "x"], "must say who does it and why"],
    ["neither an endpoint nor a feed", BY, "name either the PATH of an endpoint or --feed FEED"],
    ["both of them", ["/api/tech-news", "--feed", "tech-news", ...RANGE, ...BY], "and not both"],
    ["a key of no feed", ["/api/tech-news", "--key", "1", ...RANGE, ...BY], "--key names an item of --feed FEED"],
    ["a feed that is none", ["--feed", "tech-new", ...BY], "there is no feed tech-new; the nearest is tech-news"],
    ["an empty key", ["--feed", "tech-news", "--key", "", ...BY], "--key must be the key of an item"],
    [
      "a day in place of an instant",
      ["--feed", "tech-news", "--from", "2026-11-20", ...BY],
      "--from must be an instant",
    ],
    [
      "an end that has not come, of a feed",
      ["--feed", "tech-news", "--to", "2099-01-01T00:00:00Z", ...BY],
      "--to has not come yet",
    ],
    [
      "a begin behind now",
      ["--feed", "tech-news", "--from", "2099-01-01T00:00:00Z", ...BY],
      "--from must be before --to",
    ],
    ["nobody who says so of a feed", ["--feed", "tech-news", "--reason", "x"], "must say who does it and why"],
  ])("refuses %s, and writes nothing", async (_, words, sentence) => {
    const refused = await purge(...words)
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining(sentence)])
    expect(await logged()).toHaveLength(1)
  })
})

describe("npm run purge --feed", () => {
  const directory = temporaryDirectory()
  const environment = { DATA_DIR: directory, HISTORY: "off" }
  const purge = (...words: ReadonlyArray<string>) => runCommand(environment, "purge", ...words, ...BY)
  const KEY = "a name of somebody"
  const at = (minute: number) => instant(Date.parse("2026-11-20T05:00:00.000Z") + minute * 60_000)

  const withLog = <A, E>(use: (log: EventLog) => Effect.Effect<A, E, Scope.Scope>) =>
    Effect.runPromise(
      Effect.scoped(Effect.flatMap(openLog(settingsOf(environment)), use)).pipe(
        Effect.provideService(References.MinimumLogLevel, "None"),
      ),
    )
  const logged = () =>
    withLog((log) =>
      Stream.runFold(
        log.read("purges", 0),
        (): Array<string> => [],
        (all, { records }) => [...all, ...records.map(({ value }) => Buffer.from(value ?? []).toString())],
      ),
    )

  /** A change of an item of a feed that says when items leave it. */
  const change = (
    type: typeof itemAppeared | typeof itemGone,
    minute: number,
    key = KEY,
    feed = "humans-in-space",
    parameters = {},
  ): LogRecord => {
    const data = {
      feed,
      parameters,
      provider: "A.b",
      key,
      item: { key },
      observedAt: at(minute),
    }
    const of = { id: `${type.type} ${minute}`, source: "test", subject: `${feed}/${key}`, time: at(minute) }
    return {
      topic: "deltas",
      key: type.type,
      value: encodeEvent(makeEvent(type as typeof itemAppeared, { ...of, data })),
    }
  }
  beforeAll(() =>
    withLog((log) =>
      Effect.gen(function* () {
        const writer = yield* log.claim("test", ["deltas"])
        yield* writer.commit([
          change(itemAppeared, 10),
          change(itemGone, 20),
          change(itemAppeared, 30, "somebody else"),
          change(itemAppeared, 40),
          ...["trending", "llm"].map((set) => change(itemAppeared, 10, KEY, "repositories", { set })),
          change(itemGone, 20, KEY, "repositories", { set: "trending" }),
        ])
      }),
    ),
  )
  afterAll(() => removeDirectory(directory))

  it("names an item by a digest, and says when it could be shown, how much it is about and what is left", async () => {
    const done = await purge("--feed", "humans-in-space", "--key", KEY, "--to", at(60))
    expect(done).toMatchObject({ code: 0, stderr: "" })
    expect(done.stdout).toContain(`from 1970-01-01T00:00:00.000Z to ${at(60)}: 3 changes`)
    expect(done.stdout).toContain(`it was still listed at ${at(60)}`)
    expect(done.stdout).toContain("HISTORY=off: there is no history to remove it from")
    expect(done.stdout).toContain("not removed: the log until it is trimmed")
    const [text = "", ...others] = await logged()
    expect(others).toEqual([])
    expect(`${text}${done.stdout}`).not.toContain(KEY)
    const event = JSON.parse(text)
    expect(event.data).toEqual({
      feed: "humans-in-space",
      key: keyDigest(event.id, KEY),
      from: "1970-01-01T00:00:00.000Z",
      to: at(60),
      shown: [
        { from: at(10), to: at(20 + COMMIT_SPAN_MAX_MS / 60_000 + 1) },
        { from: at(40), to: at(60) },
      ],
      operator: "ann",
      reason: "a name, letter of 20 November",
    })
  })

  it("takes it a second time, from the end of the first on", async () => {
    const words = ["--feed", "humans-in-space", "--key", KEY, "--to", at(90)]
    const again = await purge(...words)
    expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining(": 0 changes; this is entry") })
    expect(again.stdout).toContain(`it is not known whether it was listed at ${at(90)}`)
    const { shown } = JSON.parse((await logged()).at(-1) ?? "").data
    expect(shown).toEqual([{ from: at(60), to: at(90) }])
    expect(await purge(...words)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("what was known of the item is taken out already"),
    })
  })

  it("knows that a list has it still which another one has lost", async () => {
    const done = await purge("--feed", "repositories", "--key", KEY, "--to", at(60))
    expect(done).toMatchObject({ code: 0, stdout: expect.stringContaining(`it was still listed at ${at(60)}`) })
    const { shown } = JSON.parse((await logged()).at(-1) ?? "").data
    expect(shown).toEqual([{ from: at(10), to: at(60) }])
  })

  it.each([
    ["a key that is none, with the nearest", ["--key", "a name of somebod"], `the nearest is ${KEY}`],
    [
      "an interval in which the item was not known",
      ["--key", "somebody else", "--from", at(0), "--to", at(5)],
      `its first change became known at ${at(30)}`,
    ],
  ])("refuses %s, and writes nothing", async (_, words, sentence) => {
    const before = (await logged()).length
    const refused = await purge("--feed", "humans-in-space", ...words)
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining(sentence)])
    expect(await logged()).toHaveLength(before)
  })

  it("takes a whole feed, and counts what it is about", async () => {
    const { code, stdout } = await purge("--feed", "humans-in-space", "--from", at(15), "--to", at(35))
    expect([code, stdout]).toEqual([
      0,
      expect.stringContaining(
        `the feed humans-in-space is out of the past known from ${at(15)} to ${at(35)}: 2 changes`,
      ),
    ])
    const event = JSON.parse((await logged()).at(-1) ?? "")
    expect([event.data.key, event.data.shown]).toEqual([undefined, [{ from: at(15), to: at(35) }]])
  })
})
