import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server"
import { closedIn, type Dataset, notForModels } from "./data-tool.ts"
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
  const byUri = new Map(readable.map((dataset) => [`${SCHEME}${dataset.tool.path}`, dataset]))
  return {
    list: readable.map(({ endpoint, tool }) => ({
      uri: `${SCHEME}${tool.path}`,
      name: endpoint.name,
      title: endpoint.summary,
      mimeType: MEDIA_TYPE,
    })),
    read: async (uri, { call }) => {
      const dataset = byUri.get(uri)
      if (dataset === undefined) return null
      const { path } = dataset.tool
      const reply = await call({ path, headers: {} })
      const text = reply.body.toString("utf8")
      // The refusal of the endpoint, as over HTTP.
      if (reply.status !== OK) throw new ProtocolError(ProtocolErrorCode.InternalError, text)
      const closed = closedIn(reply, dataset.closed)
      if (closed.length > 0)
        throw new ProtocolError(
          ProtocolErrorCode.InternalError,
          JSON.stringify(notForModels(closed, path).structuredContent),
        )
      return text
    },
  }
}
