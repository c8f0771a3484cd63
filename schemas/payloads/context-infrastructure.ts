import { type ContextService, type ContextStatus, contextServices, type WorldContext } from "./world-context.ts"

type Infrastructure = WorldContext["infrastructure"]

// The keys of a constant are its names.
export const serviceKeys = Object.keys(contextServices) as ReadonlyArray<ContextService>

/** The status of the services in our own words, without the full stop. */
const summaryOf = (details: WorldContext["infrastructure"]["details"]): string => {
  const named = (status: ContextStatus) =>
    serviceKeys.filter((service) => details[service] === status).map((service) => contextServices[service])
  if (named("operational").length === serviceKeys.length) return `All operational: ${named("operational").join(", ")}`
  const words: ReadonlyArray<readonly [ContextStatus, string]> = [
    ["critical", "Critical trouble"],
    ["major", "Major trouble"],
    ["minor", "Minor trouble"],
    ["maintenance", "Under maintenance"],
    ["operational", "Operational"],
    ["unknown", "Status unknown"],
  ]
  return words
    .flatMap(([status, word]) => (named(status).length === 0 ? [] : [`${word}: ${named(status).join(", ")}`]))
    .join(". ")
}

/** The infrastructure of the context; all of it is operational only where every service is known to be. */
export const infrastructureOf = (details: Infrastructure["details"]): Infrastructure => ({
  summary: summaryOf(details),
  details,
  all_operational: serviceKeys.every((service) => details[service] === "operational"),
})
