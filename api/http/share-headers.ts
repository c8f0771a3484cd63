import type { Share } from "./rate-limit.ts"

// A share of a client or a token in headers: as structured fields, and as the older three that many clients read.

/** A share: its name, its requests, and the length of its window. */
export interface SharePolicy {
  readonly name: "day" | "minute"
  readonly max: number
  readonly windowSeconds: number
}

/** The headers of a share that are the same for every reply. */
export const policyHeaders = ({ name, max, windowSeconds }: SharePolicy): ReadonlyArray<string> => [
  "RateLimit-Policy",
  `"${name}";q=${max};w=${windowSeconds}`,
  "RateLimit-Limit",
  String(max),
]

/** `RateLimit`: the rest of a share. */
export const rateLimitOf = ({ name }: SharePolicy, { remaining, resetSeconds }: Share): string =>
  `"${name}";r=${remaining};t=${resetSeconds}`

/** All headers of a share. */
export const shareHeaders = (policy: SharePolicy, share: Share): ReadonlyArray<string> => [
  ...policyHeaders(policy),
  "RateLimit",
  rateLimitOf(policy, share),
  "RateLimit-Remaining",
  String(share.remaining),
  "RateLimit-Reset",
  String(share.resetSeconds),
]
