import type { Terms } from "../schemas/contract/provenance.ts"
import type { HostPace } from "./http-client.port.ts"

/** The key of a provider, held by a setting (an environment variable) of its own. */
export interface ProviderKey {
  /** Name of the setting. */
  readonly setting: string
  /** The purpose of the key, for `--help`. */
  readonly description: string
  readonly signupUrl: string
  /** True if the provider answers without it, within narrower limits; false if its sources rest without it. */
  readonly optional: boolean
  /** The terms with the key, if they differ from those without. */
  readonly terms?: Terms
}

/** Addresses that an operator may name instead of the provider's own, held by a setting: `name=https://...`, comma separated. */
export interface ProviderAddresses {
  /** Name of the setting. */
  readonly setting: string
  /** The purpose of the addresses, for `--help`. */
  readonly description: string
  /** The documents that an address may be given for. */
  readonly names: ReadonlyArray<string>
  /** The terms with addresses of the operator's own, if they differ from those without. */
  readonly terms?: Terms
  /** The form of further names, which an operator chooses, and how many there may be; none by default. */
  readonly ownNames?: { readonly pattern: RegExp; readonly max: number }
}

/** At most `requestsMax` requests in any period: a minute, an hour, a day, or 31 days. */
export interface Quota {
  readonly per: QuotaPeriod
  readonly requestsMax: number
  /** The share of fetches on request; the rest is reserved for scheduled polls. All of them by default. */
  readonly onRequestMax?: number
}
export type QuotaPeriod = "minute" | "hour" | "day" | "month"

/** The access to one provider, shared by all of its sources: key, pace and quotas. */
export interface ProviderAccess {
  readonly _tag: "ProviderAccess"
  /** Kebab case, equal to the name of the file that declares it. */
  readonly name: string
  readonly key: ProviderKey | null
  readonly addresses: ProviderAddresses | null
  /** The hosts that `pace` applies to. */
  readonly hosts: ReadonlyArray<string>
  /** The rate limit of each of the hosts; null for the default limit. */
  readonly pace: HostPace | null
  /** Quotas over all sources of the provider. They are those without a key: an optional key lifts them. */
  readonly quotas: ReadonlyArray<Quota>
}

/** Declares the access to a provider. */
export const providerAccess = (definition: {
  readonly name: string
  readonly key?: ProviderKey
  readonly addresses?: ProviderAddresses
  readonly hosts?: ReadonlyArray<string>
  readonly pace?: HostPace
  readonly quotas?: ReadonlyArray<Quota>
}): ProviderAccess => ({
  _tag: "ProviderAccess",
  name: definition.name,
  key: definition.key ?? null,
  addresses: definition.addresses ?? null,
  hosts: definition.hosts ?? [],
  pace: definition.pace ?? null,
  quotas: definition.quotas ?? [],
})
