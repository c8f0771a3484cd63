import { Negotiator } from "@fastify/accept-negotiator"
import * as Schema from "effect/Schema"
import type { FastifyInstance } from "fastify"
import { endpoint } from "../../schemas/contract/endpoint.ts"
import { instanceKey, type Parameters } from "../../schemas/feed.ts"
import type { Exchange } from "../http/answer.ts"
import type { RequestQuery } from "../http/parameters.ts"
import { linksOf, notFound } from "../http/problems.ts"
import { pastHeaders } from "../past/headers.ts"
import { documentRoute } from "../routes/document.ts"
import { documents } from "../routes/document-registry.ts"
import type { ApiPlugin, ApiTools, Route } from "../routes/route.ts"
import { ASSETS_PATH, assets } from "./assets.ts"
import { HTML_TYPE, KeptReplies, preparePage } from "./page-reply.ts"
import { formTarget, linkAt, noPastOfPage, type PagePast } from "./past.ts"
import { notesOf, pageHtml, pageMarkdown } from "./shell.ts"
import { type PageContent, type SitePage, twinOf } from "./site-page.ts"
import { sitePages } from "./site-registry.ts"

const MARKDOWN = "text/markdown"
const JSON_TYPE = "application/json"
const ACCEPT_MAX_CHARACTERS = 256
/** The longest name that the router matches. */
const NAME_MAX_CHARACTERS = 100
const NAME = "/:name"

/** A page or asset as a route: it is no endpoint of the contract, and counts against the share of pages. */
const servedAs = (path: string, name: string) =>
  endpoint({
    path,
    name,
    kind: "document",
    tier: "service",
    ttl: 0,
    counted: "pages",
    mediaTypes: [HTML_TYPE],
    summary: "",
    description: "",
    parameters: {},
    data: Schema.String,
    example: "",
  })

const pathOf = ({ request }: Exchange): string => (request.url ?? "").split("?")[0] ?? ""

const isName = (text: string): boolean => !text.includes("/") && text.length <= NAME_MAX_CHARACTERS

/** Whether a page or an asset may be at this path, and so takes GET and HEAD. */
export const isPagePath = (path: string): boolean =>
  path.startsWith(`${ASSETS_PATH}/`) ||
  sitePages.some((page) =>
    page.path.endsWith(NAME)
      ? path.startsWith(page.path.slice(0, -NAME.length + 1)) && isName(path.slice(page.path.length - NAME.length + 1))
      : path === page.path || path === twinOf(page.path),
  )

const write = (
  page: SitePage,
  content: PageContent,
  at: { path: string; mediaType: string; notes: ReturnType<typeof notesOf>; past?: PagePast },
): string => {
  if (at.mediaType === MARKDOWN) return pageMarkdown(content.title, content.markdown(), at)
  const { title, heading = title, description, modules = [], head, width, frame } = content
  return pageHtml({
    title,
    heading,
    description,
    path: at.path,
    main: content.html(),
    notes: at.notes,
    past: at.past,
    modules,
    ...(head === undefined ? {} : { head }),
    ...(width === undefined ? {} : { width }),
    ...(frame === undefined ? {} : { frame }),
    twin: linkAt(page.path.endsWith(NAME) ? `${at.path}.md` : twinOf(page.path), at.past?.meta.known_at ?? null),
  })
}

/** The parameters of a query that a page reads; one that was given several times counts as none. */
const parametersOf = ({ reads }: SitePage, query: RequestQuery): Parameters =>
  Object.fromEntries(
    reads.flatMap((name) => {
      const value = query[name]
      return typeof value === "string" && value !== "" ? [[name, value]] : []
    }),
  )

