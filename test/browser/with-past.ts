import { START_MS } from "../../api/testing/api-under-test.ts"
import { apiWithChanges, ListedChanges } from "../../api/testing/listed-changes.ts"
import { scriptedPast } from "../../api/testing/scripted-past.ts"
import { shownOf } from "../../api/world/layout.ts"
import { hasPast } from "../../schemas/contract/past.ts"
import { noProvenance } from "../../schemas/contract/provenance.ts"
import { endpoints } from "../../schemas/registry.ts"

const MINUTE_MS = 60_000
export const HOUR_MS = 60 * MINUTE_MS
const shown = shownOf(endpoints)

/** Where changes of items come from: feeds that the stream names. */
export const provenance = () => ({ ...noProvenance, feeds: ["earthquakes"], changesByItems: true })

/** A service whose feeds were known for a month or an hour: fear and greed had another value at each hour, quakes another place. */
export const serveWithPast = async (hours: number) => {
  const past = scriptedPast()
  past.settle(START_MS - 2 * MINUTE_MS)
  const changes = new ListedChanges()
  changes.add({})
  const limits = { pageRequestsPerMinute: 10_000 }
  const { port, fill } = await apiWithChanges(changes, { endpoints, past: past.source, provenance, limits })
  const freshness = { freshForMs: 60 * 24 * HOUR_MS }
  for (const { endpoint, key } of shown) {
    if (!hasPast(endpoint)) continue
    fill(key, endpoint.example)
    past.version(key, START_MS - hours * HOUR_MS, endpoint.example, freshness)
  }
  for (let hour = 0; hour < hours; hour += 1)
    past.version(
      "/api/fear-greed",
      START_MS - (hours - hour) * HOUR_MS,
      { value: hour % 100, label: "Greed" },
      freshness,
    )
  fill("/api/fear-greed", { value: 99, label: "Now" })
  return (path: string) => `http://127.0.0.1:${port}${path}`
}
