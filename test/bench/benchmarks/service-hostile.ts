import { setTimeout as sleep } from "node:timers/promises"
import { removeDirectory, startService, temporaryDirectory } from "../../support/service.ts"
import { startWorld } from "../../world/server.ts"
import { benchmark } from "../benchmark.ts"
import { HOSTILE_UPSTREAMS } from "../hostile-upstreams.ts"
import { forgetPeak, memoryOf } from "../process-memory.ts"

const SETTLE_MS = 10_000
const CALM_MS = 10_000
const DURING_MS = 40_000
const MEGABYTE = 1_000_000

export default benchmark({
  name: "service-hostile",
  title:
    "memory of the service, all roles in one process, while six upstreams are hostile and all are polled every 10 s",
  budget: [{ label: "memory at its peak", of: "value", atMost: 400 }],
  run: async () => {
    const directory = temporaryDirectory()
    const world = await startWorld({ seed: "hostile" })
    const service = await startService({
      asInstalled: true,
      dataDirectory: directory,
      environment: { UPSTREAMS: world.url, POLL_SECONDS_MAX: "10", LOG_LEVEL: "error" },
    })
    try {
      await service.filled()
      const pid = service.child.pid ?? 0
      await sleep(SETTLE_MS)
      forgetPeak(pid)
      await sleep(CALM_MS)
      const calm = memoryOf(pid, "VmHWM")
      world.setFaults(HOSTILE_UPSTREAMS)
      await sleep(DURING_MS)
      return [
        { label: "memory at its peak before", value: calm / MEGABYTE, unit: "MB" },
        {
          label: "memory at its peak",
          value: memoryOf(pid, "VmHWM") / MEGABYTE,
          unit: "MB",
          ratioTo: "memory at its peak before",
        },
        // Counted in the peak all the same: the program, its libraries and what is in use of the log.
        {
          label: "pages of files in it, which the system can reclaim",
          value: memoryOf(pid, "RssFile") / MEGABYTE,
          unit: "MB",
        },
      ]
    } finally {
      await service.end("SIGKILL")
      await world.close()
      removeDirectory(directory)
    }
  },
})
