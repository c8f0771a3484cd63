import type { HostPace } from "./http-client.port.ts"
import type { Terms } from "./terms.ts"

/** The key of a provider, held by a setting (an environment variable) of its own. */
export interface ProviderKey {
  /** Name of the setting. */
  readonly setting: string
  /** What the key is for, for `--help`. */
  readonly description: string
  readonly signupUrl: string
  /** True: the provider answers without it, within narrower limits. False: its sources rest without it. */
  readonly optional: boolean
  /** The terms that hold with the key, where they differ from those without. */
  readonly terms?: Terms
}

/** At most `requestsMax` requests in any period: a minute, an hour, a day, or 31 days. */
export interface Quota {
  readonly per: QuotaPeriod
  readonly requestsMax: number
  /** How many of them fetches on request may use; the rest is for scheduled polls. All of them by default. */
  readonly onRequestMax?: number
}
export type QuotaPeriod = "minute" | "hour" | "day" | "month"

/** How one provider is accessed, the same for all of its sources: its key, its pace and its quotas. */
export interface ProviderAccess {
  readonly _tag: "ProviderAccess"
  /** Kebab case, equal to the name of the file that declares it. */
  readonly name: string
  readonly key: ProviderKey | null
  /** The hosts that `pace` is of. */
  readonly hosts: ReadonlyArray<string>
  /** What each of the hosts is asked at most; null: the pace of every host. */
  readonly pace: HostPace | null
  /** What all sources of the provider together may request. An optional key lifts them: they are those of no key. */
  readonly quotas: ReadonlyArray<Quota>
}

/** Declares how a provider is accessed. */
export const providerAccess = (definition: {
  readonly name: string
  readonly key?: ProviderKey
  readonly hosts?: ReadonlyArray<string>
  readonly pace?: HostPace
  readonly quotas?: ReadonlyArray<Quota>
}): ProviderAccess => ({
  _tag: "ProviderAccess",
  name: definition.name,
  key: definition.key ?? null,
  hosts: definition.hosts ?? [],
  pace: definition.pace ?? null,
  quotas: definition.quotas ?? [],
})