/** Makes the route of a page, in HTML or as its Markdown twin. */
const pageRoute = (page: SitePage, tools: ApiTools, kept: KeptReplies): Route => {
  const { answers, options } = tools
  const contentOf = page.make(tools)
  const pastOf = page.makePast?.(tools) ?? null
  const known = (page.names?.(tools) ?? []).map((name) => page.path.slice(0, -NAME.length + 1) + name)
  const json = documents.find(({ endpoint: { path } }) => path === page.json)
  const jsonRoute = json === undefined ? null : documentRoute(json, tools)
  const negotiator = new Negotiator({
    supportedValues: [HTML_TYPE, MARKDOWN, ...(jsonRoute === null ? [] : [JSON_TYPE])],
  })
  const preferred = ({ request }: Exchange): string => {
    const { accept = "" } = request.headers
    return (accept.length > ACCEPT_MAX_CHARACTERS ? null : negotiator.negotiate(accept)) ?? HTML_TYPE
  }

  return async (exchange, query, client, body) => {
    const asked = pathOf(exchange)
    const isTwin = asked.endsWith(".md")
    const mediaType = isTwin ? MARKDOWN : preferred(exchange)
    const target = pastOf === null ? null : formTarget(asked, query)
    if (typeof target === "string") return answers.seeOther(exchange, target)
    if (target !== null) return answers.problem(exchange, target)
    const isPast = query.at !== undefined
    if (isPast && (pastOf === null || mediaType === JSON_TYPE)) return answers.problem(exchange, noPastOfPage())
    if (mediaType === JSON_TYPE && jsonRoute !== null) return jsonRoute(exchange, query, client, body)
    if (asked.endsWith("/") && asked !== "/") {
      // A name is missing: the address of the list, with a slash too many.
      const [, search] = (exchange.request.url ?? "").split("?", 2)
      const list = asked.slice(0, -1)
      if (isPagePath(list)) return answers.moved(exchange, search === undefined ? list : `${list}?${search}`)
    }
    const path = isTwin ? (page.path.endsWith(NAME) ? asked.slice(0, -3) : page.path) : asked
    const name = page.path.endsWith(NAME) ? path.slice(page.path.length - NAME.length + 1) : null
    const address = answers.addressOf(exchange)
    const notes = notesOf(options)
    const parameters = parametersOf(page, query)
    const isTooLong = name !== null && name.length > NAME_MAX_CHARACTERS
    if (isPast && pastOf !== null && !isTooLong) {
      const lastEventId = exchange.request.headers["last-event-id"]
      const made = await pastOf({ name, address, parameters, query, at: query.at, lastEventId, client })
      if (made === null) return answers.problem(exchange, notFound(path, known, linksOf(options.baseUrl)))
      if ("status" in made) return answers.problem(exchange, made)
      const { content, meta, parameters: ofData } = made
      const headers = ["Vary", "Accept", "X-Robots-Tag", "noindex", ...pastHeaders(path, ofData, meta)]
      const facts = { mediaType, nowMs: Date.parse(meta.known_at), headers, policy: page.policy }
      const past = { meta, present: instanceKey(path, ofData) }
      return answers.prepared(
        exchange,
        await preparePage(write(page, content, { path, mediaType, notes, past }), facts),
      )
    }
    const make = async () => {
      const content = await contentOf({ name, address, parameters })
      if (content === null) return null
      const facts = { mediaType, nowMs: options.nowMs(), headers: ["Vary", "Accept"], policy: page.policy }
      return preparePage(write(page, content, { path, mediaType, notes }), facts)
    }
    const isKept = Object.keys(parameters).length === 0
    const key = `${mediaType} ${notes.length} ${address} ${path}`
    const reply = isTooLong ? null : await (isKept ? kept.get(key, page.keptMs, make) : make())
    if (reply === null) answers.problem(exchange, notFound(path, known, linksOf(options.baseUrl)))
    else answers.prepared(exchange, reply)
  }
}

const assetRoute =
  ({ answers, options }: ApiTools): Route =>
  async (exchange) => {
    const reply = await assets().replyOf(pathOf(exchange), options.nowMs())
    if (reply === null) answers.problem(exchange, notFound(pathOf(exchange), [], linksOf(options.baseUrl)))
    else answers.prepared(exchange, reply)
  }

const addPages = (app: FastifyInstance, tools: ApiTools): void => {
  const kept = new KeptReplies(tools.options.nowMs)
  // Assets stand in their folder or in one below it.
  for (const path of [`${ASSETS_PATH}${NAME}`, `${ASSETS_PATH}/:folder${NAME}`])
    tools.serve(app, servedAs(path, "assets"), assetRoute(tools))
  for (const page of sitePages) {
    const route = pageRoute(page, tools, kept)
    tools.serve(app, servedAs(page.path, page.name), route)
    if (!page.path.endsWith(NAME)) tools.serve(app, servedAs(twinOf(page.path), page.name), route)
  }
}

/** Serves the pages for people, and what they load. */
export const sitePlugin: ApiPlugin = (tools) => (app, _, done) => {
  addPages(app, tools)
  done()
}
