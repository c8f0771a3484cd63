import * as Effect from "effect/Effect"
import * as References from "effect/References"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { afterAll, describe, expect, it } from "vitest"
import { openLog } from "../../infra/log/open.ts"
import { pastPurged } from "../../schemas/events/versions.ts"
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
  ])("refuses %s, and writes nothing", async (_, words, sentence) => {
    const refused = await purge(...words)
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining(sentence)])
    expect(await logged()).toHaveLength(1)
  })
})
