import * as Result from "effect/Result"
import type { DocumentEndpoint } from "../../schemas/contract/endpoint-kinds.ts"
import { type Document, type DocumentRequest, document } from "../document.ts"
import type { ApiTools } from "../route.ts"
import { htmlOf, markdownOf, type Piece, STYLE_SOURCE } from "./page.ts"

/** The implementations of a page, in HTML or Markdown as the client prefers, and of its Markdown twin. */
export const pageDocuments = (definition: {
  readonly page: DocumentEndpoint
  readonly twin: DocumentEndpoint
  readonly title: string
  readonly pieces: (tools: ApiTools) => (request: DocumentRequest) => ReadonlyArray<Piece>
}): readonly [page: Document, twin: Document] => {
  const { page, twin, title, pieces } = definition
  const make: Document["make"] = (tools) => {
    const piecesOf = pieces(tools)
    return (request) => {
      const write = request.mediaType === "text/markdown" ? markdownOf : htmlOf
      return Result.succeed(write(title, piecesOf(request)))
    }
  }
  return [document({ endpoint: page, styleSource: STYLE_SOURCE, make }), document({ endpoint: twin, make })]
}
