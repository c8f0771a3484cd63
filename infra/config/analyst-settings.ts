import { ANALYST_LIMITS } from "../history/analyst-limits.ts"
import { integer, setting } from "./setting.ts"

/** What the queries of analysts may take. */
export const analystSettings = {
  analystQuerySeconds: setting(
    "ANALYST_QUERY_SECONDS",
    integer(1, 86_400),
    String(ANALYST_LIMITS.querySeconds),
    "seconds that one query of an analyst may take",
  ),
  analystMemoryMebibytes: setting(
    "ANALYST_MEMORY_MIB",
    integer(16, 1_048_576),
    String(ANALYST_LIMITS.memoryMebibytes),
    "memory of one query of an analyst, MiB; the embedded engine has 320 for all",
  ),
  analystDiskMebibytes: setting(
    "ANALYST_DISK_MIB",
    integer(1, 1_048_576),
    String(ANALYST_LIMITS.diskMebibytes),
    "what analysts' queries may write to disk when their memory does not suffice, MiB",
  ),
  analystReadRows: setting(
    "ANALYST_READ_ROWS",
    integer(1_000, 1_000_000_000_000),
    String(ANALYST_LIMITS.readRows),
    "rows that one query of an analyst may read",
  ),
  analystResultRows: setting(
    "ANALYST_RESULT_ROWS",
    integer(1, 1_000_000_000),
    String(ANALYST_LIMITS.resultRows),
    "rows that one query of an analyst may give",
  ),
  analystQueries: setting(
    "ANALYST_QUERIES",
    integer(1, 1_000),
    String(ANALYST_LIMITS.queries),
    "queries of analysts at the same time",
  ),
} as const
