import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server"
import type { Dataset } from "./data-tool.ts"
import type { Caller } from "./tool.ts"

const MEDIA_TYPE = "application/json"
const OK = 200
/** The scheme of the resources' URIs: they are read through MCP, under any address of the service. */
const SCHEME = "tidewire:"

/** A dataset as a resource. */
export interface Resource {
  readonly uri: string
  readonly name: string
  readonly title: string
  readonly mimeType: string
}

/** What a resource is read as; null where there is none of this URI. */
export type ReadResource = (uri: string, caller: Caller) => Promise<string | null>

/** The resources of a contract, and how they are read: the free datasets that need no parameter. */
export const resourcesOf = (
  datasets: ReadonlyArray<Dataset>,
): { readonly list: ReadonlyArray<Resource>; readonly read: ReadResource } => {
  const readable = datasets.filter(({ tool }) => tool.tier === "free" && tool.parameters.required.length === 0)
  const paths = new Map(readable.map(({ tool }) => [`${SCHEME}${tool.path}`, tool.path]))
  return {
    list: readable.map(({ endpoint, tool }) => ({
      uri: `${SCHEME}${tool.path}`,
      name: endpoint.name,
      title: endpoint.summary,
      mimeType: MEDIA_TYPE,
    })),
    read: async (uri, { call }) => {
      const path = paths.get(uri)
      if (path === undefined) return null
      const { status, body } = await call({ path, headers: {} })
      const text = body.toString("utf8")
      // The refusal of the endpoint, as over HTTP.
      if (status !== OK) throw new ProtocolError(ProtocolErrorCode.InternalError, text)
      return text
    },
  }
}
