import { Writable } from "node:stream"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { describeStage, openProgress } from "../infra/telemetry/progress.ts"
import { eventually } from "./support/eventually.ts"

/** A stream that keeps what is written to it, as a terminal or as a file. */
const written = (isTTY: boolean) => {
  let text = ""
  const stream = Object.assign(
    new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        text += chunk.toString("utf8")
        done()
      },
    }),
    { isTTY, columns: 200 },
  )
  return { stream: stream as unknown as NodeJS.WriteStream, text: () => text }
}

/** Shows one stage that is half done until `seen` has happened. */
const shows = async (isTTY: boolean, seen: (text: string) => boolean) => {
  const { stream, text } = written(isTTY)
  await Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const progress = yield* openProgress(stream, 20)
        progress.begin("import", 2_000, "bytes").advance(1_000)
        yield* Effect.promise(() => eventually("it is shown", () => seen(text())))
      }),
    ),
  )
  return text()
}

describe("the progress of a long command", () => {
  it("shows the amount of the total, the rate, and the time left", () => {
    const stage = { stage: "fold latest", unit: "events", elapsedMs: 10_000 }
    expect(describeStage({ ...stage, done: 250_000, total: 1_000_000 })).toBe(
      "fold latest: 25 % (250,000 of 1,000,000 events), 25,000 events/s, 30 s left",
    )
    expect(describeStage({ ...stage, done: 3, total: 270 })).toBe(
      "fold latest: 1 % (3 of 270 events), 0.30 events/s, 15 min left",
    )
    expect(describeStage({ ...stage, done: 1_000, total: 100_000_000 })).toContain("277 h 47 min left")
    expect(describeStage({ ...stage, done: 250_000, total: null })).toBe("fold latest: 250,000 events, 25,000 events/s")
    // What was counted beforehand may have become more.
    expect(describeStage({ ...stage, done: 12, total: 10 })).toContain("100 % (10 of 10 events)")
    expect(describeStage({ ...stage, done: 0, total: 10, elapsedMs: 0 })).toBe(
      "fold latest: 0 % (0 of 10 events), 0.0 events/s",
    )
  })

  it("is a bar on a terminal, which is gone afterwards, and plain lines elsewhere", async () => {
    const line = "import: 50 % (1,000 of 2,000 bytes)"
    const bar = await shows(true, (text) => text.includes(line))
    expect(bar).toContain(`[############------------] ${line}`)
    expect(bar.endsWith("\u001b[0K") || bar.endsWith("\u001b[2K")).toBe(true)
    const lines = await shows(false, (text) => text.split("\n").length > 2)
    expect(
      lines
        .split("\n")
        .slice(0, -1)
        .every((one) => one.startsWith(line)),
    ).toBe(true)
    expect(lines).not.toContain("\u001b")
  })

  it("prints nothing for a short command without a terminal", async () => {
    const { stream, text } = written(false)
    await Effect.runPromise(
      Effect.scoped(Effect.map(openProgress(stream), ({ begin }) => begin("import", 10, "bytes").advance(10))),
    )
    expect(text()).toBe("")
  })
})
