import { providerAccess } from "../provider-access.ts"

/** The Federal Reserve Bank of St. Louis: https://fred.stlouisfed.org/docs/api/fred/ */
export const fredAccess = providerAccess({
  name: "fred",
  key: {
    setting: "FRED_KEY",
    description: "FRED, economic series by the API instead of downloaded files",
    signupUrl: "https://fred.stlouisfed.org/docs/api/api_key.html",
    optional: true,
  },
  quotas: [{ per: "minute", requestsMax: 60 }],
})
