import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"

export default defineConfig({
  root: fileURLToPath(new URL("..", import.meta.url)),
  test: {
    include: ["{schemas,ingestors,processors,api,ledger,infra,test}/**/*.test.ts"],
    // Starting engines, brokers and whole services takes its time on a busy machine; nothing is measured by these.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    pool: "forks",
    // Most of the long tests wait for engines, brokers and each other.
    maxWorkers: "100%",
  },
})
