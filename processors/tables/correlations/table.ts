import { proCorrelationMatrixEndpoint } from "../../../schemas/endpoints/pro-correlation-matrix.ts"
import { correlationComputed } from "../../../schemas/events/correlations.ts"
import { eventTable } from "../../table.ts"

export default eventTable(import.meta.url, {
  type: correlationComputed,
  endpoints: [proCorrelationMatrixEndpoint],
  now: {},
  rows: ({ data }) => [
    {
      a: data.a,
      b: data.b,
      pearson_r: data.pearsonR,
      n_observations: data.returns,
      first_day: data.firstDay,
      last_day: data.lastDay,
      observed_at: data.observedAt,
    },
  ],
})
