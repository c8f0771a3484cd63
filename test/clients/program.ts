import { createWalletClient, http } from "viem"
import { mnemonicToAccount } from "viem/accounts"
import { base } from "viem/chains"
import {
  buyCredits,
  type Change,
  CursorError,
  claimBySignature,
  type EarthquakeDataEarthquakesItem,
  type FeatureCollection,
  newClaimKey,
  PaymentRequiredError,
  ProblemError,
  Tidewire,
} from "../../.clients/typescript/index.js"

// A program over the client in TypeScript: that it compiles, without a cast, is its test (`npm run check`).

const tidewire = new Tidewire({ baseUrl: "http://127.0.0.1:8080", maxAgeMs: 600_000 })

export const strongest = async (): Promise<EarthquakeDataEarthquakesItem | null> => {
  const { data, _meta } = await tidewire.earthquake()
  // Null where the contract has null: there may be no data, and an earthquake without a magnitude.
  if (data === null) throw new Error(_meta.reason ?? "warming")
  // @ts-expect-error -- a magnitude may be null
  data.earthquakes[0]?.magnitude.toFixed(1)
  // @ts-expect-error -- there is no such member
  data.quakes
  return data.earthquakes.toSorted((one, other) => (other.magnitude ?? 0) - (one.magnitude ?? 0))[0] ?? null
}

export const formats = async (): Promise<readonly [string, FeatureCollection, number]> => {
  const table = await tidewire.climateEarthquakes({ period: "week", format: "csv" })
  const map = await tidewire.climateEarthquakes({ magnitude: "4.5", format: "geojson" })
  const list = await tidewire.climateEarthquakes({ limit: 10 }, { timeoutMs: 1_000 })
  // @ts-expect-error -- the contract has no such period
  await tidewire.climateEarthquakes({ period: "decade" })
  // @ts-expect-error -- latitude and longitude are required
  await tidewire.weather({ lat: 1 })
  return [table, map, list.data?.count ?? 0]
}

export const chosen = async (): Promise<readonly [string, number, string]> => {
  const { data, _meta } = await tidewire.climateEarthquakes({ period: "day", fields: ["place", "magnitude"] })
  const [first] = data?.earthquakes ?? []
  // @ts-expect-error -- it was not asked for
  first?.depth_km
  // @ts-expect-error -- the contract has no such member
  await tidewire.climateEarthquakes({ fields: ["size"] })
  const table = await tidewire.climateEarthquakes({ fields: ["place"], format: "csv" })
  const price = await tidewire.btcPrice({ fields: ["price_usd"] })
  // @ts-expect-error -- it was not asked for
  price.data?.change_24h_percent
  const { billing, sections } = await tidewire.proBriefing({ fields: ["sections"] })
  return [
    first?.place ?? table,
    price.data?.price_usd ?? billing.credits_remaining,
    sections.earthquakes?.latest?.place ?? _meta.as_of ?? "",
  ]
}

export const before = async (instant: string): Promise<string | null> => {
  const { _meta } = await tidewire.earthquake({ at: instant })
  // @ts-expect-error -- only a reply of the past has it
  _meta.at.cursor
  // @ts-expect-error -- what is fetched on request has no past
  await tidewire.weather({ lat: 1, lon: 2, at: instant })
  const paid = await tidewire.proMacro({ at: "now" })
  // Null where no item had changed yet.
  return _meta.at?.cursor ?? paid._meta.at?.known_at ?? null
}

export const follow = async (stored: string, seen: (change: Change) => void): Promise<string | null> => {
  try {
    const stop = AbortSignal.timeout(60_000)
    for await (const change of tidewire.changes({ after: stored, types: ["appeared"] }, { signal: stop })) seen(change)
    // @ts-expect-error -- there is no such type of change
    tidewire.changes({ types: ["moved"] })
    const page = await tidewire.changesPage({ after: "now", wait: 20 })
    // Null where nothing came.
    return page?.next ?? null
  } catch (cause) {
    if (cause instanceof CursorError) return cause.oldest
    throw cause
  }
}

export const spend = async (token: string): Promise<string> => {
  try {
    const reply = await new Tidewire({ ...tidewire.options, token }).proBriefing({ include: ["earthquakes"] })
    return `${reply.billing.credits_remaining} ${reply.receipt.id} ${reply.sections.earthquakes?.latest?.place ?? "nowhere"}`
  } catch (cause) {
    if (cause instanceof PaymentRequiredError) return `${cause.body.signup} ${cause.body.pricing["1_usd"]}`
    if (cause instanceof ProblemError) return `${cause.error} ${cause.allowed?.join() ?? cause.parameter ?? ""}`
    throw cause
  }
}

export const confirm = async (transactionHash: string, memo: string): Promise<string> => {
  const reply = await tidewire.paymentConfirm({ tx_hash: transactionHash, nonce: memo })
  return "status" in reply ? `pending: ${reply.confirmations} of ${reply.required}` : reply.token
}

export const claim = async (phrase: string, transactionHash: `0x${string}`): Promise<readonly [string, string]> => {
  const wallet = createWalletClient({ account: mnemonicToAccount(phrase), chain: base, transport: http() })
  const claimKey = newClaimKey()
  const { token } = await claimBySignature(tidewire, { transactionHash, claimKey }, { wallet })
  return [token, claimKey]
}

export const buy = async (phrase: string): Promise<string> => {
  const wallet = createWalletClient({ account: mnemonicToAccount(phrase), chain: base, transport: http() })
  const { token } = await buyCredits(tidewire, { amountUsd: 5, wallet, signal: AbortSignal.timeout(60_000) })
  return token
}
