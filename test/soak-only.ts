/**
 * Tests of `npm run soak` alone, as each costs minutes. What stands nearest in `npm test`: `e2e/past` restores a backup on the other
 * engine, `conformance/cluster` takes a broker away, `conformance/history` purges items on both engines, `feeds/every-fault` breaks every
 * upstream. Nothing there calls the service with made-up requests: run these before a release.
 */
export const soakOnly = [
  "e2e/faults",
  "e2e/migration",
  "e2e/purge-feed",
  "e2e/replication",
  "generators/schemathesis",
] as const
