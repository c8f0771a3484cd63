import { Counter, Gauge } from "prom-client"

/** From this lag on something must be done by people: the log is trimmed by the days. */
export const LAG_ALARM_SECONDS = 86_400

/** What the history reports about itself. */
export const metrics = {
  rows: new Counter({
    name: "tidewire_history_rows_inserted_total",
    help: "Rows written to the history; a repeated batch counts again",
    labelNames: ["table"],
  }),
  retries: new Counter({
    name: "tidewire_history_retries_total",
    help: "Calls of ClickHouse that failed and were tried again",
  }),
  repairs: new Counter({
    name: "tidewire_history_repairs_total",
    help: "How often a table had lost rows and they were written again",
    labelNames: ["table"],
  }),
  suspended: new Gauge({
    name: "tidewire_history_tables_suspended",
    help: "1 where ClickHouse refuses a table's rows, or an event cannot be read, and the table waits",
    labelNames: ["table"],
  }),
  trimmed: new Counter({
    name: "tidewire_history_trimmed_records_total",
    help: "Records dropped from the log because the archive holds them or their time is over",
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
  help: "Age of the oldest event that some table does not hold yet; 0 when all of them hold everything",
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

/** Ends the reports: what another process writes from now on is not known here. */
export const forgetPending = (): void => pendingSince.clear()

/** Reports the time of the oldest event of a topic that waits to be written; null when none does. */
export const reportPending = (topic: string, epochMs: number | null): void => {
  // A topic that waits for nothing stays in the map with the future, so that its gauge is seen, at 0.
  pendingSince.set(topic, epochMs ?? Number.POSITIVE_INFINITY)
}
