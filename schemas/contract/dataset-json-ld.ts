import { instanceKey } from "../feed.ts"
import { type Format, mediaTypeOf } from "../formats/format.ts"
import type { Json } from "../json.ts"
import { requiredExamples } from "./code-samples.ts"
import { defaultTtlMs, type Endpoint, isPremium, isView } from "./endpoint-kinds.ts"
import { feedPagePath } from "./feed-page.ts"
import type { Field } from "./fields.ts"
import type { Upstream } from "./provenance.ts"
import { subjects } from "./subjects.ts"

/** The name under which this service publishes. */
export const PUBLISHER = "Tidewire"

/** The identity of an endpoint's dataset, the same in JSON-LD and in DCAT. */
export const datasetId = (endpoint: Pick<Endpoint, "path">, address: string): string =>
  `${address}${feedPagePath(endpoint)}#dataset`

/** A way to get a dataset's data. */
export interface Distribution {
  readonly format: Format
  readonly mediaType: string
  readonly url: string
}

/** The ways to get the data of an endpoint: one for each format. */
export const distributionsOf = (endpoint: Endpoint, address: string): ReadonlyArray<Distribution> =>
  (isView(endpoint) ? endpoint.formats : (["json"] as const)).map((format) => {
    const parameters = { ...requiredExamples(endpoint), ...(format === "json" ? {} : { format }) }
    return { format, mediaType: mediaTypeOf[format], url: `${address}${instanceKey(endpoint.path, parameters)}` }
  })

/** The time after which data may have changed, as an ISO 8601 duration. */
export const cadenceOf = (endpoint: Endpoint): string => `PT${Math.floor(defaultTtlMs(endpoint) / 1000)}S`

/** Words by which a dataset is found. */
export const keywordsOf = ({ name, subject }: Pick<Endpoint, "name" | "subject">): ReadonlyArray<string> => [
  ...(subject === null ? [] : [subjects[subject]]),
  ...name.split("_").filter((word) => word !== "pro"),
]

/** Fields that a search engine is given at the most. */
const VARIABLES_MAX = 60

/**
 * An endpoint as a schema.org Dataset. Where and when its data is of is not declared in the contract, so neither is claimed.
 * `address`: the service's, without a slash at its end.
 */
export const datasetJsonLd = (
  endpoint: Endpoint,
  facts: {
    readonly address: string
    readonly upstreams: ReadonlyArray<Upstream>
    readonly fields: ReadonlyArray<Field>
  },
): Json => {
  const { address, upstreams, fields } = facts
  return {
    "@context": ["https://schema.org", { dct: "http://purl.org/dc/terms/" }],
    "@type": "Dataset",
    "@id": datasetId(endpoint, address),
    name: endpoint.summary,
    alternateName: endpoint.name,
    description: `${endpoint.summary}. ${endpoint.description}`.trim(),
    url: `${address}${feedPagePath(endpoint)}`,
    identifier: endpoint.name,
    keywords: [...keywordsOf(endpoint)],
    isAccessibleForFree: !isPremium(endpoint),
    publisher: { "@type": "Organization", name: PUBLISHER, url: `${address}/` },
    "dct:accrualPeriodicity": cadenceOf(endpoint),
    ...(upstreams.length === 0
      ? {}
      : {
          license: upstreams.map(({ licence, terms }) => ({
            "@type": "CreativeWork",
            name: licence,
            url: terms.url,
          })),
          creditText: [...new Set(upstreams.map(({ provider, terms }) => terms.credit ?? provider))].join("; "),
          isBasedOn: [...new Set(upstreams.map(({ url }) => url))],
        }),
    distribution: distributionsOf(endpoint, address).map(({ mediaType, url }) => ({
      "@type": "DataDownload",
      contentUrl: url,
      encodingFormat: mediaType,
    })),
    variableMeasured: fields.slice(0, VARIABLES_MAX).map(({ place, unit, description }) => ({
      "@type": "PropertyValue",
      name: place,
      ...(description === "" ? {} : { description }),
      ...(unit === null ? {} : { unitText: unit }),
    })),
  }
}
