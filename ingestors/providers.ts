import { isTagged, loadDirectory } from "../schemas/directory.ts"
import type { HostPace } from "./http-client.port.ts"
import type { ProviderAccess, ProviderAddresses, ProviderKey } from "./provider-access.ts"

/** Every provider with a key, addresses, a pace or a quota: the files of `providers/`. They load without the sources, which are slow to load. */
export const providers: ReadonlyArray<ProviderAccess> = (
  await loadDirectory(new URL("providers/", import.meta.url))
).flatMap(({ exports }) => exports.filter(isTagged<ProviderAccess>("ProviderAccess")))

/** The keys of all providers. */
export const providerKeys: ReadonlyArray<ProviderKey> = providers.flatMap(({ key }) => key ?? [])

/** The addresses that operators may name, of all providers. */
export const providerAddresses: ReadonlyArray<ProviderAddresses> = providers.flatMap(({ addresses }) => addresses ?? [])

/** The hosts with a declared pace. */
export const hostPaces: ReadonlyMap<string, HostPace> = new Map(
  providers.flatMap(({ hosts, pace }) => (pace === null ? [] : hosts.map((host) => [host, pace] as const))),
)
