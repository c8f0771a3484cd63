import { providerAccess } from "../provider-access.ts"

/** Hugging Face: a limit by address without a token, and a larger one by account with it. */
export const huggingFaceAccess = providerAccess({
  name: "hugging-face",
  key: {
    setting: "HF_TOKEN",
    description: "Hugging Face, requests beyond the limit of a shared address",
    signupUrl: "https://huggingface.co/settings/tokens",
    optional: true,
  },
})
