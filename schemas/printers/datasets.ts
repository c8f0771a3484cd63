import { defaultTtlMs, type Endpoint, isPremium, isView, subjectNames, subjects } from "../contract/endpoint-kinds.ts"
import { feedPagePath } from "../contract/pages.ts"
import type { Upstream } from "../contract/provenance.ts"
import { instanceKey } from "../feed.ts"
import { type Format, formatLabels, mediaTypeOf } from "../formats/format.ts"
import type { Json } from "../json.ts"
import { requiredExamples } from "./code-samples.ts"
import type { Field } from "./fields.ts"
import type { JsonObject } from "./openapi-components.ts"

// Endpoints as datasets, in JSON-LD for search engines and in DCAT for portals of open data.

/** The name under which this service publishes. */
const PUBLISHER = "Tidewire"

/** The identity of an endpoint's dataset, the same in JSON-LD and in DCAT. */
export const datasetId = (endpoint: Pick<Endpoint, "path">, address: string): string =>
  `${address}${feedPagePath(endpoint)}#dataset`

/** A way to get a dataset's data. */
interface Distribution {
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
const cadenceOf = (endpoint: Endpoint): string => `PT${Math.floor(defaultTtlMs(endpoint) / 1000)}S`

/** Words by which a dataset is found. */
const keywordsOf = ({ name, subject }: Pick<Endpoint, "name" | "subject">): ReadonlyArray<string> => [
  ...(subject === null ? [] : [subjects[subject]]),
  ...name.split("_").filter((word) => word !== "pro"),
]

/** Fields that a search engine is given at the most. */
const VARIABLES_MAX = 60

/**
 * An endpoint as a schema.org Dataset. It claims no spatial or temporal coverage, as the contract declares none.
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

// DCAT 3 in JSON-LD (https://www.w3.org/TR/vocab-dcat-3/), with the code lists that portals of open data expect.

/** The prefixes of the catalogue. They stand in the document, so that a reader fetches nothing to understand it. */
const DCAT_CONTEXT = {
  dcat: "http://www.w3.org/ns/dcat#",
  dct: "http://purl.org/dc/terms/",
  foaf: "http://xmlns.com/foaf/0.1/",
  rdfs: "http://www.w3.org/2000/01/rdf-schema#",
  skos: "http://www.w3.org/2004/02/skos/core#",
  prov: "http://www.w3.org/ns/prov#",
} as const

const AUTHORITY = "http://publications.europa.eu/resource/authority"
const MEDIA_TYPES = "https://www.iana.org/assignments/media-types"
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

const reference = (id: string): JsonObject => ({ "@id": id })

/** How often data changes, in the words of the code list. The exact time is the label. */
const frequencyOf = (endpoint: Endpoint): JsonObject => {
  const everyMs = defaultTtlMs(endpoint)
  const word = everyMs < HOUR_MS ? "UPDATE_CONT" : everyMs < DAY_MS ? "HOURLY" : "DAILY"
  return { "@id": `${AUTHORITY}/frequency/${word}`, "@type": "dct:Frequency" }
}

const themeId = (subject: string, address: string): string => `${address}/feeds#${subject}`

const licencesOf = (upstreams: ReadonlyArray<Upstream>): ReadonlyArray<Json> =>
  [...new Map(upstreams.map((one) => [`${one.terms.url} ${one.licence}`, one])).values()].map(({ licence, terms }) => ({
    "@id": terms.url,
    "@type": "dct:LicenseDocument",
    "rdfs:label": licence,
  }))

const distributionNodes = (
  endpoint: Endpoint,
  address: string,
  licences: ReadonlyArray<Json>,
): ReadonlyArray<JsonObject> =>
  distributionsOf(endpoint, address).map(({ format, mediaType, url }) => ({
    "@id": `${datasetId(endpoint, address)}-${format}`,
    "@type": "dcat:Distribution",
    "dct:title": `${endpoint.summary} (${formatLabels[format]})`,
    "dcat:accessURL": reference(url),
    // A premium reply is given for a token, so its address alone downloads nothing.
    ...(isPremium(endpoint) ? {} : { "dcat:downloadURL": reference(url) }),
    "dcat:mediaType": reference(`${MEDIA_TYPES}/${mediaType}`),
    "dcat:accessService": reference(serviceId(address)),
    ...(licences.length === 0 ? {} : { "dct:license": licences }),
  }))

const serviceId = (address: string): string => `${address}/api#service`

const datasetNode = (endpoint: Endpoint, address: string, upstreams: ReadonlyArray<Upstream>): JsonObject => {
  const licences = licencesOf(upstreams)
  const { subject } = endpoint
  return {
    "@id": datasetId(endpoint, address),
    "@type": "dcat:Dataset",
    "dct:identifier": endpoint.name,
    "dct:title": endpoint.summary,
    "dct:description": `${endpoint.summary}. ${endpoint.description} Reusable for ${cadenceOf(endpoint)}.`,
    "dct:publisher": reference(`${address}/#publisher`),
    "dct:accrualPeriodicity": frequencyOf(endpoint),
    "dct:accessRights": reference(`${AUTHORITY}/access-right/${isPremium(endpoint) ? "RESTRICTED" : "PUBLIC"}`),
    "dct:language": reference(`${AUTHORITY}/language/ENG`),
    "dcat:keyword": [...keywordsOf(endpoint)],
    ...(subject === null ? {} : { "dcat:theme": [reference(themeId(subject, address))] }),
    "dcat:landingPage": reference(`${address}${feedPagePath(endpoint)}`),
    ...(upstreams.length === 0
      ? {}
      : {
          "dct:source": [...new Set(upstreams.map(({ url }) => url))].map(reference),
          "prov:wasAttributedTo": [...new Map(upstreams.map((one) => [one.provider, one])).values()].map(
            ({ provider, url }) => ({
              "@type": "prov:Organization",
              "foaf:name": provider,
              "foaf:homepage": reference(url),
            }),
          ),
        }),
    "dcat:distribution": distributionNodes(endpoint, address, licences),
  }
}

/** The datasets of endpoints as a catalogue. `address`: that of the service, without a slash at its end; empty where unknown. */
export const dcatCatalogue = ({
  endpoints,
  address,
  paths,
  upstreamsOf,
}: {
  readonly endpoints: ReadonlyArray<Endpoint>
  readonly address: string
  /** The catalogue itself, and the description of the interface. */
  readonly paths: { readonly self: string; readonly openApi: string }
  readonly upstreamsOf: (path: string) => ReadonlyArray<Upstream>
}) => ({
  "@context": DCAT_CONTEXT,
  "@id": `${address}${paths.self}`,
  "@type": "dcat:Catalog" as const,
  "dct:title": PUBLISHER,
  "dct:description": "Real-time data of public feeds, with its source, its age and its licence.",
  "dct:publisher": { "@id": `${address}/#publisher`, "@type": "foaf:Agent", "foaf:name": PUBLISHER },
  "dcat:themeTaxonomy": {
    "@id": `${address}/feeds`,
    "@type": "skos:ConceptScheme",
    "dct:title": "Subjects",
    "skos:hasTopConcept": subjectNames.map((name) => ({
      "@id": themeId(name, address),
      "@type": "skos:Concept",
      "skos:prefLabel": subjects[name],
    })),
  },
  "dcat:service": [
    {
      "@id": serviceId(address),
      "@type": "dcat:DataService",
      "dct:title": PUBLISHER,
      "dcat:endpointURL": reference(`${address}/api`),
      "dcat:endpointDescription": reference(`${address}${paths.openApi}`),
      "dcat:servesDataset": endpoints.map((one) => reference(datasetId(one, address))),
    },
  ],
  "dcat:dataset": endpoints.map((one) => datasetNode(one, address, upstreamsOf(one.path))),
})
