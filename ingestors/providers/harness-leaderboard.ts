import { harnessRevisions } from "../../schemas/feeds/harnesses.ts"
import { providerAccess } from "../provider-access.ts"

/** Terminal-Bench, whose boards are kept by Harbor Hub. The address of their JSON is undocumented: it may move. */
export const harnessLeaderboard = providerAccess({
  name: "harness-leaderboard",
  addresses: {
    setting: "HARNESS_BOARDS",
    description:
      "boards of Terminal-Bench to read instead of the public ones: the same JSON, or a page that holds it, by GET",
    names: harnessRevisions,
  },
})
