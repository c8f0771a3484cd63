import { enableCodeCache } from "../compile-cache.js"

// The entry point of a thread, which compiles for itself.
enableCodeCache()
await import("./pipeline-run.ts")
