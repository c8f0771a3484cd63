import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { EXIT_CODES, readArguments } from "../../infra/commands/arguments.ts"
import { checkPorts } from "../../infra/roles/ports.ts"
import { localPort, portIn, SEED } from "./demo-settings.ts"
import { startWorld } from "./server.ts"

const USAGE = `usage: npm run world

The simulated world alone, for a service that is started with UPSTREAMS. Ctrl-C ends it.

  WORLD_SEED  Chooses the world: the same seed, the same world [${SEED}]
  WORLD_PORT  Its port [any free one]

${EXIT_CODES}`

readArguments(USAGE, {})
const seed = process.env.WORLD_SEED || SEED
const refuse = (problem: string): never => {
  process.stderr.write(`${problem}\n`)
  process.exit(2)
}
const port = Result.match(portIn(process.env, "WORLD_PORT"), { onFailure: refuse, onSuccess: (given) => given ?? 0 })
await Effect.runPromise(checkPorts(localPort("WORLD_PORT", port))).catch(({ message }) => refuse(message))
const world = await startWorld({ seed, port, hasOutages: true })
process.stdout.write(`the world "${seed}" at ${world.url}
  npm start with UPSTREAMS=${world.url}
  clock   ${world.url}/_world/clock
  faults  curl -X PUT ${world.url}/_world/faults -d '[{"host":"*","kind":"server-error"}]'
`)
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => world.close().then(() => process.exit(0)))
