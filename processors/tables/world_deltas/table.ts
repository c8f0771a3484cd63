import { proWorldDeltasEndpoint } from "../../../schemas/endpoints/pro-world-deltas.ts"
import { deltaPublished } from "../../../schemas/events/world-deltas.ts"
import type { WorldDelta } from "../../../schemas/payloads/world-delta.ts"
import { eventTable } from "../../table.ts"

/** The columns that only some types fill. */
const columnsOf = (delta: WorldDelta) => {
  switch (delta.type) {
    case "earthquake":
      return {
        title: delta.data.place ?? "",
        happened_at: delta.data.time,
        magnitude: delta.data.magnitude,
        depth_km: delta.data.depth_km,
      }
    case "tech_news_story":
      return {
        title: delta.data.title,
        happened_at: delta.data.time,
        points: delta.data.points,
        comments: delta.data.num_comments,
      }
    case "prediction_market_update":
      return {
        title: delta.data.question,
        outcome: delta.data.outcome,
        probability: delta.data.probability,
        previous_probability: delta.data.previous,
        volume_24h_usd: delta.data.volume_24h,
      }
    case "space_launch":
      return {
        title: delta.data.mission ?? delta.data.vehicle ?? "",
        happened_at: delta.data.net,
        launch_provider: delta.data.provider ?? "",
        launch_status: delta.data.status,
      }
  }
}

const EMPTY = {
  happened_at: null,
  magnitude: null,
  depth_km: null,
  points: null,
  comments: null,
  outcome: "",
  probability: null,
  previous_probability: null,
  volume_24h_usd: null,
  launch_provider: "",
  launch_status: "",
} as const

export default eventTable(import.meta.url, {
  type: deltaPublished,
  endpoints: [proWorldDeltasEndpoint],
  rows: ({ data: delta, time }) => [
    {
      timestamp: delta.timestamp,
      type: delta.type,
      id: String(delta.data.id),
      severity: delta.severity,
      url: delta.data.url ?? "",
      ...EMPTY,
      ...columnsOf(delta),
      observed_at: time,
    },
  ],
})
