import { providerAccess } from "../provider-access.ts"

/** The Bureau of Labor Statistics: https://www.bls.gov/developers/api_faqs.htm */
export const blsAccess = providerAccess({
  name: "bls",
  key: {
    setting: "BLS_KEY",
    description: "BLS, consumer prices and unemployment by 500 queries a day instead of 25",
    signupUrl: "https://data.bls.gov/registrationEngine/",
    optional: true,
  },
  // One less than the 25 that are allowed: it counts by calendar days of New York.
  quotas: [{ per: "day", requestsMax: 24 }],
})
