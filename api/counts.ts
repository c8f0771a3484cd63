import { type Endpoint, isPremium } from "../schemas/contract/endpoint-kinds.ts"
import { noProvenance } from "../schemas/contract/provenance.ts"
import { isData } from "../schemas/printers/tools.ts"
import type { ApiOptions } from "./routes/route.ts"

/**
 * How many there are, as every text counts them. A feed publishes observations; an endpoint of data is a path at which feeds are
 * served; a check is one feed at one of its sources or places, judged by the monitor (`counts.monitored` of the status).
 */
interface Counts {
  readonly feeds: number
  readonly free: number
  readonly premium: number
}

/** The numbers of what an installation offers. */
export const countsOf = ({
  endpoints,
  provenance = () => noProvenance,
}: Pick<ApiOptions, "endpoints" | "provenance">): Counts => {
  const data = endpoints.filter(isData)
  return {
    feeds: new Set(data.flatMap(({ path }) => provenance(path).feeds)).size,
    free: data.filter((one) => !isPremium(one)).length,
    premium: data.filter((one: Endpoint) => isPremium(one)).length,
  }
}

/** The same in words. */
export const countsText = ({ feeds, free, premium }: Counts): string =>
  `${feeds} feeds at ${free + premium} endpoints: ${free} are free, without a key, and ${premium} cost credits by the call`
