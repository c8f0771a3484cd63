import { providerAccess } from "../provider-access.ts"

/**
 * CoinGecko: a demo key allows 10,000 requests a month and 30 a minute, an address without a key an unstated number below
 * that (https://docs.coingecko.com/docs/common-errors-rate-limit). Polls every five minutes are 8,928 in 31 days.
 */
export const coingeckoAccess = providerAccess({
  name: "coingecko",
  key: {
    setting: "COINGECKO_KEY",
    description: "CoinGecko, a demo key, whose limits are not shared with others as those of an address without a key",
    signupUrl: "https://www.coingecko.com/en/developers/dashboard",
    optional: true,
  },
  quotas: [{ per: "month", requestsMax: 10_000 }],
})
