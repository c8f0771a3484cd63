import { UNDATED_PARTITION } from "../tables/events/table.ts"

// A table that is kept for some time is cut: its partitions before one are dropped, as whole ones. That one is remembered with
// the progress of the table in the log's checkpoints, so that neither a repair nor a rebuild writes such rows again.

/** The name of a partition, below which a table is cut; undefined while it is whole. */
type Cut = string | undefined

/** Whether a table holds the rows of a partition. Those without a time are as old as the records beside them: they stay. */
export const isHeld = (cut: Cut, partition: string): boolean =>
  cut === undefined || partition >= cut || partition === UNDATED_PARTITION

/** The same of rows, in SQL. */
export const heldSql = (cut: string): string => `(_partition_id >= '${cut}' OR _partition_id = '${UNDATED_PARTITION}')`

/** The rows that a cut drops, in SQL. */
export const droppedSql = (cut: string, column: "_partition_id" | "partition_id" = "_partition_id"): string =>
  `${column} < '${cut}' AND ${column} != '${UNDATED_PARTITION}'`
