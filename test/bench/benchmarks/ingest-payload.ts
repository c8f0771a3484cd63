import { createHash } from "node:crypto"
import * as Result from "effect/Result"
import { makePlan } from "../../../ingestors/poll/plan.ts"
import { readCollected } from "../../../ingestors/poll/poll.ts"
import { decodeDocument } from "../../../ingestors/poll/read.ts"
import usgs from "../../../ingestors/sources/usgs-earthquakes.ts"
import upstream from "../../world/upstreams/usgs-earthquakes.ts"
import { worldAt } from "../../world/world.ts"
import { benchmark, interleaved, median } from "../benchmark.ts"

const ROUNDS = 5
const TIMES = 8
const NOW_MS = Date.parse("2026-08-17T12:00:00.000Z")

const OURS = "bytes to hashed payload"
const BARE = "parse, print and hash alone"

/** The longest document that is polled every quarter of an hour: all earthquakes of a month. */
const documentOfMonth = (): Uint8Array => {
  const reply = upstream.answer(
    {
      host: "earthquake.usgs.gov",
      path: "/earthquakes/feed/v1.0/summary/all_month.geojson",
      query: new URLSearchParams(),
    },
    worldAt("bench", NOW_MS),
  )
  if (reply === null) throw new Error("the world has no such document")
  return new TextEncoder().encode(JSON.stringify(reply.body))
}

const timed = (work: () => unknown): number => {
  const figures = Array.from({ length: TIMES }, () => {
    const begin = performance.now()
    work()
    return performance.now() - begin
  })
  return median(figures)
}

export default benchmark({
  name: "ingest-payload",
  title: "From a large document's bytes to a checked, hashed payload",
  budget: [{ label: OURS, of: "ratio", atMost: 6 }],
  run: async () => {
    const bytes = documentOfMonth()
    // What was asked and what is answered are compared: this instance asks for that document.
    const instance = makePlan([usgs], () => null, null).scheduled.find(
      ({ parameters: { magnitude, period } }) => magnitude === "all" && period === "month",
    )
    const document = usgs.documents.summary
    if (instance === undefined || document === undefined) throw new Error("the source has changed its shape")
    const ours = () => {
      const decoded = Result.getOrThrow(decodeDocument("summary", document, bytes))
      const { outcome } = readCollected(instance, instance.candidates[0], decoded, NOW_MS)
      if (outcome._tag === "Failure") throw new Error(outcome.message)
      return outcome.hash
    }
    const bare = () => {
      const text = JSON.stringify(JSON.parse(new TextDecoder().decode(bytes)))
      return createHash("sha256").update(text).digest("hex")
    }
    const figures = await interleaved(ROUNDS, {
      [BARE]: async () => timed(bare),
      [OURS]: async () => timed(ours),
    })
    return [
      { label: "size of the document", value: bytes.byteLength / 1024, unit: "KiB" },
      { label: BARE, value: figures[BARE] ?? 0, unit: "ms" },
      { label: OURS, value: figures[OURS] ?? 0, unit: "ms", ratioTo: BARE },
    ]
  },
})
