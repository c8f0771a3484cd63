import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { apiUnderTest } from "../../api/testing/api-under-test.ts"
import { endpoints } from "../../schemas/registry.ts"
import { installedIn, npmInstall, removeSideFolder, runProgram } from "../support/side-folder.ts"

// The MCP server, as the protocol's own inspector sees it from a command line.

const INSPECTOR = "@modelcontextprotocol/inspector@2.12.0"
const CALL_MS = 300_000

const folder = await installedIn(INSPECTOR, (into) => npmInstall(into, "--prefix", into, INSPECTOR))
afterAll(() => (folder === null ? undefined : removeSideFolder(folder)))

describe.skipIf(folder === null)("the MCP inspector (needs a package registry)", () => {
  it.each([
    ["legacy", "2025-11-25"],
    ["modern", "2026-07-28"],
  ])(
    "lists the tools of a client of the %s era, finds their schemas portable, and calls one",
    async (protocolEra, revision) => {
      const { app, listen } = await apiUnderTest({ endpoints, limits: { serviceRequestsPerMinute: 10_000 } })
      const revisions = new Set<unknown>()
      app.server.on("request", ({ headers }) => revisions.add(headers["mcp-protocol-version"]))
      const url = `http://127.0.0.1:${await listen()}/api/mcp`
      const config = join(folder ?? "", `${protocolEra}.json`)
      writeFileSync(config, JSON.stringify({ mcpServers: { it: { type: "streamable-http", url, protocolEra } } }))
      const inspect = async (...words: ReadonlyArray<string>): Promise<unknown> => {
        const cli = join(folder ?? "", "node_modules/.bin/mcp-inspector")
        const given = ["--cli", "--config", config, "--server", "it", "--format", "json", ...words]
        const { stdout } = await runProgram(cli, given, { cwd: folder ?? "", timeout: CALL_MS })
        return JSON.parse(stdout)
      }
      expect(await inspect("--method", "tools/list", "--strict")).toMatchObject({
        result: { tools: expect.arrayContaining([expect.objectContaining({ name: "get_dataset" })]) },
      })
      const found = await inspect(
        "--method",
        "tools/call",
        "--tool-name",
        "search_datasets",
        "--tool-arg",
        "query=quakes",
      )
      const datasets = expect.arrayContaining([expect.objectContaining({ name: "earthquake", credits: 0 })])
      expect(found).toMatchObject({ result: { structuredContent: { datasets } } })
      // What comes before a revision is agreed on has none.
      revisions.delete(undefined)
      expect([...revisions]).toEqual([revision])
    },
    CALL_MS,
  )
})
