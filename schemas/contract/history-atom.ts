import { v5 } from "uuid"
import type { Change } from "../change.ts"
import { instanceKey, type Parameters } from "../feed.ts"
import { type AtomEntry, type AtomLink, atomOf } from "../formats/atom.ts"
import { mediaTypeOf } from "../formats/format.ts"
import { isRowObject } from "../formats/table.ts"
import type { HistoryEndpoint } from "./endpoint-kinds.ts"
import { sourceOf } from "./envelope.ts"
import { type ItemHistoryReply, pastLink } from "./item-history.ts"
import { feedPagePath } from "./pages.ts"

/** Bounds of an entry's texts. The whole item is linked. */
const TITLE_MAX_CHARACTERS = 300
const SUMMARY_MAX_CHARACTERS = 2_000

const cut = (text: string, maximum: number): string =>
  text.length <= maximum ? text : `${text.slice(0, maximum - 1).trimEnd()}…`

/** A UUID (version 5) of a name, as an IRI: the same name always gives the same one. */
const idOf = (name: string): string => `urn:uuid:${v5(name, v5.URL)}`

/** The item's single values by their names; what it holds of lists and objects is in its reply. */
const summaryOf = ({ item }: Change): string => {
  const members = isRowObject(item) ? Object.entries(item) : []
  const texts = members.flatMap(([name, value]) =>
    value === null || typeof value === "object" ? [] : [`${name.replaceAll("_", " ")}: ${value}`],
  )
  return cut(texts.join("\n"), SUMMARY_MAX_CHARACTERS)
}

/** The item in one line, and what became of it unless it appeared. */
const titleOf = ({ of }: HistoryEndpoint, { feed, item, key, parameters, type }: Change): string => {
  const facts = of.changes.find((one) => one.feed.name === feed)
  const words = isRowObject(item) ? (facts?.title?.(item, { key, parameters }) ?? "") : ""
  const named = cut((words === "" ? key : words).replaceAll(/\s+/g, " "), TITLE_MAX_CHARACTERS)
  return type === "appeared" ? named : `${named} (${type})`
}

const entryOf = (
  endpoint: HistoryEndpoint,
  change: ItemHistoryReply["changes"][number],
  absolute: (path: string) => string,
): AtomEntry => {
  const { at, cursor, happened_at: happenedAt, known_at: knownAt, parameters, source, simulated, type } = change
  const page = feedPagePath(endpoint.of)
  return {
    // The cursor begins with the name of the log, so that no other installation gives the same id.
    id: idOf(cursor),
    title: titleOf(endpoint, change),
    summary: summaryOf(change),
    updated: knownAt,
    // The event time of what is announced, as a launch, lies ahead: it is no time of publication.
    published: happenedAt === null || happenedAt > knownAt ? null : happenedAt,
    author: source,
    categories: [type, ...(simulated === true ? ["simulated"] : [])],
    links: [
      { rel: "alternate", type: "text/html", href: absolute(pastLink(endpoint.of, parameters, cursor, page) ?? page) },
      ...(at === null ? [] : [{ rel: "related", type: mediaTypeOf.json, href: absolute(at) } as const]),
    ],
  }
}

/** A page of a history as an Atom feed, with absolute addresses. `parameters`: those of the request that are no defaults. */
export const historyAtom = (
  endpoint: HistoryEndpoint,
  reply: ItemHistoryReply,
  request: { readonly parameters: Parameters; readonly address: string; readonly nowMs: number },
): string => {
  const { address, parameters, nowMs } = request
  const absolute = (path: string): string => `${address}${path}`
  const { cursor: _, limit: __, ...list } = parameters
  const link = (rel: AtomLink["rel"], path: string, type: string = mediaTypeOf.atom): AtomLink => ({
    ...{ rel, type },
    href: absolute(path),
  })
  const latest = reply.changes.reduce((last, { known_at: knownAt }) => (knownAt > last ? knownAt : last), "")
  return atomOf({
    id: idOf(absolute(instanceKey(endpoint.path, list))),
    title: `${endpoint.of.summary}: changes${endpoint.of.changes.length > 1 ? ` of ${reply.feed}` : ""}`,
    author: sourceOf("data"),
    updated: latest === "" ? new Date(nowMs).toISOString() : latest,
    links: [
      link("self", instanceKey(endpoint.path, parameters)),
      link("alternate", feedPagePath(endpoint.of), "text/html"),
      ...(reply.next === null ? [] : [link("next", reply.next)]),
    ],
    entries: reply.changes.map((change) => entryOf(endpoint, change, absolute)),
  })
}
