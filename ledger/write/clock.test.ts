import { describe, expect, it } from "vitest"
import {
  JUMP_MIN_MS,
  type LedgerClockOptions,
  makeLedgerClock,
  UNWITNESSED_MAX_MS,
  WITNESS_AGE_MAX_MS,
  WITNESS_WAIT_MAX_MS,
} from "./clock.ts"

const START_MS = 1_790_000_000_000
const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
const YEARS_MS = 5 * 365 * DAY_MS

/** A machine whose clocks move only when they are moved. */
const machine = (options: Partial<LedgerClockOptions> = {}) => {
  let [wallMs, steadyMs, sinceBootMs] = [START_MS, 1_000, 5_000]
  const changes: Array<string | null> = []
  const clock = makeLedgerClock({
    clocks: { wallMs: () => wallMs, steadyMs: () => steadyMs, sinceBootMs: () => sinceBootMs },
    changed: (reason) => changes.push(reason),
    ...options,
  })
  return {
    clock,
    changes,
    wallMs: () => wallMs,
    pass: (ms: number) => {
      wallMs += ms
      steadyMs += ms
      sinceBootMs += ms
    },
    jump: (ms: number) => {
      wallMs += ms
    },
    suspend: (ms: number) => {
      wallMs += ms
      sinceBootMs += ms
    },
    read: (lastEntryMs = START_MS) => clock.read(lastEntryMs),
    state: (lastEntryMs = START_MS) => clock.read(lastEntryMs)._tag,
  }
}

describe("while it runs", () => {
  it.each([
    ["ahead", YEARS_MS],
    ["ahead a little", JUMP_MIN_MS + 1],
    ["back", -YEARS_MS],
    ["back a little", -JUMP_MIN_MS - 1],
  ])("a clock that jumps %s is doubted at once, and believed again when it jumps back", (_, ms) => {
    const { read, state, jump, pass, changes } = machine()
    expect(read()).toEqual({ _tag: "trusted", atMs: START_MS, behindMs: 0 })
    pass(MINUTE_MS)
    jump(ms)
    expect(read()).toMatchObject({ _tag: "doubted", reason: expect.stringContaining("jumped") })
    pass(MINUTE_MS)
    expect(state()).toBe("doubted")
    jump(-ms)
    expect(read()).toEqual({ _tag: "trusted", atMs: START_MS + 2 * MINUTE_MS, behindMs: 0 })
    expect(changes).toEqual([null, expect.stringContaining("jumped"), null])
  })

  it("a clock that is set right is believed when a witness agrees with it", () => {
    const { clock, state, jump, wallMs, pass } = machine()
    state()
    jump(YEARS_MS)
    expect(state()).toBe("doubted")
    clock.testify("a witness", wallMs() + 3_000)
    expect(state()).toBe("trusted")
    pass(MINUTE_MS)
    expect(state()).toBe("trusted")
  })

  it("a clock is doubted that a witness contradicts, though it never jumped, until they agree", () => {
    const { clock, read, state, jump, wallMs } = machine()
    state()
    clock.testify("a witness", wallMs() - 10 * MINUTE_MS)
    expect(read()).toMatchObject({ _tag: "doubted", reason: expect.stringContaining("a witness at") })
    clock.testify("a witness", wallMs() - MINUTE_MS)
    expect(state()).toBe("trusted")
    clock.testify("a witness", wallMs())
    jump(YEARS_MS)
    expect(state()).toBe("doubted")
  })

  it("one witness that agrees is enough where another one does not: it may stand still", () => {
    const { clock, state, wallMs } = machine()
    clock.testify("a chain of the day before", wallMs() - DAY_MS)
    expect(state()).toBe("doubted")
    clock.testify("several upstreams", wallMs() + 1_000)
    expect(state()).toBe("trusted")
  })

  it("a witness that has been silent for long says nothing any more", () => {
    const { clock, state, wallMs, pass } = machine()
    clock.testify("a witness", wallMs() - DAY_MS)
    expect(state()).toBe("doubted")
    pass(WITNESS_AGE_MAX_MS)
    expect(state()).toBe("doubted")
    pass(1)
    expect(state()).toBe("trusted")
  })

  it("a machine that was suspended is believed: the time since its boot went on", () => {
    const { state, suspend, read } = machine()
    state()
    suspend(3 * DAY_MS)
    expect(read()).toMatchObject({ _tag: "trusted", atMs: START_MS + 3 * DAY_MS })
  })

  it("slewing and small steps are believed, and steps that add up fast are not", () => {
    const { state, jump, pass } = machine()
    // 500 parts in a million, which is as fast as NTP slews, for a day.
    for (let minute = 0; minute < 24 * 60; minute++) {
      pass(MINUTE_MS)
      jump(30)
      expect(state()).toBe("trusted")
    }
    pass(11 * MINUTE_MS)
    expect(state()).toBe("trusted")
    let steps = 0
    for (; state() === "trusted" && steps < 100; steps++) jump(1_000)
    expect(steps).toBe(JUMP_MIN_MS / 1_000 + 1)
  })
})

