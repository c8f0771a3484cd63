import { execFile } from "node:child_process"
import { copyFileSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, it } from "vitest"

const root = fileURLToPath(new URL("..", import.meta.url))
const RULE = "lint/style/noRestrictedImports"

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
      "../ledger/fold/state.ts",
      "../infra/demand/http.ts",
      "../infra/log/open.ts",
      "../test/world/world.ts",
    ],
  },
  "infra/roles/x.ts": {
    allowed: [
      "../log/lmdb/event-log.ts",
      "../../ingestors/runner.ts",
      "../../processors/runner.ts",
      "../../api/server.ts",
    ],
    forbidden: ["effect", "../../test/world/world.ts"],
  },
}

/** Every form of an import: the rule must cover them all. */
const forms: Readonly<Record<string, (from: string) => string>> = {
  value: (from) => `import { one } from "${from}"\nexport const two = one\n`,
  type: (from) => `import type { One } from "${from}"\nexport type Two = One\n`,
  reexport: (from) => `export { one } from "${from}"\n`,
  dynamic: (from) => `export const one = () => import("${from}")\n`,
  effect: (from) => `import "${from}"\n`,
}

const cases = Object.entries(imports).flatMap(([file, { allowed, forbidden }]) =>
  [
    ...allowed.map((from) => ({ from, isAllowed: true })),
    ...forbidden.map((from) => ({ from, isAllowed: false })),
  ].flatMap(({ from, isAllowed }) => Object.keys(forms).map((form) => ({ file, from, form, isAllowed }))),
)
const written = cases.map((one, index) => ({ ...one, path: one.file.replace(/x?\.ts$/, `_${index}.ts`) }))

interface Report {
  readonly summary: { readonly changed: number; readonly unchanged: number }
  readonly diagnostics: ReadonlyArray<{ readonly category: string; readonly location: { readonly path: string } }>
}

let directory = ""
let report: Report

// The linter gets the project's own rules and one file for each import; it does not check whether the imported file
// exists. The files stand in a folder, because for standard input the report names no rule.
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "tidewire-boundaries-"))
  copyFileSync(join(root, ".biome.json"), join(directory, ".biome.json"))
  for (const { path, from, form } of written) {
    mkdirSync(dirname(join(directory, path)), { recursive: true })
    writeFileSync(join(directory, path), forms[form]?.(from) ?? "")
  }
  const output = await new Promise<string>((resolve) =>
    execFile(
      join(root, "node_modules/.bin/biome"),
      [
        "lint",
        "--vcs-enabled=false",
        "--max-diagnostics=none",
        "--reporter=json",
        `--only=${RULE.slice("lint/".length)}`,
      ],
      { cwd: directory, maxBuffer: 64 * 1024 * 1024 },
      // The exit code is ignored: findings are expected, and are read from the report.
      (_, stdout) => resolve(stdout),
    ),
  )
  report = JSON.parse(output)
})
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const refused = (wanted: string) =>
  report.diagnostics.filter(({ category, location }) => category === RULE && location.path === wanted).length

describe("the lint rule of the import boundaries", () => {
  it("has read every file", () => {
    expect(report.summary.changed + report.summary.unchanged).toBeGreaterThanOrEqual(written.length)
  })

  describe.each(Object.keys(imports))("in %s", (file) => {
    const own = written.filter((one) => one.file === file)
    it.each(own.filter(({ isAllowed }) => isAllowed))("allows $from ($form)", ({ path }) => {
      expect(refused(path)).toBe(0)
    })
    it.each(own.filter(({ isAllowed }) => !isAllowed))("refuses $from ($form)", ({ path }) => {
      expect(refused(path)).toBe(1)
    })
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
  /** What each file imports of the others, types included. */
  const imported = new Map(
    globSync("api/**/*.ts", { cwd: root })
      .map((path) => path.replaceAll("\\", "/"))
      .map((path) => {
        const text = readFileSync(join(root, path), "utf8")
        const froms = [...text.matchAll(/\bfrom\s+"(\.[^"]+)"/g)].map(([, from = ""]) => from)
        return [path, froms.map((from) => join(dirname(path), from).replaceAll("\\", "/"))] as const
      }),
  )

  /** A path of imports from a file back to itself; null where there is none. */
  const circleOf = (path: string, way: ReadonlyArray<string>, over: Set<string>): ReadonlyArray<string> | null => {
    if (way.includes(path)) return [...way.slice(way.indexOf(path)), path]
    if (over.has(path)) return null
    over.add(path)
    for (const next of imported.get(path) ?? []) {
      const circle = circleOf(next, [...way, path], over)
      if (circle !== null) return circle
    }
    return null
  }

  it("import each other in one direction, types included", () => {
    expect(imported.get("api/server.ts")).toContain("api/routes/endpoint-routes.ts")
    const over = new Set<string>()
    expect(
      [...imported.keys()].map((path) => circleOf(path, [], over)).find((circle) => circle !== null) ?? [],
    ).toEqual([])
  })

  it("share types that import no implementation", () => {
    const text = readFileSync(join(root, "api/routes/route.ts"), "utf8")
    expect(text.match(/^import .*$/gm)?.filter((line) => !line.startsWith("import type "))).toEqual([])
  })
})
