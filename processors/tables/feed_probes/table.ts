import { feedReliabilityEndpoint } from "../../../schemas/endpoints/feed-reliability.ts"
import { proFeedReliabilityEndpoint } from "../../../schemas/endpoints/pro-feed-reliability.ts"
import { feedProbed } from "../../../schemas/events/deltas.ts"
import { instanceKey } from "../../../schemas/feed.ts"
import { eventTable } from "../../table.ts"

export default eventTable(import.meta.url, {
  type: feedProbed,
  endpoints: [feedReliabilityEndpoint, proFeedReliabilityEndpoint],
  // A feed that is judged no more has no verdict at the latest boundary.
  now: {
    identity: ["feed", "instance"],
    stands: "probed_at = (SELECT max(probed_at) FROM feed_probes)",
  },
  rows: ({ data }) => [
    {
      feed: data.feed,
      instance: instanceKey(data.feed, data.parameters),
      provider: data.provider,
      probed_at: data.probedAt,
      verdict: data.verdict,
      age_ms: data.ageMs,
    },
  ],
})
