import type { Fault } from "../world/faults.ts"

/** Six upstreams with endless bodies, bodies that decompress to a thousand times their size, and deeply structured JSON. */
export const HOSTILE_UPSTREAMS: ReadonlyArray<Fault> = [
  { host: "earthquake.usgs.gov", kind: "many-objects" },
  { host: "api.exchange.coinbase.com", kind: "many-objects" },
  { host: "services.swpc.noaa.gov", kind: "huge-body" },
  { host: "gamma-api.polymarket.com", kind: "bomb" },
  { host: "hacker-news.firebaseio.com", kind: "deep-json" },
  { host: "api.open-notify.org", kind: "huge-body" },
]
