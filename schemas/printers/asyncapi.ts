import { Change, CursorText } from "../change.ts"
import type { Endpoint } from "../contract/endpoint-kinds.ts"
import { changesEndpoint, streamEndpoint } from "../endpoints/changes.ts"
import type { Json } from "../json.ts"
import { CONTRACT_VERSION } from "./catalog.ts"
import { Components, component, type JsonObject } from "./openapi-components.ts"
import { toolParameters } from "./tools.ts"

// The doors to changes as an AsyncAPI 3 document, derived from the contract.

/** A document. Its maps are empty where an installation has no changes. */
interface AsyncApi {
  readonly asyncapi: "3.0.0"
  readonly info: { readonly title: string; readonly version: string } & JsonObject
  readonly servers: JsonObject
  readonly defaultContentType: "application/json"
  readonly channels: JsonObject
  readonly operations: JsonObject
  readonly components: { readonly schemas: JsonObject }
}

const reference = (...path: ReadonlyArray<string>): JsonObject => ({ $ref: `#/${path.join("/")}` })

/** The HTTP request of an operation. Parameters that are lists are sent as comma lists. */
const httpOf = (endpoint: Endpoint): JsonObject => ({
  http: {
    method: endpoint.method,
    // Plain JSON by its type.
    query: toolParameters(endpoint) as unknown as Json,
    bindingVersion: "0.3.0",
  },
})

const serverOf = (baseUrl: string): JsonObject => {
  const { host, protocol, pathname } = new URL(baseUrl)
  return { here: { host, protocol: protocol.slice(0, -1), ...(pathname === "/" ? {} : { pathname }) } }
}

/** Builds the document of the changes of these endpoints. */
export const buildAsyncApi = ({
  endpoints,
  baseUrl,
}: {
  readonly endpoints: ReadonlyArray<Endpoint>
  readonly baseUrl: string | null
}): AsyncApi => {
  const components = new Components()
  components.share(CursorText)
  components.share(Change)
  const served = new Set(endpoints.map(({ path }) => path))
  const [change = null] = changesEndpoint.example.changes
  const messages: Readonly<Record<string, JsonObject>> = {
    change: {
      title: "A change",
      summary: "The event `change`, whose id is the cursor of the change",
      payload: component("Change"),
      examples: [{ payload: change as unknown as Json }],
    },
    heartbeat: {
      title: "A heartbeat",
      summary: "The event `heartbeat`, every 15 seconds: its id says how far the stream is, its data is empty",
      payload: { type: "string", maxLength: 0 },
    },
    gap: {
      title: "A gap",
      summary: "The event `gap`: what follows `from` can no longer be read, and the changes behind `to` come next",
      payload: {
        type: "object",
        properties: { from: component("Cursor"), to: component("Cursor") },
        required: ["from", "to"],
      },
    },
    request: {
      title: "A request for a page",
      summary: "It has no body; its query holds the cursor and the filters",
      payload: { type: "null" },
    },
    page: {
      title: "A page",
      payload: components.schemaOf(changesEndpoint.data),
      examples: [{ payload: changesEndpoint.example as unknown as Json }],
    },
  }
  const channel = (endpoint: Endpoint, names: ReadonlyArray<string>): JsonObject => ({
    address: endpoint.path,
    title: endpoint.summary,
    description: endpoint.description,
    messages: Object.fromEntries(names.map((name) => [name, messages[name] ?? null])),
  })
  const messagesOf = (name: string, ...of: ReadonlyArray<string>): ReadonlyArray<Json> =>
    of.map((message) => reference("channels", name, "messages", message))
  const doors = [
    {
      endpoint: streamEndpoint,
      channel: channel(streamEndpoint, ["change", "heartbeat", "gap"]),
      operation: { action: "send", messages: messagesOf(streamEndpoint.name, "change", "heartbeat", "gap") },
    },
    {
      endpoint: changesEndpoint,
      channel: channel(changesEndpoint, ["request", "page"]),
      operation: {
        action: "receive",
        messages: messagesOf(changesEndpoint.name, "request"),
        reply: {
          channel: reference("channels", changesEndpoint.name),
          messages: messagesOf(changesEndpoint.name, "page"),
        },
      },
    },
  ].filter(({ endpoint }) => served.has(endpoint.path))
  return {
    asyncapi: "3.0.0",
    info: {
      title: "Tidewire",
      version: CONTRACT_VERSION,
      description: "What changes in the feeds of this service, behind one cursor: as server-sent events and as pages.",
      license: { name: "Apache-2.0", url: "https://www.apache.org/licenses/LICENSE-2.0" },
    },
    servers: baseUrl === null ? {} : serverOf(baseUrl),
    defaultContentType: "application/json",
    channels: Object.fromEntries(doors.map((door) => [door.endpoint.name, door.channel])),
    operations: Object.fromEntries(
      doors.map(({ endpoint, operation }) => [
        endpoint.name,
        {
          ...operation,
          channel: reference("channels", endpoint.name),
          summary: endpoint.summary,
          bindings: httpOf(endpoint),
        },
      ]),
    ),
    components: { schemas: components.schemas },
  }
}
