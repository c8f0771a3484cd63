import * as Schema from "effect/Schema"
import { endpoint } from "./endpoint.ts"
import type { DocumentEndpoint, Endpoint } from "./endpoint-kinds.ts"
import { endpointName } from "./envelope.ts"

/** The media types of a page: HTML, and Markdown where a client prefers it. */
export const PAGE_TYPES = ["text/html", "text/markdown"] as const

/** The address at which a page is Markdown for every client. */
export const twinPath = ({ path }: Pick<Endpoint, "path">): string => `${path}.md`

/** Declares the Markdown twin of a page. */
export const markdownTwin = (page: DocumentEndpoint): DocumentEndpoint<Record<never, never>, string> =>
  endpoint({
    path: twinPath(page),
    name: `${page.name}_markdown`,
    kind: "document",
    tier: page.tier,
    ttl: 0,
    mediaTypes: ["text/markdown"],
    summary: `${page.summary}, as Markdown`,
    description: `The page ${page.path} as Markdown.`,
    parameters: {},
    data: Schema.String,
    example: "# Title\n",
  })

/** The name of an endpoint of data in the address of its page: its name in replies, with dashes for slashes. */
export const feedPageName = (endpoint: { readonly path: string }): string => endpointName(endpoint).replaceAll("/", "-")

/** The address of the page of an endpoint of data. */
export const feedPagePath = (endpoint: { readonly path: string }): string => `/feeds/${feedPageName(endpoint)}`
