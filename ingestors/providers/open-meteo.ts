import { providerAccess } from "../provider-access.ts"
import { termsOf } from "../terms.ts"

const TERMS_URL = "https://open-meteo.com/en/terms"
const CREDIT = "Weather data by Open-Meteo.com"

/** The terms without a key, of forecast and air quality alike. */
export const openMeteoTerms = termsOf({
  use: "restricted",
  url: TERMS_URL,
  clause: "without a key: non-commercial use",
  sold: "no",
  credit: CREDIT,
})

/** Forecast and air quality share one allowance: https://open-meteo.com/en/pricing */
export const openMeteo = providerAccess({
  name: "open-meteo",
  key: {
    setting: "OPEN_METEO_KEY",
    description: "Open-Meteo, weather anywhere, for commercial use and beyond the free 10,000 requests a day",
    signupUrl: "https://open-meteo.com/en/pricing",
    optional: true,
    terms: termsOf({
      use: "provider",
      url: TERMS_URL,
      clause: "with a key: commercial use",
      sold: "yes",
      credit: CREDIT,
    }),
  },
  quotas: [
    { per: "minute", requestsMax: 600 },
    { per: "hour", requestsMax: 5_000 },
    { per: "day", requestsMax: 10_000, onRequestMax: 9_000 },
  ],
})
