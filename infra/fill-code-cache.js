import { enableCodeCache } from "./compile-cache.js"
import { bundleEffect, isEffectBundled, loadEffectFromBundle } from "./effect-bundle.js"

// Compiles the code of the service, in every role, into the cache, which is written when the process ends.
enableCodeCache()
// Without the bundle, which some platforms have no bundler for, the package itself is loaded.
if (!isEffectBundled()) await bundleEffect().catch(() => undefined)
loadEffectFromBundle()
await import("./system/memory.ts")
await import("./start.ts")
await import("./roles/all-roles.ts")
await import("./roles/one-role.ts")
await import("./roles/pipeline-run.ts")
await import("./roles/ingest.ts")
await import("./roles/process.ts")
const { loadProcessors } = await import("../processors/registry.ts")
await loadProcessors()
await import("./log/lmdb/event-log.ts")
await import("./log/kafka/event-log.ts")
await import("./chain/viem-chain.ts")
// Open handles of what was loaded must not keep the process alive.
process.exit()
