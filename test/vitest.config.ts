import { availableParallelism } from "node:os"
import { fileURLToPath } from "node:url"
import { configDefaults, defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"
import { soakOnly } from "./soak-only.ts"

const fromRoot = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url))

// Every process of the tests loads the same packages, and compiles them once.
process.env.NODE_COMPILE_CACHE ??= fromRoot("node_modules/.cache/tests")

/** `npm run soak` sets the rounds of each part. */
const isSoak = process.env.ROUNDS !== undefined
if (!isSoak) process.stdout.write(`left to npm run soak: ${soakOnly.join(", ")}\n`)

/** Whose files take longest, however small they are: they start first, so that none of them is left at the end. */
const LONG = [
  "test/images/",
  "test/conformance/cluster/",
  "test/conformance/",
  "test/e2e/",
  "test/browser/",
  "test/clients/",
  "test/ingest/",
  "test/attacks/",
  "test/feeds/every-fault.test.ts",
  "test/feeds/world.test.ts",
  "test/generators/",
  "infra/chain/unread-receipts.test.ts",
  "ingestors/contract.test.ts",
]
const rankOf = ({ moduleId }: TestSpecification): number =>
  [...LONG, ""].findIndex((path) => moduleId.startsWith(fromRoot(path)))

class LongFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>) {
    return (await super.sort(files)).sort((one, other) => rankOf(one) - rankOf(other))
  }
}

export default defineConfig({
  root: fromRoot(""),
  test: {
    // Starting engines, brokers and whole services takes its time on a busy machine; nothing is measured by these.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    // `second-tries.ts` says what passes then, and where that counts.
    retry: process.env.CI === "true" ? 1 : 0,
    pool: "forks",
    sequence: { sequencer: LongFirst },
    // The files share a few processes, which load each package once: a process for each file spends a second before its tests.
    isolate: false,
    // Most of the long tests wait for engines, brokers and each other: another one has the processors meanwhile.
    maxWorkers: Math.ceil(1.5 * availableParallelism()),
    globalSetup: "test/clients/make-packages.ts",
    exclude: [...configDefaults.exclude, ...(isSoak ? [] : soakOnly.map((name) => `test/${name}.test.ts`))],
    include: ["{schemas,ingestors,processors,api,ledger,infra,test}/**/*.test.ts"],
  },
})
