import { providerAccess } from "../provider-access.ts"

/** Launch Library 2: 15 requests an hour of an address without a key (https://thespacedevs.com/llapi). */
export const launchLibrary = providerAccess({
  name: "launch-library",
  key: {
    setting: "LAUNCH_LIBRARY_TOKEN",
    description: "Launch Library, more than the free 15 requests an hour",
    signupUrl: "https://thespacedevs.com/llapi",
    optional: true,
  },
  quotas: [{ per: "hour", requestsMax: 15 }],
})
