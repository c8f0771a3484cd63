// The edges of a process that may hold the ledger. Each has its own secret and accepts only the commands of its callers.

/** The edge of the API: its path below the admin address, and its name in signatures. */
export const API_EDGE = { name: "ledger-api", path: "/internal/ledger/api" } as const
/** The path of claims: separate from commands, which must not wait for the chain. */
export const CLAIM_PATH = "/internal/ledger/api/claim"
/** The edge of operators. */
export const OPERATOR_EDGE = { name: "ledger-operator", path: "/internal/ledger/operator" } as const

/** The edges, by user. */
export const edges = { api: API_EDGE, operator: OPERATOR_EDGE } as const
/** A user of the ledger in another process. */
export type EdgeName = keyof typeof edges

/** HTTP status of a process that does not hold the ledger now. */
export const NOT_THE_WRITER = 421

/** File of the operators' secret of a service in one process, below `DATA_DIR/secrets`. */
export const OPERATOR_SECRET_FILE = "ledger-operator"
