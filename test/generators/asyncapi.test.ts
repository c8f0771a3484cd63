import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { BASE, wholeApi } from "../../api/testing/documents-under-test.ts"
import { buildAsyncApi } from "../../schemas/printers/asyncapi.ts"
import { installedIn, npmInstall, removeSideFolder, runProgram } from "../support/side-folder.ts"

// The document of the changes, as the parser of the standard's authors reads it.

const PARSER = "@asyncapi/parser@3.6.6"
const READ_MS = 300_000

/** Prints what the parser reads of a document, and what it says against it, hints aside. */
const PROGRAM = `
import { readFileSync } from "node:fs"
import { Parser } from "@asyncapi/parser"
const { document, diagnostics } = await new Parser().parse(readFileSync("asyncapi.json", "utf8"))
const idsOf = (messages) => messages.all().map((message) => message.id())
const operations = document?.operations().all().map((one) => ({
  id: one.id(),
  action: one.action(),
  path: one.channels().all().map((channel) => channel.address()).join(),
  messages: idsOf(one.messages()),
  reply: one.reply() === undefined ? [] : idsOf(one.reply().messages()),
}))
const problems = diagnostics.filter(({ severity }) => severity < 2).map(({ code, path }) => code + " " + path.join("."))
console.log(JSON.stringify({ operations, problems }))
`

const folder = await installedIn(PARSER, (into) => npmInstall(into, "--prefix", into, PARSER))
afterAll(() => (folder === null ? undefined : removeSideFolder(folder)))

describe.skipIf(folder === null)("the parser of AsyncAPI (needs a package registry)", () => {
  const read = async (document: unknown) => {
    const cwd = folder ?? ""
    writeFileSync(join(cwd, "asyncapi.json"), JSON.stringify(document))
    writeFileSync(join(cwd, "read.mjs"), PROGRAM)
    const { stdout } = await runProgram(process.execPath, ["read.mjs"], { cwd, timeout: READ_MS })
    return JSON.parse(stdout)
  }

  it(
    "reads both doors of the served document, and finds what is wrong with another one",
    async () => {
      const { app } = await wholeApi(BASE)
      const document = (await app.inject({ url: "/asyncapi.json" })).json()
      expect(await read(document)).toEqual({
        operations: [
          { id: "stream", action: "send", path: "/api/stream", messages: ["change", "heartbeat", "gap"], reply: [] },
          { id: "changes", action: "receive", path: "/api/changes", messages: ["request"], reply: ["page"] },
        ],
        problems: [],
      })
      // Without a public address, and without changes.
      expect(await read(buildAsyncApi({ endpoints: [], baseUrl: null }))).toEqual({ operations: [], problems: [] })
      const wrong = { ...document, operations: { stream: { ...document.operations.stream, action: "publish" } } }
      expect((await read(wrong)).problems).not.toEqual([])
    },
    READ_MS,
  )
})
