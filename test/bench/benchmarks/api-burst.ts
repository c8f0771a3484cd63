import { startAttack, startTarget, type Target } from "../api-attacks/target.ts"
import { benchmark, type Measure, percentile } from "../benchmark.ts"

const DURING_MS = 5_000
const AFTER_MS = 5_000
const WARM_MS = 2_000
const MEGABYTE = 1_000_000

const underBurst = async (target: Target, connections: number): Promise<ReadonlyArray<Measure>> => {
  await target.secondClient(WARM_MS)
  const before = await target.health()
  const watched = target.secondClient(DURING_MS)
  const attack = await startAttack("burst", [new URL(target.address).port, String(connections)])
  const during = await watched
  const { memoryPeakBytes, cpuMs } = await target.health()
  attack.stop()
  const after = await target.secondClient(AFTER_MS)
  const name = (what: string) => `${connections} connections: ${what}`
  return [
    { label: name("second client, p99"), value: percentile(during, 0.99), unit: "ms" },
    { label: name("second client, p99 afterwards"), value: percentile(after, 0.99), unit: "ms" },
    { label: name("memory at its peak"), value: memoryPeakBytes / MEGABYTE, unit: "MB" },
    { label: name("processor time of 5 s"), value: cpuMs - before.cpuMs, unit: "ms" },
  ]
}

const counts = [300, 950]

export default benchmark({
  name: "api-burst",
  title: "a second client while one address pipelines 65 kB on each of its connections and reads nothing",
  budget: counts.flatMap((connections) => [
    { label: `${connections} connections: second client, p99`, of: "value" as const, atMost: 100 },
    { label: `${connections} connections: second client, p99 afterwards`, of: "value" as const, atMost: 50 },
    { label: `${connections} connections: memory at its peak`, of: "value" as const, atMost: 500 },
  ]),
  run: async () => {
    const measures: Array<Measure> = []
    for (const connections of counts) {
      const target = await startTarget()
      try {
        measures.push(...(await underBurst(target, connections)))
      } finally {
        await target.stop()
      }
    }
    return measures
  },
})
