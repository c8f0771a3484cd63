import { enableCodeCache } from "../../infra/compile-cache.js"
import { loadEffectFromBundle } from "../../infra/effect-bundle.js"

// The entry point of `npm run demo`: from its second start on it strips and compiles nothing.
enableCodeCache()
loadEffectFromBundle()
await import("./demo.ts")
