import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { buildOpenApi } from "../../schemas/printers/openapi.ts"
import { endpoints } from "../../schemas/registry.ts"
import { installedIn, npmInstall, removeSideFolder, runProgram } from "../support/side-folder.ts"

// The published document, as a linter of such documents sees it.

const LINTER = "@redocly/cli@2.77.0"
const LINT_MS = 300_000

const folder = await installedIn(LINTER, (into) => npmInstall(into, "--prefix", into, LINTER))
afterAll(() => (folder === null ? undefined : removeSideFolder(folder)))

describe.skipIf(folder === null)("redocly lint (needs a package registry)", () => {
  const lint = async (
    document: unknown,
  ): Promise<{ readonly errors: number; readonly warnings: number; readonly rules: ReadonlyArray<string> }> => {
    const file = join(folder ?? "", "openapi.json")
    writeFileSync(file, JSON.stringify(document))
    const cli = join(folder ?? "", "node_modules/@redocly/cli/bin/cli.js")
    // Without its telemetry.
    const options = {
      cwd: folder ?? "",
      timeout: LINT_MS,
      maxBuffer: 2 ** 26,
      env: { ...process.env, REDOCLY_TELEMETRY: "off" },
    }
    const { stdout } = await runProgram(process.execPath, [cli, "lint", file, "--format", "json"], options).catch(
      (failed: { readonly stdout: string }) => failed,
    )
    const { totals, problems } = JSON.parse(stdout.slice(stdout.indexOf("{")))
    return {
      ...totals,
      rules: problems.map(
        ({ ruleId, location }: { ruleId: string; location: unknown }) =>
          `${ruleId} ${JSON.stringify(location).slice(0, 300)}`,
      ),
    }
  }
  const document = buildOpenApi({ endpoints, baseUrl: "https://tidewire.example" })

  it(
    "finds no error and no warning",
    async () => {
      expect(await lint(document)).toMatchObject({ errors: 0, warnings: 0, rules: [] })
      const unused = { ...document.components.schemas, Unused: { type: "string" } }
      const worse = { ...document, components: { ...document.components, schemas: unused } }
      expect(await lint(worse)).toMatchObject({ warnings: 1, rules: [expect.stringContaining("no-unused-components")] })
    },
    LINT_MS,
  )
})
