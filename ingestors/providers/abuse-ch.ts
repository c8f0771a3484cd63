import { providerAccess } from "../provider-access.ts"

/** URLhaus and ThreatFox share one key: https://abuse.ch/blog/community-first/ */
export const abuseCh = providerAccess({
  name: "abuse-ch",
  key: {
    setting: "ABUSECH_KEY",
    description: "abuse.ch, malware URLs of URLhaus and indicators of compromise of ThreatFox",
    signupUrl: "https://auth.abuse.ch/",
    optional: false,
  },
})
