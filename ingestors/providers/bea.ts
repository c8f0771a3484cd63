import { providerAccess } from "../provider-access.ts"

/** The Bureau of Economic Analysis: https://apps.bea.gov/api/signup/ */
export const beaAccess = providerAccess({
  name: "bea",
  key: {
    setting: "BEA_KEY",
    description: "BEA, the growth of the gross domestic product by the API instead of a large file",
    signupUrl: "https://apps.bea.gov/api/signup/",
    optional: true,
  },
  quotas: [{ per: "hour", requestsMax: 20 }],
})
