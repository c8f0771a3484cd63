import { startWorld } from "./server.ts"

/** `npm run world`: the simulated world alone, for a service started with UPSTREAMS. WORLD_SEED and WORLD_PORT choose it. */
const seed = process.env.WORLD_SEED ?? "tidewire"
const world = await startWorld({ seed, port: Number(process.env.WORLD_PORT ?? 0) })
process.stdout.write(`the world "${seed}" at ${world.url}
  npm start with UPSTREAMS=${world.url}
  clock   ${world.url}/_world/clock
  faults  curl -X PUT ${world.url}/_world/faults -d '[{"host":"*","kind":"server-error"}]'
`)
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => world.close().then(() => process.exit(0)))
