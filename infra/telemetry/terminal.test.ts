import { describe, expect, it } from "vitest"
import { makeTerminalLines } from "./terminal.ts"

const at = "2026-11-26T23:36:59.123Z"
const line = (level: string, msg: string, more: object = {}) =>
  JSON.stringify({ level, time: at, role: "all", ...more, msg })

describe("the log at a terminal", () => {
  it("begins with the address for a browser", () => {
    const shown = makeTerminalLines(false)(
      line("info", "started", { api: "http://127.0.0.1:8787", admin: "http://127.0.0.1:9787" }),
    )
    expect(shown?.split("\n")).toEqual([
      "Tidewire  http://127.0.0.1:8787/",
      "  ready?      http://127.0.0.1:9787/readyz",
      "  metrics     http://127.0.0.1:9787/metrics",
    ])
  })

  it("says faults and states in a line each, and what goes well not at all", () => {
    const show = makeTerminalLines(false)
    expect(show(line("info", "latest folds from 0"))).toBeNull()
    expect(show(line("warn", "coins fails: ENOTFOUND", { part: "ingest" }))).toBe(
      "23:36:59  warn  ingest: coins fails: ENOTFOUND",
    )
    expect(show(line("info", "ready", { part: "state" }))).toBe("23:36:59  ready")
    expect(show(line("info", "stopped"))).toBe("23:36:59  stopped")
    expect(show("no JSON")).toBeNull()
  })

  it("says a fault of a feed once in ten minutes, whichever instance has it, and every fault of another", () => {
    let nowMs = 0
    const show = makeTerminalLines(false, () => nowMs)
    const failing = (instance: string) => show(line("warn", `${instance} fails: no answer within ${nowMs} ms`))
    expect(failing("stock-quotes?symbol=AMZN")).not.toBeNull()
    expect(failing("stock-quotes?symbol=RIOT")).toBeNull()
    expect(failing("coins")).not.toBeNull()
    nowMs = 599_999
    expect(failing("stock-quotes?symbol=AMZN")).toBeNull()
    nowMs = 600_000
    expect(failing("stock-quotes?symbol=AMZN")).not.toBeNull()
  })

  it("shows every line where the level of the log is that of a search for faults", () => {
    expect(makeTerminalLines(true)(line("debug", "asked"))).toBe("23:36:59  debug  asked")
  })

  it("lets no text of an upstream move the cursor, and bounds it", () => {
    const shown = makeTerminalLines(false)(line("error", `\u001b[2J${"x".repeat(500)}`)) ?? ""
    expect(shown).toContain("?[2J")
    expect(shown).toHaveLength(200)
  })
})
