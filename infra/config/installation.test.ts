import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Result from "effect/Result"
import { afterAll, describe, expect, it } from "vitest"
import { exchangeWallets } from "../../schemas/labels/exchange-wallets.ts"
import { labelsOfFile } from "./installation.ts"

const directory = mkdtempSync(join(tmpdir(), "labels-"))
afterAll(() => rmSync(directory, { recursive: true }))

describe("a file of labels", () => {
  const write = (name: string, text: string): string => {
    const path = join(directory, name)
    writeFileSync(path, text)
    return path
  }
  it("replaces those of the release", () => {
    const labels = exchangeWallets.slice(0, 2)
    expect(labelsOfFile(write("good.json", JSON.stringify(labels)))).toEqual(Result.succeed(labels))
  })
  it("that is absent, a folder, or too large is refused", () => {
    const problems = [join(directory, "none.json"), directory, write("large.json", " ".repeat(9 * 1024 * 1024))].map(
      (path) => {
        const read = labelsOfFile(path)
        return Result.isFailure(read) ? read.failure : null
      },
    )
    expect(problems).toEqual(["cannot be read (ENOENT)", "cannot be read (EISDIR)", "has more than 8388608 bytes"])
  })
})
