import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { closest } from "fastest-levenshtein"
import { v7 } from "uuid"
import { PURGE_WRITER } from "../../processors/purges/purge-list.ts"
import { readInstant } from "../../schemas/contract/parameters.ts"
import { hasPast } from "../../schemas/contract/past.ts"
import { encodeEvent, instant, makeEvent } from "../../schemas/event.ts"
import { pastPurged } from "../../schemas/events/versions.ts"
import { OperatorWords } from "../../schemas/operator-words.ts"
import { endpoints, feeds } from "../../schemas/registry.ts"
import { type Arguments, DONE, WrongUsage } from "./arguments.ts"
import { type Command, runWithSettings } from "./command.ts"
import { type FeedPurge, openLogToPurge, purgeFeed } from "./purge-feed.ts"

type Given = Arguments<Record<"feed" | "key" | "from" | "to" | "operator" | "reason", { readonly type: "string" }>>

/** The instant of an option; null where it is not given. */
const instantIn = ({ values }: Given, name: "from" | "to"): string | null => {
  const text = values[name]
  if (text === undefined) return null
  const at = readInstant(text)
  if (at === null) throw new WrongUsage(`--${name} must be an instant with its zone, as 2026-11-20T05:00:00Z`)
  return at
}

/** Fails unless an interval is one, and of the past. */
const requireInterval = (from: string, to: string, nowMs: number): void => {
  if (from >= to) throw new WrongUsage("--from must be before --to")
  if (Date.parse(to) > nowMs)
    throw new WrongUsage("--to has not come yet: what is served from now on is not of the past")
}

const WORDS = "--operator NAME and --reason TEXT must say who does it and why, in 500 characters each at most"

const wordsIn = ({ values: { operator = "", reason = "" } }: Given) => ({
  operator: operator.trim(),
  reason: reason.trim(),
})

/** What the arguments ask for of an endpoint. Throws `WrongUsage` where they cannot be meant. */
const purgeOfPath = (given: Given, path: string, nowMs: number): typeof pastPurged.data.Type => {
  const withPast = endpoints.filter(hasPast).map((endpoint) => endpoint.path)
  if (!withPast.includes(path))
    throw new WrongUsage(`no past is kept of ${path}; the nearest is ${closest(path, withPast)}`)
  const [from, to] = (["from", "to"] as const).map((name) => instantIn(given, name))
  if (from == null || to == null)
    throw new WrongUsage(`--${from == null ? "from" : "to"} must be an instant with its zone, as 2026-11-20T05:00:00Z`)
  requireInterval(from, to, nowMs)
  const data = { path, from, to, ...wordsIn(given) }
  if (!Schema.is(pastPurged.data)(data)) throw new WrongUsage(WORDS)
  return data
}

const BEGIN = instant(0)

/** What the arguments ask for of a feed. Throws `WrongUsage` where they cannot be meant. */
const purgeOfFeed = (given: Given, feed: string, nowMs: number): FeedPurge => {
  const { key } = given.values
  const known = feeds.get(feed)
  if (known === undefined)
    throw new WrongUsage(`there is no feed ${feed}; the nearest is ${closest(feed, [...feeds.keys()])}`)
  if (key === "") throw new WrongUsage("--key must be the key of an item, as /api/changes and histories state it")
  const from = instantIn(given, "from") ?? BEGIN
  const to = instantIn(given, "to") ?? instant(nowMs)
  requireInterval(from, to, nowMs)
  const words = wordsIn(given)
  if (!Schema.is(OperatorWords)(words)) throw new WrongUsage(WORDS)
  return { feed: known, key: key ?? null, from, to, ...words }
}

const purgePath =
  (data: typeof pastPurged.data.Type): Command =>
  (settings) =>
    Effect.gen(function* () {
      const log = yield* openLogToPurge(settings)
      const writer = yield* log.claim(PURGE_WRITER, [pastPurged.topic])
      const event = makeEvent(pastPurged, {
        id: v7(),
        source: "tidewire/operator",
        subject: data.path,
        time: instant(Date.now()),
        data,
      })
      yield* writer.commit([{ topic: pastPurged.topic, key: PURGE_WRITER, value: encodeEvent(event) }])
      process.stdout.write(
        `${data.path} from ${data.from} to ${data.to} answers withdrawn once the history has this entry, ${event.id}\n`,
      )
      return DONE
    })

const commandOf = (given: Given, nowMs: number): Command => {
  const [path] = given.positionals
  const { feed, key } = given.values
  if ((path === undefined) === (feed === undefined))
    throw new WrongUsage("name either the PATH of an endpoint or --feed FEED, and not both")
  if (path !== undefined && key !== undefined) throw new WrongUsage("--key names an item of --feed FEED")
  return path === undefined
    ? purgeFeed(purgeOfFeed(given, feed ?? "", nowMs))
    : purgePath(purgeOfPath(given, path, nowMs))
}

/** Takes past replies, or what was known of a feed, out of what is shown. */
export const run = (given: Given): Promise<number> => runWithSettings(commandOf(given, Date.now()))
