/**
 * Tests of `npm run soak` alone, as each costs minutes and walks at length where others walk: `e2e/past` restores a backup on the
 * other engine, `e2e/kafka-acls` starts every role apart, `conformance/cluster` takes a broker away, `conformance/history` purges items
 * on both engines, `feeds/every-fault` breaks every upstream, and `api/` compares replies with their schemas.
 */
export const soakOnly = [
  "e2e/deploy-by-hand",
  "e2e/faults",
  "e2e/migration",
  "e2e/purge-feed",
  "e2e/replication",
  "generators/schemathesis",
] as const
