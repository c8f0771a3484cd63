import { endpoint } from "../contract/endpoint.ts"
import { Catalog } from "../printers/catalog.ts"

/** The catalog of all endpoints. */
export const catalogEndpoint = endpoint({
  path: "/api",
  name: "catalog",
  kind: "document",
  tier: "service",
  ttl: "1 hour",
  hasLinks: true,
  summary: "Catalog of all endpoints",
  description: "Paths, parameters, cache times, prices in credits, and the attribution of the data.",
  parameters: {},
  data: Catalog,
  example: {
    service: "tidewire",
    contract_version: "1.15.0",
    version: "0.1.0",
    base_url: null,
    openapi: "/openapi.json",
    signup: "/developers/agent-payments",
    endpoints: [
      {
        path: "/api/earthquake",
        name: "earthquake",
        method: "GET",
        tier: "free",
        kind: "prepared",
        media_types: ["application/json"],
        counted: "daily",
        credits: 0,
        cache_seconds: 120,
        summary: "Earthquakes of the last 24 hours, magnitude 2.5 and above",
        description: "Newest first, worldwide.",
        parameters: [],
        bearer: "none",
        no_charge: [],
        withheld_feeds: [],
        deprecated: [],
        changes: [],
        history: null,
        attribution: [
          {
            provider: "U.S. Geological Survey, Earthquake Hazards Program",
            licence: "Public domain (U.S. Government work)",
            url: "https://earthquake.usgs.gov/earthquakes/feed/",
          },
        ],
      },
    ],
  },
})
