import { providerAccess } from "../provider-access.ts"
import type { Terms } from "../terms.ts"

const TERMS_URL = "https://open-meteo.com/en/terms"

/** The terms without a key, of forecast and air quality alike. */
export const openMeteoTerms: Terms = { use: "restricted", resale: "not_allowed", url: TERMS_URL }

/** Forecast and air quality share one allowance: https://open-meteo.com/en/pricing */
export const openMeteo = providerAccess({
  name: "open-meteo",
  key: {
    setting: "OPEN_METEO_KEY",
    description: "Open-Meteo, weather anywhere, for commercial use and beyond the free 10,000 requests a day",
    signupUrl: "https://open-meteo.com/en/pricing",
    optional: true,
    terms: { use: "provider", resale: "allowed", url: TERMS_URL },
  },
  quotas: [
    { per: "minute", requestsMax: 600 },
    { per: "hour", requestsMax: 5_000 },
    { per: "day", requestsMax: 10_000, onRequestMax: 9_000 },
  ],
})
