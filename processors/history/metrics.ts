import { Counter, Gauge } from "prom-client"

/** The lag that raises the alarm: an operator must act, as the log cannot be trimmed meanwhile. */
const LAG_ALARM_SECONDS = 86_400

/** The metrics of the history. */
export const metrics = {
  rows: new Counter({
    name: "tidewire_history_rows_inserted_total",
    help: "Rows written to the history; a repeated batch counts again",
    labelNames: ["table"],
  }),
  position: new Gauge({
    name: "tidewire_history_position_offset",
    help: "Offset in a topic up to which its tables are written, but for those that are suspended",
    labelNames: ["topic"],
  }),
  retries: new Counter({
    name: "tidewire_history_retries_total",
    help: "Calls of ClickHouse that failed and were retried",
  }),
  repairs: new Counter({
    name: "tidewire_history_repairs_total",
    help: "Repairs of tables that had lost rows",
    labelNames: ["table"],
  }),
  suspended: new Gauge({
    name: "tidewire_history_tables_suspended",
    help: "1 while a table waits because ClickHouse refuses its rows or an event cannot be read",
    labelNames: ["table"],
  }),
  dropped: new Counter({
    name: "tidewire_history_dropped_partitions_total",
    help: "Partitions of tables that were dropped because KEEP_HISTORY says so",
    labelNames: ["table"],
  }),
  trimmed: new Counter({
    name: "tidewire_history_trimmed_records_total",
    help: "Records trimmed from the log because they are archived or their retention is over",
    labelNames: ["topic"],
  }),
}

const pendingSince = new Map<string, number>()

const lagSeconds = (topic: string) => {
  const since = pendingSince.get(topic)
  return since === undefined ? 0 : Math.max(0, (Date.now() - since) / 1000)
}

new Gauge({
  name: "tidewire_history_lag_seconds",
  help: "Age of the oldest event that is missing in a table; 0 if none is missing",
  labelNames: ["topic"],
  collect() {
    this.reset()
    for (const topic of pendingSince.keys()) this.set({ topic }, lagSeconds(topic))
  },
})

new Gauge({
  name: "tidewire_history_lag_alarm",
  help: "1 when the history is more than a day behind",
  collect() {
    this.set([...pendingSince.keys()].some((topic) => lagSeconds(topic) >= LAG_ALARM_SECONDS) ? 1 : 0)
  },
})

/** Removes the lag of every topic, as this process no longer knows it. */
export const forgetPending = (): void => pendingSince.clear()

/** Reports the time of a topic's oldest event that is not written yet; null if all are. */
export const reportPending = (topic: string, epochMs: number | null): void => {
  // A topic without waiting events stays in the map with a time in the future, so that its gauge is present, at 0.
  pendingSince.set(topic, epochMs ?? Number.POSITIVE_INFINITY)
}
