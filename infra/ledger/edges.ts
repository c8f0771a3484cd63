// The ways into a process that may hold the ledger. Each has a secret of its own, and takes only what its callers do.

/** Where commands of the API are taken, below the admin address, and what the edge is called in signatures. */
export const API_EDGE = { name: "ledger-api", path: "/internal/ledger/api" } as const
/** Where the API claims payments: apart from its commands, which must not wait for the chain. */
export const CLAIM_PATH = "/internal/ledger/api/claim"
/** Where an operator's commands are taken. */
export const OPERATOR_EDGE = { name: "ledger-operator", path: "/internal/ledger/operator" } as const

/** The edges, by who uses them. */
export const edges = { api: API_EDGE, operator: OPERATOR_EDGE } as const
/** Who may ask the ledger from another process. */
export type EdgeName = keyof typeof edges

/** Answer of a process that does not hold the ledger now. */
export const NOT_THE_WRITER = 421

/** Where a service in one process keeps the secret of its operators, below `DATA_DIR/secrets`. */
export const OPERATOR_SECRET_FILE = "ledger-operator"
