import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { document, type Upstream } from "../../document.ts"
import { within } from "../../readers/numbers.ts"
import { Decimal } from "../../readers/wire.ts"

/** The address of a query of more would be too long. */
const EACH_QUERY_MAX = 100

/** https://api.first.org/epss/ Vulnerabilities without an estimate are missing. */
export const scores = document({
  format: "json",
  wire: Schema.Struct({ data: Schema.Array(Schema.Struct({ cve: Schema.String, epss: Decimal })) }),
  url: (cves: ReadonlyArray<string>) =>
    `https://api.first.org/data/v1/epss?cve=${cves.join(",")}&limit=${EACH_QUERY_MAX}`,
})

/**
 * The probability of exploitation within 30 days of vulnerabilities, by CVE id, as FIRST estimates it. After a
 * failure no further query is made, and the poll goes on: what was not read is unknown.
 */
export const probabilitiesOf = Effect.fnUntraced(function* (
  upstream: Upstream,
  cves: ReadonlyArray<string>,
): Effect.fn.Return<ReadonlyMap<string, number>> {
  const probabilities = new Map<string, number>()
  for (let at = 0; at < cves.length; at += EACH_QUERY_MAX) {
    const answer = yield* upstream
      .fetch(scores, cves.slice(at, at + EACH_QUERY_MAX))
      .pipe(Effect.catch(() => Effect.succeed(null)))
    if (answer === null) break
    for (const { cve, epss } of answer.data) if (within(epss, 0, 1) !== null) probabilities.set(cve, epss)
  }
  return probabilities
})
