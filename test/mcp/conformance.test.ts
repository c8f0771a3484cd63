import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { apiUnderTest } from "../../api/testing/api-under-test.ts"
import { endpoints } from "../../schemas/registry.ts"
import { removeDirectory, temporaryDirectory } from "../support/service.ts"

/** The package has a command and no module. */
const suite = fileURLToPath(
  new URL("../../node_modules/@modelcontextprotocol/conformance/dist/index.js", import.meta.url),
)
const OUTPUT_MAX_BYTES = 16 * 1024 * 1024

/** Runs what a revision requires of a server; scenarios of the baseline may fail, and must. */
const runSuite = (url: string, revision: string, cwd: string) =>
  new Promise<{ readonly code: number | string; readonly output: string }>((resolve) => {
    const baseline = fileURLToPath(new URL(`baselines/${revision}.yml`, import.meta.url))
    execFile(
      process.execPath,
      [suite, "server", "--url", url, "--requirements", revision, "--expected-failures", baseline],
      { cwd, maxBuffer: OUTPUT_MAX_BYTES },
      (error, stdout, stderr) => resolve({ code: error?.code ?? 0, output: `${stdout}\n${stderr}` }),
    )
  })

describe("the conformance suite of the protocol", () => {
  it.each(
    ["2026-07-28", "2025-11-25"].flatMap((revision) =>
      ["/api/mcp", "/api/mcp/all"].map((path) => [revision, path] as const),
    ),
  )("finds nothing of %s that %s breaks, beside what only its fixture has", async (revision, path) => {
    const { listen } = await apiUnderTest({ endpoints, limits: { serviceRequestsPerMinute: 10_000 } })
    const url = `http://127.0.0.1:${await listen()}${path}`
    const directory = temporaryDirectory()
    try {
      const { code, output } = await runSuite(url, revision, directory)
      expect(output).toContain("✓ dns-rebinding-protection: 2 passed, 0 failed")
      expect(output).toMatch(/✓ tools-list: [34] passed, 0 failed/)
      expect(output).toContain("✓ resources-list: 2 passed, 0 failed")
      expect(code, output.slice(-6_000)).toBe(0)
    } finally {
      removeDirectory(directory)
    }
  })
})
