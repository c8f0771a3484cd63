import { providerAccess } from "../provider-access.ts"

/** GitHub's search: 10 requests a minute without a token, 30 with one (https://docs.github.com/en/rest/search/search). */
export const github = providerAccess({
  name: "github",
  key: {
    setting: "GITHUB_TOKEN",
    description: "GitHub, more than the 10 searches a minute of an address",
    signupUrl: "https://github.com/settings/personal-access-tokens/new",
    optional: true,
  },
  quotas: [{ per: "minute", requestsMax: 10 }],
})