describe("at a start", () => {
  it.each([
    ["with the right time", 0, "trusted"],
    ["years ahead", YEARS_MS, "doubted"],
    ["years behind", -YEARS_MS, "doubted"],
    ["some minutes off", 6 * MINUTE_MS, "doubted"],
    ["a minute off", MINUTE_MS, "trusted"],
  ])("a clock %s is judged by the witness before anything is written", (_, offMs, expected) => {
    const { clock, state, jump } = machine()
    clock.testify("a witness", START_MS)
    jump(offMs)
    expect(state()).toBe(expected)
  })

  it("waits for a witness that may speak, and not for ever", () => {
    const { clock, state, pass, wallMs } = machine({ witnessExpected: () => true })
    expect(state()).toBe("doubted")
    clock.testify("a witness", wallMs())
    expect(state()).toBe("trusted")
    const silent = machine({ witnessExpected: () => true })
    expect(silent.state()).toBe("doubted")
    silent.pass(WITNESS_WAIT_MAX_MS)
    expect(silent.state()).toBe("trusted")
    pass(1)
  })

  it("without a witness believes what is not much later than the last entry, and says what that rests on", () => {
    const bases: Array<string> = []
    const { state } = machine({ changed: (_, basis) => bases.push(basis) })
    expect(state(START_MS - UNWITNESSED_MAX_MS)).toBe("trusted")
    expect(bases).toEqual([expect.stringContaining("no witness; the last entry is at 2026-")])
    expect(machine().state(START_MS - UNWITNESSED_MAX_MS - 1)).toBe("doubted")
    expect(machine().state(0)).toBe("trusted")
  })

  it("with a clock behind the last entry says by how much", () => {
    const { read } = machine()
    expect(read(START_MS + YEARS_MS)).toEqual({ _tag: "trusted", atMs: START_MS, behindMs: YEARS_MS })
  })
})

describe("an operator", () => {
  it("overrules a jump, and is heard until the clock jumps again", () => {
    const { clock, state, jump, pass } = machine()
    state()
    jump(YEARS_MS)
    expect(state()).toBe("doubted")
    clock.accept()
    expect(state()).toBe("trusted")
    pass(DAY_MS)
    expect(state()).toBe("trusted")
    jump(-YEARS_MS)
    expect(state()).toBe("doubted")
  })

  it("overrules a witness for as long as it says the same", () => {
    const { clock, state, wallMs, pass } = machine()
    clock.testify("a witness", wallMs() - DAY_MS)
    expect(state()).toBe("doubted")
    clock.accept()
    expect(state()).toBe("trusted")
    pass(MINUTE_MS)
    clock.testify("a witness", wallMs() - DAY_MS)
    expect(state()).toBe("trusted")
    clock.testify("a witness", wallMs() - 2 * DAY_MS)
    expect(state()).toBe("doubted")
  })

  it("may decide before the ledger has read its clock", () => {
    const { clock, state } = machine()
    clock.testify("a witness", START_MS - DAY_MS)
    clock.accept()
    expect(state()).toBe("trusted")
  })
})
