import { enableCodeCache } from "../compile-cache.js"

// The entry point of the thread. Each thread needs its own code cache.
enableCodeCache()
await import("./pipeline-run.ts")
