import { startAttack, startTarget } from "../api-attacks/target.ts"
import { benchmark, percentile } from "../benchmark.ts"

const WARM_MS = 2_000
const DURING_MS = 10_000

const IDLE = "event-loop delay, p99, without the attack"
const ATTACKED = "event-loop delay, p99"

export default benchmark({
  name: "api-receipt-verify",
  title: "the event loop while one client sends bodies that are costly to verify",
  budget: [{ label: ATTACKED, of: "value", atMost: 20 }],
  run: async () => {
    const target = await startTarget()
    try {
      await target.secondClient(WARM_MS)
      await target.health()
      await target.secondClient(WARM_MS)
      const idle = await target.health()
      const attack = await startAttack("verify", [target.address, target.jws])
      const times = await target.secondClient(DURING_MS)
      const attacked = await target.health()
      attack.stop()
      return [
        { label: IDLE, value: idle.delayP99Ms, unit: "ms" },
        { label: ATTACKED, value: attacked.delayP99Ms, unit: "ms" },
        { label: "event-loop delay, longest", value: attacked.delayMaxMs, unit: "ms" },
        { label: "second client, p99", value: percentile(times, 0.99), unit: "ms" },
      ]
    } finally {
      await target.stop()
    }
  },
})
