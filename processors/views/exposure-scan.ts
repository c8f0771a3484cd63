import {
  EXPOSURE_TARGETS,
  EXPOSURE_TARGETS_SHOWN,
  exposureNotes,
  exposureScan,
  exposureScanEndpoint,
  type HostExposure,
} from "../../schemas/feeds/exposure-scan.ts"
import { fromEvery, type InstanceReading, until, view } from "../view/view.ts"

const HOUR_MS = 3_600_000
const labels: ReadonlyMap<string, string> = new Map(EXPOSURE_TARGETS.map(({ ip, label }) => [ip, label]))

const rowOf = ({ reading }: InstanceReading<HostExposure>) =>
  reading === null ? [] : [{ label: labels.get(reading.payload.ip) ?? reading.payload.ip, ...reading.payload }]

/** Targets that stand beside each other, beginning with another one each hour; one that was never read is passed over. */
const targetsAt = (hosts: ReadonlyArray<InstanceReading<HostExposure>>, hour: number) => {
  const first = hour % hosts.length
  return [...hosts.slice(first), ...hosts.slice(0, first)].flatMap(rowOf).slice(0, EXPOSURE_TARGETS_SHOWN)
}

export default view({
  endpoint: exposureScanEndpoint,
  reads: { hosts: fromEvery(exposureScan, ({ ip }) => (ip === undefined ? exposureScan.instances : [{ ip }])) },
  clock: true,
  build: ({ hosts }, { parameters: { ip }, nowMs }) => {
    const [only] = hosts
    if (ip !== undefined && only !== undefined && only.reading !== null)
      return until({ mode: "single" as const, result: only.reading.payload, notes: exposureNotes }, null)
    const hour = Math.floor(nowMs / HOUR_MS)
    const demo = { mode: "demo" as const, targets: targetsAt(hosts, hour), notes: exposureNotes }
    return until(demo, (hour + 1) * HOUR_MS)
  },
})
