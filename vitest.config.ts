import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["{schemas,ingestors,processors,api,ledger,infra,test}/**/*.test.ts"],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    pool: "forks",
  },
})
