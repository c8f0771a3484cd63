import { closeSync, mkdtempSync, openSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { tryLock } from "../../system/file-lock.ts"
import { makeWriteGate, openAlone } from "./gate.ts"

let directory = ""
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "tidewire-test-"))
})
afterEach(() => rmSync(directory, { recursive: true }))

/** Takes the lock of an opener; the result releases it. */
const lockAsOpener = (): (() => void) => {
  const descriptor = openSync(join(directory, "opening"), "a")
  expect(tryLock(descriptor, "alone")).toBe(true)
  return () => closeSync(descriptor)
}

const open = () => openAlone(directory, () => "opened", 20)

describe("the gate of a log", () => {
  it("admits any number of writers at once while there is no opener", () => {
    const [one, other] = [makeWriteGate(directory), makeWriteGate(directory)]
    for (const gate of [one, one, other]) expect(gate.enter()).toBeUndefined()
    for (const gate of [one, one, other]) gate.leave()
    expect(open()).toBe("opened")
    one.close()
    other.close()
  })

  it("refuses an opener while a writer is inside", () => {
    const gate = makeWriteGate(directory)
    gate.enter()
    gate.enter()
    gate.leave()
    expect(open).toThrow("still opening it or writing to it")
    gate.leave()
    expect(open()).toBe("opened")
    gate.close()
  })

  it("refuses an opener while another one holds the lock", () => {
    const release = lockAsOpener()
    expect(open).toThrow("still opening it or writing to it")
    release()
    expect(open()).toBe("opened")
  })

  it("admits writers that came during an opening afterwards, in their order", async () => {
    const gate = makeWriteGate(directory)
    const release = lockAsOpener()
    const passed: Array<number> = []
    const waiting = [1, 2, 3].map((n) => gate.enter()?.then(() => passed.push(n)))
    expect(waiting).not.toContain(undefined)
    expect(passed).toEqual([])
    release()
    await Promise.all(waiting)
    expect(passed).toEqual([1, 2, 3])
    gate.close()
  })

  it("stops admitting writers once an opener waits, even if writers are always inside", async () => {
    const gate = makeWriteGate(directory)
    gate.enter()
    const release = lockAsOpener()
    let entering = gate.enter()
    for (; entering === undefined; entering = gate.enter()) {
      gate.leave()
      await setTimeout(1)
    }
    gate.leave()
    release()
    await entering
    gate.close()
  })

  it("admits waiting writers when it is closed", async () => {
    const gate = makeWriteGate(directory)
    const release = lockAsOpener()
    const waiting = gate.enter()
    expect(waiting).toBeDefined()
    gate.close()
    await waiting
    expect(gate.enter()).toBeUndefined()
    gate.leave()
    release()
  })
})
