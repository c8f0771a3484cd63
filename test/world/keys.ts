import { providerKeys } from "../../ingestors/providers.ts"
import { simulatedUpstreams } from "./server.ts"
import { WORLD_KEY } from "./upstream.ts"

const declared = Object.assign({}, ...simulatedUpstreams.map(({ keys }) => keys)) as Readonly<Record<string, string>>

/** The keys that simulated providers accept, by setting: of all that need one or, with `optional`, of all that take one. */
export const worldKeys = (optional: boolean): Readonly<Record<string, string>> =>
  Object.fromEntries(
    providerKeys
      .filter((key) => optional || !key.optional)
      .map(({ setting }) => [setting, declared[setting] ?? WORLD_KEY]),
  )
