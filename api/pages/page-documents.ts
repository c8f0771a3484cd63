import * as Result from "effect/Result"
import type { DocumentEndpoint } from "../../schemas/contract/endpoint-kinds.ts"
import { type Document, type DocumentRequest, document } from "../document.ts"
import type { ApiTools } from "../route.ts"
import { htmlOf, markdownPieces, type Piece } from "./page.ts"
import { HTML_TYPE } from "./page-reply.ts"
import { isSimulated, pageHtml, pageMarkdown } from "./shell.ts"

/** The implementations of a page, in HTML or Markdown as the client prefers, and of its Markdown twin. */
export const pageDocuments = (definition: {
  readonly page: DocumentEndpoint
  readonly twin: DocumentEndpoint
  readonly title: string
  /** One sentence for search engines and link previews. */
  readonly description: string
  /** Browser modules of `assets/` that the page starts; none unless given. */
  readonly modules?: ReadonlyArray<string>
  readonly pieces: (tools: ApiTools) => (request: DocumentRequest) => ReadonlyArray<Piece>
}): readonly [page: Document, twin: Document] => {
  const { page, twin, title, description, modules = [], pieces } = definition
  const shell = { title, description, path: page.path, modules, twin: twin.path }
  const make: Document["make"] = (tools) => {
    const piecesOf = pieces(tools)
    return (request) => {
      const content = piecesOf(request)
      const simulated = isSimulated(tools.options)
      return Result.succeed(
        request.mediaType === HTML_TYPE
          ? pageHtml({ ...shell, main: htmlOf(content), simulated })
          : pageMarkdown(title, markdownPieces(content), simulated),
      )
    }
  }
  return [document({ endpoint: page, modules, make }), document({ endpoint: twin, make })]
}
