import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { buildOpenApi } from "../../schemas/printers/openapi.ts"
import { endpoints } from "../../schemas/registry.ts"
import { pythonMissing, runPython } from "../clients/drivers.ts"
import { installedIn, pipInstall, removeSideFolder } from "../support/side-folder.ts"

// That others can generate a client of the published document: with the best-known generator of Python.

const GENERATOR = "openapi-python-client==0.29.1"
const GENERATE_MS = 300_000

const folder =
  pythonMissing() === undefined ? await installedIn(GENERATOR, (into) => pipInstall(into, GENERATOR)) : null
afterAll(() => (folder === null ? undefined : removeSideFolder(folder)))

describe.skipIf(folder === null)("openapi-python-client (needs Python and a package registry)", () => {
  it(
    "generates a client with every operation, without a warning",
    async () => {
      const at = (name: string) => join(folder ?? "", name)
      writeFileSync(at("openapi.json"), JSON.stringify(buildOpenApi({ endpoints, baseUrl: null })))
      // No formatter runs afterwards: it would be another package.
      writeFileSync(at("config.yaml"), "post_hooks: []\n")
      const words = ["-m", "openapi_python_client", "generate", "--path", at("openapi.json")]
      const options = ["--config", at("config.yaml"), "--meta", "none", "--output-path", at("generated")]
      const printed = await runPython(folder ?? "", [...words, ...options])
      expect(printed).not.toMatch(/warning|error|unable|skipp/i)
      for (const { name, path, tier } of endpoints)
        expect(existsSync(at(`generated/api/${tier}/${name}.py`)), path).toBe(true)
      expect(readFileSync(at("generated/api/free/earthquake.py"), "utf8")).toContain("/api/earthquake")
      // It is a package of Python.
      await runPython(folder ?? "", ["-c", "import generated.api.free.earthquake, generated.api.premium.pro_macro"])
    },
    GENERATE_MS,
  )
})
