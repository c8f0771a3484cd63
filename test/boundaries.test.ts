import { spawnSync } from "node:child_process"
import { copyFileSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"

const root = fileURLToPath(new URL("..", import.meta.url))

/** Imports of a file, as written there, by whether the file may have them. */
const imports: Readonly<
  Record<string, { readonly allowed: ReadonlyArray<string>; readonly forbidden: ReadonlyArray<string> }>
> = {
  "schemas/x.ts": {
    allowed: ["./event.ts", "./ports/event-log.ts", "./feeds/earthquakes.ts", "effect/Effect"],
    forbidden: [
      "effect",
      "../ingestors/source.ts",
      "../processors/view.ts",
      "../api/server.ts",
      "../ledger/client.ts",
      "../infra/log/open.ts",
      "../test/world/world.ts",
    ],
  },
  "ingestors/sources/x.ts": {
    allowed: [
      "../source.ts",
      "../../schemas/feed.ts",
      "../http-client.port.ts",
      "../../schemas/ports/demand.ts",
      "effect/Effect",
    ],
    forbidden: [
      "effect",
      "../../processors/view.ts",
      "../../api/server.ts",
      "../../ledger/client.ts",
      "../../infra/http/undici-client.ts",
      "../../infra/main.js",
      "../../test/world/world.ts",
    ],
  },
  "processors/tables/x/table.ts": {
    allowed: ["../../table.ts", "../../../schemas/feed.ts", "../../../schemas/ports/history.ts", "effect/Effect"],
    forbidden: [
      "effect",
      "../../../ingestors/source.ts",
      "../../../api/server.ts",
      "../../../ledger/client.ts",
      "../../../infra/history/clickhouse.ts",
      "../../../infra/main.js",
      "../../../test/world/world.ts",
    ],
  },
  "ledger/x.ts": {
    allowed: ["./chain.port.ts", "../schemas/event.ts", "../schemas/ports/event-log.ts", "effect/Effect"],
    forbidden: [
      "effect",
      "../ingestors/source.ts",
      "../processors/view.ts",
      "../api/server.ts",
      "../infra/log/lmdb/event-log.ts",
      "../infra/log/kafka/event-log.ts",
      "../test/world/world.ts",
    ],
  },
  "api/x.ts": {
    allowed: ["./y.ts", "../schemas/event.ts", "../schemas/ports/demand.ts", "../ledger/client.ts", "fastify"],
    forbidden: [
      "effect",
      "../ingestors/source.ts",
      "../processors/view.ts",
      "../ledger/model/state.ts",
      "../infra/demand/http.ts",
      "../infra/log/open.ts",
      "../test/world/world.ts",
    ],
  },
  "infra/roles/x.ts": {
    allowed: [
      "../log/lmdb/event-log.ts",
      "../../ingestors/poll/runner.ts",
      "../../processors/runner.ts",
      "../../api/server.ts",
    ],
    forbidden: ["effect", "../../test/world/world.ts"],
  },
}

/** Every form of an import: the rule must cover them all. */
const forms: ReadonlyArray<(from: string) => string> = [
  (from) => `import { one } from "${from}"\nexport const two = one\n`,
  (from) => `import type { One } from "${from}"\nexport type Two = One\n`,
  (from) => `export { one } from "${from}"\n`,
  (from) => `export const one = () => import("${from}")\n`,
  (from) => `import "${from}"\n`,
]

/**
 * The files that the linter complains about by the project's own rule, of files with these texts. They stand in a folder of
 * their own; the linter does not ask whether what they import exists.
 */
const refused = (rule: string, texts: Readonly<Record<string, string>>): ReadonlyArray<string> => {
  const directory = mkdtempSync(join(tmpdir(), "tidewire-boundaries-"))
  try {
    copyFileSync(join(root, ".biome.json"), join(directory, ".biome.json"))
    for (const [path, text] of Object.entries(texts)) {
      mkdirSync(dirname(join(directory, path)), { recursive: true })
      writeFileSync(join(directory, path), text)
    }
    const only = ["--vcs-enabled=false", "--max-diagnostics=none", "--reporter=json", `--only=${rule}`]
    // Its exit code is that of findings, which are expected.
    const { stdout } = spawnSync(join(root, "node_modules/.bin/biome"), ["lint", ...only], {
      cwd: directory,
      encoding: "utf8",
      maxBuffer: 64 * 1024 * 1024,
    })
    const { summary, diagnostics } = JSON.parse(stdout) as Report
    expect(summary.changed + summary.unchanged).toBeGreaterThanOrEqual(Object.keys(texts).length)
    return diagnostics
      .filter(({ category }) => category === `lint/${rule}`)
      .map(({ location }) => location.path)
      .sort()
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

interface Report {
  readonly summary: { readonly changed: number; readonly unchanged: number }
  readonly diagnostics: ReadonlyArray<{ readonly category: string; readonly location: { readonly path: string } }>
}

describe("the linter", () => {
  it.each(Object.entries(imports))("refuses in %s what another room owns, in every form of an import", (file, rule) => {
    const texts = (which: string, froms: ReadonlyArray<string>) =>
      Object.fromEntries(
        froms.flatMap((from, at) =>
          forms.map((form, of) => [file.replace(/x?\.ts$/, `_${which}_${at}_${of}.ts`), form(from)]),
        ),
      )
    const forbidden = texts("forbidden", rule.forbidden)
    expect(refused("style/noRestrictedImports", { ...texts("allowed", rule.allowed), ...forbidden })).toEqual(
      Object.keys(forbidden).sort(),
    )
  })

  it("refuses a circle of imports, also one of types alone", () => {
    const texts = {
      "api/a.ts": 'import { b } from "./b.ts"\nexport const a = b\n',
      "api/b.ts": 'import type { C } from "./c.ts"\nexport const b: C = 1\n',
      "api/c.ts": 'import type { a } from "./a.ts"\nexport type C = typeof a\n',
      "api/d.ts": 'import { a } from "./a.ts"\nexport const d = a\n',
    }
    expect([...new Set(refused("suspicious/noImportCycles", texts))]).toEqual(["api/a.ts", "api/b.ts", "api/c.ts"])
  })
})

describe("engines stay behind their ports", () => {
  const product = "{schemas,ingestors,processors,api,ledger,infra}/**/*.ts"
  const importers = (pattern: string, packageName: string) =>
    globSync(pattern, { cwd: root })
      .filter((path) =>
        new RegExp(`(from|import|require)\\s*\\(?\\s*["']${packageName}(/[^"']*)?["']`).test(
          readFileSync(join(root, path), "utf8"),
        ),
      )
      .map((path) => path.replaceAll("\\", "/"))

  it.each([
    ["kafkajs", ["infra/log/"]],
    ["lmdb", ["infra/log/", "infra/state/"]],
    ["@clickhouse/client", ["infra/history/", "infra/commands/sql.ts"]],
    ["undici", ["infra/"]],
    ["viem", ["infra/chain/"]],
    ["jose", ["ledger/receipts/", "infra/secrets/"]],
  ])("%s is imported below %s only", (packageName, folders) => {
    const found = importers(product, packageName)
    expect(found.length).toBeGreaterThan(0)
    expect(found.filter((path) => !folders.some((folder) => path.startsWith(folder)))).toEqual([])
  })
  it("tests import kafkajs only where they are the cluster's administrator, another client beside the adapter, or a baseline", () => {
    const isOutside = (path: string) =>
      path === "test/support/kafka-cluster.ts" || /^test\/(conformance|bench\/benchmarks)\//.test(path)
    expect(importers("test/**/*.ts", "kafkajs").filter((path) => !isOutside(path))).toEqual([])
  })
})

describe("test files, which share their processes,", () => {
  const holding = (pattern: RegExp, isAsked: (path: string) => boolean) =>
    globSync("{schemas,ingestors,processors,api,ledger,infra,test}/**/*.ts", { cwd: root })
      .filter(isAsked)
      .filter((path) => pattern.test(readFileSync(join(root, path), "utf8")))

  it("reset and replace no modules: what the next file loads would be evaluated twice", () => {
    expect(holding(/\bvi\.(resetModules|mock|doMock|unmock)\(/, () => true)).toEqual([])
  })
  it("are the only ones that declare hooks when they are loaded: a shared module is loaded once", () => {
    const hook = /^(before|after)(Each|All)\(/m
    expect(holding(hook, (path) => path.endsWith(".test.ts")).length).toBeGreaterThan(10)
    expect(holding(hook, (path) => !path.endsWith(".test.ts"))).toEqual([])
  })
})

describe("the files of api/", () => {
  it("share types that import no implementation", () => {
    const text = readFileSync(join(root, "api/routes/route.ts"), "utf8")
    expect(text.match(/^import .*$/gm)?.filter((line) => !line.startsWith("import type "))).toEqual([])
  })
})
