import { Counter, Gauge, Histogram } from "prom-client"
import { stateDamages } from "./state-store.port.ts"
import type { ClockReading } from "./write/clock.ts"

/** Commands answered, by outcome. */
export const commands = new Counter({
  name: "tidewire_ledger_commands_total",
  help: "Commands answered, by outcome: accepted, the name of the refusal, or billing_unavailable",
  labelNames: ["command", "outcome"],
})

/** Entries written. */
export const entries = new Counter({
  name: "tidewire_ledger_entries_total",
  help: "Entries of the ledger written by this process",
})

/** How long an append took. */
export const appendSeconds = new Histogram({
  name: "tidewire_ledger_append_seconds",
  help: "Duration of the durable append of one group of commands",
  buckets: [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 1, 5],
})

/** Commands in the queue. */
export const waiting = new Gauge({
  name: "tidewire_ledger_queue_commands",
  help: "Commands in the queue of the ledger's writer",
})

/** Times the state was folded from the log: at the start, and after an append whose outcome was not known. */
export const folds = new Counter({
  name: "tidewire_ledger_folds_total",
  help: "Times the state was folded from the log",
})

/** Debits refunded because they were not settled in time. */
export const orphans = new Counter({
  name: "tidewire_ledger_orphans_total",
  help: "Debits refunded because they were not settled in time",
})

/** Duration of a write of the state to its cache. */
export const stateSeconds = new Histogram({
  name: "tidewire_ledger_state_write_seconds",
  help: "Duration of writing what has changed of the state to its cache",
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
})

/** Times the cache of the state was discarded. */
export const stateRebuilds = new Counter({
  name: "tidewire_ledger_state_rebuilds_total",
  help: "Times the cache of the state could not be used and was folded again from the log, by reason: damage (by accident or on purpose), key (sealed with another one), format, moved (its log), contradiction (of its accounts)",
  labelNames: ["reason"],
})
for (const reason of stateDamages) stateRebuilds.inc({ reason }, 0)

/** Values of the state in memory. */
export const stateHeld = new Gauge({
  name: "tidewire_ledger_state_held_values",
  help: "Values of the state in memory, when it was last written",
})

const clockDoubted = new Gauge({
  name: "tidewire_ledger_clock_doubted",
  help: "1 while the ledger doubts the clock of its machine and writes nothing; else 0",
})
const clockBehind = new Gauge({
  name: "tidewire_ledger_clock_behind_seconds",
  help: "By how much the clock is behind the last entry of the ledger: quotes and refunds do not age until it has caught up",
})

/** Exports a reading of the ledger's clock. */
export const showClock = (reading: ClockReading): void => {
  clockDoubted.set(reading._tag === "doubted" ? 1 : 0)
  if (reading._tag === "trusted") clockBehind.set(reading.behindMs / 1000)
}
