import type { PastMeta } from "../../schemas/contract/reply.ts"
import type { Parameters } from "../../schemas/feed.ts"
import type { RequestQuery } from "../http/parameters.ts"
import type { ProblemReply } from "../http/problems.ts"
import type { InstantRequest } from "../past/reader.ts"
import type { ApiTools } from "../routes/route.ts"
import type { Html } from "./html.ts"

/** A request for a page. */
export interface PageRequest {
  /** What stands in the place of `:name` in the page's path; null for a page without one. */
  readonly name: string | null
  /** The address of this service without a slash at its end: the public one, else the one reached; empty where unknown. */
  readonly address: string
  /** The parameters of the query that the page reads, where they were given. */
  readonly parameters: Parameters
}

/** A request for a page as it was known at an instant. */
export interface PastPageRequest extends PageRequest, InstantRequest {
  readonly query: RequestQuery
}

/** What a page shows of an instant. */
export interface PastPage {
  readonly content: PageContent
  readonly meta: PastMeta
  /** The parameters of its data. */
  readonly parameters: Parameters
}

/** What a page shows, as HTML and as Markdown; each is made on request. */
export interface PageContent {
  readonly title: string
  /** The heading of the page; its title unless given. */
  readonly heading?: string
  /** One sentence for search engines and link previews. */
  readonly description: string
  readonly html: () => Html
  /** Without the title, which is put before it. */
  readonly markdown: () => string
  /** Names of browser modules of `assets/` that the page starts; none unless given. */
  readonly modules?: ReadonlyArray<string>
  /** Further elements of the head. */
  readonly head?: Html
  /** The width of the content: that of a text unless given. */
  readonly width?: "text" | "wide"
  /** What stands around the content: what every page has, unless given, or nothing, as in a frame of another site. */
  readonly frame?: "site" | "embed"
}

/** A page for people, the export of a file in `site/`. Pages are no endpoints of the contract. */
export interface SitePage {
  readonly _tag: "SitePage"
  /** Its path, whose last part may be `:name`. Its Markdown twin has `.md` after it. */
  readonly path: string
  /** Stable name for metrics and logs. Snake case. */
  readonly name: string
  /** Its entry among the links of every page, in the order of `rank`; null for none. */
  readonly navigation: { readonly label: string; readonly rank: number } | null
  /** How long a rendered page is reused. */
  readonly keptMs: number
  /** The path of a JSON document of the contract that is sent at the same address to clients that prefer JSON; null for none. */
  readonly json: string | null
  /** Names of the parameters of the query that it reads, in texts of any length. A page made of them is not kept. */
  readonly reads: ReadonlyArray<string>
  /** Directives of its content policy in place of the common ones. */
  readonly policy: Readonly<Record<string, string>>
  /** The values of `:name`, of which a 404 proposes the nearest; null for a page without `:name`. */
  readonly names: ((tools: Pick<ApiTools, "options">) => ReadonlyArray<string>) | null
  /** Makes the function that makes its content, which returns null if there is no page of this name. */
  readonly make: (tools: ApiTools) => (request: PageRequest) => PageContent | null | Promise<PageContent | null>
  /** The same as it was known at an instant, or why it is not shown; null for a page that shows the present alone. */
  readonly makePast: ((tools: ApiTools) => (request: PastPageRequest) => Promise<PastPage | ProblemReply | null>) | null
}

/** Pages show data that changes every few seconds at most. */
const KEPT_MS = 5_000

/** Declares a page. */
export const sitePage = (definition: {
  readonly path: string
  readonly name: string
  readonly navigation?: NonNullable<SitePage["navigation"]>
  /** 5 seconds unless given. */
  readonly keptMs?: number
  readonly json?: string
  readonly reads?: SitePage["reads"]
  readonly policy?: SitePage["policy"]
  /** Given exactly where the path ends in `:name`. */
  readonly names?: NonNullable<SitePage["names"]>
  readonly make: SitePage["make"]
  readonly makePast?: NonNullable<SitePage["makePast"]>
}): SitePage => ({
  _tag: "SitePage",
  path: definition.path,
  name: definition.name,
  navigation: definition.navigation ?? null,
  keptMs: definition.keptMs ?? KEPT_MS,
  json: definition.json ?? null,
  reads: definition.reads ?? [],
  policy: definition.policy ?? {},
  names: definition.names ?? null,
  make: definition.make,
  makePast: definition.makePast ?? null,
})

/** The path of a page's Markdown twin. */
export const twinOf = (path: string): string => (path === "/" ? "/index.md" : `${path}.md`)
