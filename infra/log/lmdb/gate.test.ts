import { closeSync, mkdtempSync, openSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { tryLock } from "../../config/file-lock.ts"
import { makeGate, openAlone } from "./gate.ts"

let directory = ""
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "tidewire-test-"))
})
afterEach(() => rmSync(directory, { recursive: true }))

/** Takes the lock of whoever wants to open. What is given back gives it back. */
const wantToOpen = (): (() => void) => {
  const descriptor = openSync(join(directory, "opening"), "a")
  expect(tryLock(descriptor, "alone")).toBe(true)
  return () => closeSync(descriptor)
}

const open = () => openAlone(directory, () => "opened", 20)

describe("the gate of a log", () => {
  it("is passed at once where nobody opens, by any number", () => {
    const [one, other] = [makeGate(directory), makeGate(directory)]
    for (const gate of [one, one, other]) expect(gate.enter()).toBeUndefined()
    for (const gate of [one, one, other]) gate.leave()
    expect(open()).toBe("opened")
    one.close()
    other.close()
  })

  it("is shut to whoever opens while anybody is inside", () => {
    const gate = makeGate(directory)
    gate.enter()
    gate.enter()
    gate.leave()
    expect(open).toThrow("do not get done")
    gate.leave()
    expect(open()).toBe("opened")
    gate.close()
  })

  it("is shut to whoever opens while somebody else does", () => {
    const opened = wantToOpen()
    expect(open).toThrow("do not get done")
    opened()
    expect(open()).toBe("opened")
  })

  it("has those wait, in their order, who come while somebody opens", async () => {
    const gate = makeGate(directory)
    const opened = wantToOpen()
    const passed: Array<number> = []
    const waiting = [1, 2, 3].map((n) => gate.enter()?.then(() => passed.push(n)))
    expect(waiting).not.toContain(undefined)
    expect(passed).toEqual([])
    opened()
    await Promise.all(waiting)
    expect(passed).toEqual([1, 2, 3])
    gate.close()
  })

  it("comes to rest for whoever wants to open, though somebody is inside all the time", async () => {
    const gate = makeGate(directory)
    gate.enter()
    const opened = wantToOpen()
    let entering = gate.enter()
    for (; entering === undefined; entering = gate.enter()) {
      gate.leave()
      await setTimeout(1)
    }
    gate.leave()
    opened()
    await entering
    gate.close()
  })

  it("keeps nobody waiting once it is closed", async () => {
    const gate = makeGate(directory)
    const opened = wantToOpen()
    const waiting = gate.enter()
    expect(waiting).toBeDefined()
    gate.close()
    await waiting
    expect(gate.enter()).toBeUndefined()
    gate.leave()
    opened()
  })
})
