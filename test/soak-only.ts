/**
 * Tests of `npm run soak` alone, as each costs minutes and walks at length where others walk: `e2e/past` restores a backup on the
 * other engine, `e2e/kafka-acls` starts every role apart, `conformance/cluster` takes a broker away, and the contract's replies are
 * compared with their schemas by `api/`.
 */
export const soakOnly = ["e2e/deploy-by-hand", "e2e/migration", "e2e/replication", "generators/schemathesis"] as const
