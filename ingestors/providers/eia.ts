import { providerAccess } from "../provider-access.ts"

/** The Energy Information Administration: https://www.eia.gov/opendata/ */
export const eiaAccess = providerAccess({
  name: "eia",
  key: {
    setting: "EIA_KEY",
    description: "EIA, prices of oil and gas by the API instead of a page with their history",
    signupUrl: "https://www.eia.gov/opendata/register.php",
    optional: true,
  },
  quotas: [{ per: "hour", requestsMax: 60 }],
})
