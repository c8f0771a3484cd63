import { providerAccess } from "../provider-access.ts"

/** InternetDB answers bursts with 429, and states no number: https://internetdb.shodan.io */
export const shodan = providerAccess({
  name: "shodan",
  hosts: ["internetdb.shodan.io"],
  pace: { requestsMax: 2, intervalMs: 1_000, concurrencyMax: 2 },
})
