import { buildOpenApi } from "../../schemas/openapi.ts"
import { endpoints } from "../../schemas/registry.ts"

interface Told {
  readonly $ref?: string
  readonly headers?: object
}

const document = buildOpenApi({ endpoints, baseUrl: null }) as unknown as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly responses: Record<string, Told> }>>>>
  readonly components: { readonly responses: Readonly<Record<string, Told>> }
}

/** What every reply brings or may bring: HTTP itself, security and CORS. */
const OF_EVERY_REPLY =
  /^(access-control-.*|connection|content-(encoding|length|security-policy|type)|cross-origin-resource-policy|date|keep-alive|referrer-policy|strict-transport-security|transfer-encoding|x-content-type-options)$/

/** The statuses that the contract tells of for an operation; null where it has no such operation. */
export const documentedStatuses = (method: string, path: string): ReadonlyArray<string> | null => {
  const operation = document.paths[path]?.[(method === "HEAD" ? "get" : method).toLowerCase()]
  return operation === undefined ? null : Object.keys(operation.responses)
}

/** The headers of a reply that the contract does not tell of, for an operation and a status that it tells of. */
export const undocumentedHeaders = (
  method: string,
  path: string,
  reply: { readonly statusCode: number; readonly headers: object },
): ReadonlyArray<string> => {
  const operation = document.paths[path]?.[(method === "HEAD" ? "get" : method).toLowerCase()]
  const said = operation?.responses[String(reply.statusCode)]
  const told = said?.$ref === undefined ? said : document.components.responses[said.$ref.split("/").at(-1) ?? ""]
  const names = new Set(Object.keys(told?.headers ?? {}).map((name) => name.toLowerCase()))
  return Object.keys(reply.headers).filter((name) => !names.has(name) && !OF_EVERY_REPLY.test(name))
}
