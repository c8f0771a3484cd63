import { OF_EVERY_REPLY } from "../../schemas/contract/conformance.ts"
import type { Endpoint } from "../../schemas/contract/endpoint-kinds.ts"
import { buildOpenApi } from "../../schemas/printers/openapi.ts"

interface Told {
  readonly $ref?: string
  readonly headers?: object
  readonly content?: object
}

interface Document {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly responses: Readonly<Record<string, Told>> }>>>
  >
  readonly components: { readonly responses: Readonly<Record<string, Told>> }
}

/**
 * Lists what of a reply the OpenAPI document lacks: its status, type or headers, in words. Null where
 * it has no such operation. HEAD is documented as GET.
 */
export const undocumentedBy = (endpoints: ReadonlyArray<Endpoint>) => {
  const { paths, components } = buildOpenApi({ endpoints, baseUrl: null }) as unknown as Document
  return (
    method: string,
    url: string,
    { statusCode, headers }: { readonly statusCode: number; readonly headers: object },
  ): ReadonlyArray<string> | null => {
    const operation = paths[url.split("?")[0] ?? ""]?.[(method === "HEAD" ? "get" : method).toLowerCase()]
    if (operation === undefined) return null
    const declared = operation.responses[String(statusCode)]
    const documented =
      declared?.$ref === undefined ? declared : components.responses[declared.$ref.split("/").at(-1) ?? ""]
    if (documented === undefined) return [`status ${statusCode}`]
    const names = new Set(Object.keys(documented.headers ?? {}).map((name) => name.toLowerCase()))
    const type = "content-type" in headers ? String(headers["content-type"]).split(";")[0] : undefined
    return [
      ...(type === undefined || Object.keys(documented.content ?? {}).includes(type)
        ? []
        : [`${statusCode} as ${type}`]),
      ...Object.keys(headers)
        .filter((name) => !names.has(name) && !OF_EVERY_REPLY.test(name))
        .map((name) => `${name} at ${statusCode}`),
    ]
  }
}
