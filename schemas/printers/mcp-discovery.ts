import * as Schema from "effect/Schema"
import { MCP_REVISIONS, MCP_SERVER_NAME, MCP_SERVER_TITLE, SERVER_CARD_TYPE } from "../contract/mcp.ts"

// The documents by which MCP servers are found: the server card (SEP-2127), the entry of a registry, and the AI catalog that links to it.

const SERVER_CARD_SCHEMA = "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json"
const REGISTRY_SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"
const AI_CATALOG_VERSION = "1.0"
const DESCRIPTION_MAX_CHARACTERS = 100

const NAME = Schema.String.check(Schema.isPattern(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/u))
const DESCRIPTION = Schema.NonEmptyString.check(Schema.isMaxLength(DESCRIPTION_MAX_CHARACTERS))
const HEADERS = Schema.Array(
  Schema.Struct({
    name: Schema.NonEmptyString,
    description: Schema.NonEmptyString,
    isRequired: Schema.Boolean,
    isSecret: Schema.Boolean,
  }),
)

/** A server card: how to connect to an MCP server. It lists no tools, as `tools/list` does. */
export const ServerCard = Schema.Struct({
  $schema: Schema.Literal(SERVER_CARD_SCHEMA),
  name: NAME,
  version: Schema.NonEmptyString,
  title: Schema.NonEmptyString,
  description: DESCRIPTION,
  websiteUrl: Schema.optionalKey(Schema.NonEmptyString),
  remotes: Schema.Array(
    Schema.Struct({
      type: Schema.Literal("streamable-http"),
      url: Schema.NonEmptyString,
      supportedProtocolVersions: Schema.Array(Schema.NonEmptyString),
      headers: HEADERS,
    }),
  ),
})
export type ServerCard = typeof ServerCard.Type

/** An entry of an MCP registry (server.json). */
export const RegistryServer = Schema.Struct({
  $schema: Schema.Literal(REGISTRY_SCHEMA),
  name: NAME,
  title: Schema.NonEmptyString,
  description: DESCRIPTION,
  version: Schema.NonEmptyString,
  websiteUrl: Schema.optionalKey(Schema.NonEmptyString),
  remotes: Schema.Array(
    Schema.Struct({ type: Schema.Literal("streamable-http"), url: Schema.NonEmptyString, headers: HEADERS }),
  ),
})
export type RegistryServer = typeof RegistryServer.Type

/** The catalog of what AI clients can connect to on this host. */
export const AiCatalog = Schema.Struct({
  specVersion: Schema.NonEmptyString,
  entries: Schema.Array(
    Schema.Struct({
      identifier: Schema.NonEmptyString,
      displayName: Schema.NonEmptyString,
      type: Schema.NonEmptyString,
      url: Schema.NonEmptyString,
    }),
  ),
})
export type AiCatalog = typeof AiCatalog.Type

/** The host of a service whose address is not known. */
const NO_HOST = "localhost"
const hostOf = (address: string): string => (address === "" ? NO_HOST : new URL(address).hostname.replace(/[[\]]/g, ""))

const IPV4 = /^[\d.]+$/

/** `example.com` as a name space: `com.example`. An address stays as it is, with hyphens for the colons of IPv6. */
const nameSpaceOf = (host: string): string =>
  IPV4.test(host) ? host : host.replaceAll(":", "-").split(".").reverse().join(".")

/** The card of the small MCP server and of the large one. `address`: of this service, without a trailing slash. */
export const serverCardOf = (options: {
  readonly address: string
  readonly version: string
  /** Paths of the MCP servers, the recommended one first. */
  readonly paths: ReadonlyArray<string>
}): ServerCard => ({
  $schema: SERVER_CARD_SCHEMA,
  name: `${nameSpaceOf(hostOf(options.address))}/${MCP_SERVER_NAME}`,
  version: options.version,
  title: MCP_SERVER_TITLE,
  description: "Real-time data of the world's public feeds: search, read, and premium reports paid in credits.",
  ...(options.address === "" ? {} : { websiteUrl: options.address }),
  remotes: options.paths.map((path) => ({
    type: "streamable-http",
    url: `${options.address}${path}`,
    supportedProtocolVersions: [...MCP_REVISIONS],
    headers: [
      {
        name: "Authorization",
        description: "Bearer and a token of credits, for premium tools; free tools need none",
        isRequired: false,
        isSecret: true,
      },
    ],
  })),
})

/** The same servers as an entry of a registry, which asks for no revisions. */
export const registryServerOf = (options: Parameters<typeof serverCardOf>[0]): RegistryServer => {
  const { remotes, $schema: _, ...facts } = serverCardOf(options)
  return {
    $schema: REGISTRY_SCHEMA,
    ...facts,
    remotes: remotes.map(({ supportedProtocolVersions: __, ...remote }) => remote),
  }
}

/** The catalog that links to the server card. */
export const aiCatalogOf = (options: { readonly address: string; readonly cardPath: string }): AiCatalog => ({
  specVersion: AI_CATALOG_VERSION,
  entries: [
    {
      identifier: `urn:air:${hostOf(options.address).replaceAll(":", "-")}:${MCP_SERVER_NAME}`,
      displayName: MCP_SERVER_TITLE,
      type: SERVER_CARD_TYPE,
      url: `${options.address}${options.cardPath}`,
    },
  ],
})
