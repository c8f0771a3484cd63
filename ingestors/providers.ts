import { isTagged, loadDirectory } from "../schemas/directory.ts"
import type { HostPace } from "./http-client.port.ts"
import type { ProviderAccess, ProviderKey } from "./provider-access.ts"

/** Every provider with a key, a pace or a quota of its own: the files of `providers/`. Cheap to load, unlike the sources. */
export const providers: ReadonlyArray<ProviderAccess> = (
  await loadDirectory(new URL("providers/", import.meta.url))
).flatMap(({ exports }) => exports.filter(isTagged<ProviderAccess>("ProviderAccess")))

/** Every key of a provider. */
export const providerKeys: ReadonlyArray<ProviderKey> = providers.flatMap(({ key }) => key ?? [])

/** The pace of each host that has one of its own. */
export const hostPaces: ReadonlyMap<string, HostPace> = new Map(
  providers.flatMap(({ hosts, pace }) => (pace === null ? [] : hosts.map((host) => [host, pace] as const))),
)
