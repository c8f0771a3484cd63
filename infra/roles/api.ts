import { randomUUID } from "node:crypto"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import type pino from "pino"
import { changingFeeds, makeReady } from "../../api/changes/filter.ts"
import { type ChangesSource, followChanges } from "../../api/changes/follower.ts"
import { ChangeWindow } from "../../api/changes/window.ts"
import { AccessLog, Traffic } from "../../api/http/traffic.ts"
import type { PastSource } from "../../api/past/known-view.ts"
import type { Billing } from "../../api/routes/route.ts"
import { buildApi, closeApi } from "../../api/server.ts"
import { reportUsage } from "../../api/usage.ts"
import { followViews } from "../../api/views/follower.ts"
import { ViewStore } from "../../api/views/store.ts"
import type { SourceFacts } from "../../ingestors/registry.ts"
import { archivedChanges } from "../../processors/changes/archived-changes.ts"
import { makeChangeLog } from "../../processors/changes/change-log.ts"
import { itemHistory } from "../../processors/changes/item-history.ts"
import type { StatingRules } from "../../processors/changes/stated.ts"
import { pastViews } from "../../processors/past/past-views.ts"
import { pastProcessors } from "../../processors/past/processors.ts"
import type { ItemPurge } from "../../processors/purges/item-purge.ts"
import { makePurgeList, type PurgeList } from "../../processors/purges/purge-list.ts"
import type { AttributionEntry } from "../../schemas/contract/provenance.ts"
import { instanceKey } from "../../schemas/feed.ts"
import type { Demand } from "../../schemas/ports/demand.ts"
import type { EventLog, ReadFailed } from "../../schemas/ports/event-log.ts"
import type { History } from "../../schemas/ports/history.ts"
import type { ItemHistory } from "../../schemas/ports/item-history.ts"
import type { Purge } from "../../schemas/ports/past.ts"
import type { Settings } from "../config/settings.ts"
import type { PartReport, Status } from "../parts/part.ts"
import { supervise } from "../parts/part.ts"
import { originOf } from "../telemetry/logger.ts"
import { VERSION } from "../telemetry/metrics.ts"
import { licensingOf, modelsClosedOf, usedSources, withheldOf, withheldText } from "./licensing.ts"
import { heldEndpoints, type Offering, offeringOf, readsHistory } from "./offering.ts"
import { apiPort, type ListenFailed, listen } from "./ports.ts"
import { makeProvenance, tableDictionary } from "./provenance.ts"

/** The attribution of each endpoint: of the sources that fill the feeds which its view reads. */
const attributionOf = (
  views: Offering["views"],
  sources: ReadonlyArray<SourceFacts>,
): ReadonlyMap<string, ReadonlyArray<AttributionEntry>> =>
  new Map(
    views.map(({ endpoint, reads }) => {
      const feeds = new Set(Object.values(reads).map(({ feed }) => feed.name))
      const entries = sources
        .filter(({ feed }) => feeds.has(feed))
        .map(({ attribution, terms: { credit } }) => ({
          ...attribution,
          ...(credit === null ? {} : { credit }),
        }))
      return [endpoint.path, entries]
    }),
  )

/** The public address without a trailing slash; null where it is not known. */
export const baseUrlOf = ({ publicUrl }: Settings): string | null => publicUrl?.replace(/\/$/, "") ?? null

/** How long running requests may take to end when the process stops, in milliseconds. */
const DRAIN_MS = 2_500

/** An API that is ready to listen while it reads its views. */
export interface PreparedApi {
  /** Whether it serves the views and the changes that the log holds at that moment, as they are at that moment. */
  readonly isCaughtUp: Effect.Effect<boolean, ReadFailed>
  /** Listens for the scope; succeeds with the address. */
  readonly listen: Effect.Effect<string, ListenFailed, Scope.Scope>
}

/** How often a store without data is checked. */
const FILLED_EVERY = "100 millis"

/** Keys of views of feeds. The first one with data shows that a feed has been fetched. */
const fedKeysOf = (views: Offering["views"]): ReadonlyArray<string> =>
  views.flatMap((view) =>
    (view._tag === "View" ? view.instances : []).map((parameters) => instanceKey(view.endpoint.path, parameters)),
  )

/** Reports whether any feed was ever fetched; until then, replies have no data. */
const watchFilled = (store: ViewStore, fedKeys: ReadonlyArray<string>, status: Status): Effect.Effect<void> => {
  const data = status.part("api", "data", { optional: () => true })
  data.set({ state: "waiting", reason: "data: no feed was fetched yet, and every reply is without data" })
  return Effect.suspend(() => (store.holdsAny(fedKeys) ? Effect.void : Effect.fail("not yet"))).pipe(
    Effect.retry(Schedule.spaced(FILLED_EVERY)),
    Effect.ignore,
    Effect.andThen(Effect.sync(() => data.set({ state: "active" }))),
  )
}

/** How many stopped views `/readyz` names. */
const STOPPED_NAMED_MAX = 3

/** The views that have stopped, in one sentence; null where there is none. */
const stoppedText = (views: ReadonlyMap<string, string>): string | null => {
  if (views.size === 0) return null
  const named = [...views].slice(0, STOPPED_NAMED_MAX).map(([view, problem]) => `${view} (${problem})`)
  const others = views.size > named.length ? ` and ${views.size - named.length} others` : ""
  return `served as they were until the fold writes them anew: ${named.join(", ")}${others}`
}

/** Follows the views. Views that were read are served even if the log fails. */
const followingViews = (
  log: EventLog,
  store: ViewStore,
  status: Status,
  judgedMs: () => number,
): Effect.Effect<never> => {
  const part = status.part("api", "views", { optional: () => store.caughtUp && store.halted === null })
  const halted = (reason: string) => Effect.sync(() => part.set({ state: "stopped", reason }))
  const stopped = (views: ReadonlyMap<string, string>) =>
    Effect.sync(() => part.hinder("stopped views", stoppedText(views)))
  return supervise("views", part, (ready) => followViews(log, store, judgedMs, { caughtUp: ready, halted, stopped }))
}

/** Bounds of the recent changes in memory: a few hours of all feeds. */
export const WINDOW_BOUNDS = { changesMax: 16_384, bytesMax: 16 * 1024 * 1024 }

/**
 * The names under which providers are credited, by feed and provider. As in replies: what came from a source that is off, or
 * whose provider does not consent, is not shown.
 */
const shownNames = (sources: ReadonlyArray<SourceFacts>): ReadonlyMap<string, string> =>
  new Map(
    sources.flatMap(({ feed, providers, attribution, terms }) =>
      providers.map((provider) => [`${feed} ${provider}`, terms.credit ?? attribution.provider] as const),
    ),
  )

/** How the changes of the offered endpoints' items are stated, from these sources. */
const statingRules = (
  { views }: Offering,
  sources: ReadonlyArray<SourceFacts>,
  { covers, coversBefore, coversUntilGone }: PurgeList,
): StatingRules => {
  const names = shownNames(sources)
  const credits = new Map([...names].map(([key, name]) => [key.slice(key.indexOf(" ") + 1), name]))
  return {
    views: views.filter((view) => view._tag === "View"),
    isShown: (feed, provider) => names.has(`${feed} ${provider}`),
    isPurged: covers,
    isPurgedBefore: coversBefore,
    isPurgedUntilGone: coversUntilGone,
    creditOf: (provider) => credits.get(provider) ?? provider,
  }
}

/** The changes of the offered endpoints' items: those of the log, and the older ones of the history. */
const changesOf = (
  log: EventLog,
  { endpoints }: Offering,
  rules: StatingRules,
  history: History | null,
): ChangesSource => ({
  log: makeChangeLog({ log, archive: history === null ? null : archivedChanges(history), ...rules }),
  window: new ChangeWindow(makeReady(changingFeeds(endpoints)), {
    ...WINDOW_BOUNDS,
    isPurged: ({ feed, key, known_at }) => rules.isPurged(feed, key, known_at),
    isPurgedBefore: ({ feed, key, known_at }) => rules.isPurgedBefore?.(feed, key, known_at) === true,
    isPurgedUntilGone: ({ feed, key, known_at }) => rules.isPurgedUntilGone?.(feed, key, known_at) === true,
  }),
})

/** How the names of sources begin that are this service itself, as its monitor. */
const OWN_SOURCES = "Tidewire."

/** The past replies that a purge of a feed withdraws. */
const withdrawnBy = ({ shown }: ItemPurge): ReadonlyArray<Purge> =>
  shown.flatMap(({ paths, fromMs, toMs }) => [...paths].map((path) => ({ path, fromMs, toMs })))

/** The past of the views; null without a history. */
const pastOf = (
  sources: ReadonlyArray<SourceFacts>,
  credits: ReadonlyMap<string, string>,
  history: History | null,
  purges: PurgeList,
): PastSource | null => {
  if (history === null) return null
  const views = pastViews(history, pastProcessors)
  const ofFeeds = Effect.map(purges.known, () => purges.all().flatMap(withdrawnBy))
  const shown = new Set(sources.flatMap(({ providers }) => providers))
  const isOwn = (provider: string) => provider.startsWith(OWN_SOURCES)
  const isShown = (provider: string) => isOwn(provider) || shown.has(provider)
  const all = Effect.map(Effect.all([views.purges, ofFeeds]), (lists) => lists.flat())
  return { views: { ...views, purges: all }, isShown, purgesOfFeeds: () => purges.all().length, credits }
}

/** An embedded history answers a few seconds after the start. */
const HISTORY_WAIT = Schedule.max([Schedule.spaced("500 millis"), Schedule.recurs(60)])

/** Follows what operators take out of the past of feeds. Until it is known, nothing is shown that may be among it. */
const followingPurges = (purges: PurgeList, window: ChangeWindow, status: Status): Effect.Effect<never> => {
  const part = status.part("api", "purges", { optional: () => true })
  return supervise("purges", part, (ready) => {
    const run = purges.follow(() => window.dropPurged())
    return Effect.raceFirst(run, Effect.andThen(Effect.andThen(purges.known, ready), Effect.never))
  })
}

/** The changes of items by event time, once it is known what of them was taken out. */
const itemHistoryOf = (history: History, rules: StatingRules, purges: PurgeList): ItemHistory => {
  const changes = itemHistory({ history, ...rules })
  return { ...changes, page: (...asked) => Effect.andThen(purges.known, changes.page(...asked)) }
}

/** Follows the changes. Everything else is served without them. */
const followingChanges = ({ log, window }: ChangesSource, purges: PurgeList, status: Status): Effect.Effect<never> => {
  const part = status.part("api", "changes", { optional: () => true })
  return supervise("changes", part, (ready) =>
    Effect.andThen(purges.known, followChanges(log, window, ready)).pipe(
      Effect.retry({
        schedule: HISTORY_WAIT,
        while: ({ _tag }) => !window.isFilled && (_tag === "HistoryUnavailable" || _tag === "HistoryRefused"),
      }),
    ),
  )
}

/** Whether the views and changes of the log are served. Where no log can name its last change, there is none to wait for. */
const isServed = (
  log: EventLog,
  store: ViewStore,
  changes: ChangesSource,
  judgedMs: () => number,
): Effect.Effect<boolean, ReadFailed> =>
  Effect.gen(function* () {
    if (store.halted === null && (store.nextOffset ?? -1) < (yield* log.end("views"))) return false
    const last = yield* Effect.orElseSucceed(changes.log.last, () => null)
    const { window } = changes
    if (last !== null && (window.log !== last.log || window.reached < last.ordinal)) return false
    store.advance(judgedMs())
    yield* Effect.promise(() => store.settled())
    return true
  })

/** What the API of a process is made of. */
export interface ApiParts {
  readonly settings: Settings
  readonly log: EventLog
  readonly status: Status
  readonly demand: Demand | null
  readonly billing: Billing | null
  /** Null without one: the log alone is read, and there is no past. */
  readonly history: History | null
  readonly logger: pino.Logger
  /** The facts of every source, once they are known. */
  readonly sources: Effect.Effect<ReadonlyArray<SourceFacts>>
  /** The states of all parts of the process; those of `status` unless given. */
  readonly reports?: () => ReadonlyArray<PartReport>
  /**
   * The instant of a replay, in milliseconds since the epoch: replies are judged at it, say so in a header, and no call is
   * counted in the log. Null, or absent: replies are those of now.
   */
  readonly standsAtMs?: number | null
}

/** Limits of a service whose clock stands: a share of a minute would never be filled again. */
const STANDING_LIMITS = { selectionsPerMinute: Number.MAX_SAFE_INTEGER, renditionsPerMinute: Number.MAX_SAFE_INTEGER }

/** Makes the API for the scope. It follows the topic `views` and serves from memory. */
export const prepareApi = ({
  settings,
  log,
  status,
  demand,
  billing,
  history,
  logger,
  sources: sourcesKnown,
  reports = status.reports,
  standsAtMs = null,
}: ApiParts): Effect.Effect<PreparedApi, never, Scope.Scope> =>
  Effect.gen(function* () {
    const nowMs = Date.now
    const judgedMs = standsAtMs === null ? nowMs : () => standsAtMs
    const offering = offeringOf(settings)
    const keepsHistory = history !== null
    const { notOffered, views } = offering
    const endpoints = offering.endpoints.filter((one) => keepsHistory || !readsHistory(one))
    const credits = new Map<string, string>()
    const store = new ViewStore({ endpoints: heldEndpoints(endpoints), nowMs: judgedMs, credits })
    const traffic = new Traffic()
    const accessLog = logger.isLevelEnabled("info")
      ? new AccessLog((lines) => process.stdout.write(lines), nowMs, originOf(logger))
      : null
    if (accessLog !== null) yield* Effect.addFinalizer(() => Effect.sync(() => accessLog.close()))

    if (standsAtMs === null) yield* Effect.forkScoped(reportUsage({ log, traffic, instance: randomUUID(), nowMs }))
    const sources = usedSources(yield* sourcesKnown, settings)
    for (const { providers, terms } of sources)
      for (const name of terms.credit === null ? [] : providers) credits.set(name, terms.credit ?? name)
    // After the credit lines are known, as replies contain them.
    yield* Effect.forkScoped(followingViews(log, store, status, judgedMs))
    const fedKeys = fedKeysOf(views)
    if (fedKeys.length > 0) yield* Effect.forkScoped(watchFilled(store, fedKeys, status))

    const purges = makePurgeList(log)
    const rules = statingRules(offering, sources, purges)
    const changes = changesOf(log, offering, rules, history)
    yield* Effect.forkScoped(followingPurges(purges, changes.window, status))
    yield* Effect.forkScoped(followingChanges(changes, purges, status))

    const licensing = licensingOf(settings)
    const withheld = withheldOf(views, sources, licensing)
    if (withheld.size > 0) yield* Effect.logInfo(withheldText(views, sources, licensing))

    const app = yield* Effect.promise(() =>
      buildApi({
        endpoints,
        notOffered,
        notConfigured: offering.endpoints.filter((one) => !keepsHistory && readsHistory(one)),
        keepsHistory,
        store,
        // From the settings, so that pages say so before the simulated world has answered.
        simulated: settings.upstreams !== null,
        demand,
        changes,
        // A replay has one instant.
        past: standsAtMs === null ? pastOf(sources, credits, history, purges) : null,
        itemHistory: standsAtMs === null && history !== null ? itemHistoryOf(history, rules, purges) : null,
        billing,
        traffic,
        version: VERSION,
        startedAtMs: nowMs(),
        nowMs,
        ...(standsAtMs === null ? {} : { judgedMs }),
        limits: {
          ...(standsAtMs === null ? {} : STANDING_LIMITS),
          requestsPerDay: settings.requestsPerDay,
          tokenRequestsPerMinute: settings.tokenRequestsPerMinute,
        },
        trustedProxies: settings.trustedProxies ?? [],
        baseUrl: baseUrlOf(settings),
        attribution: attributionOf(views, sources),
        provenance: makeProvenance(views, sources, keepsHistory),
        tables: tableDictionary,
        securityContact: settings.securityContact,
        withheld,
        modelsClosed: modelsClosedOf(views, sources),
        parts: reports,
        logger,
        accessLog,
      }),
    )
    if (standsAtMs !== null) {
      const instant = new Date(standsAtMs).toUTCString()
      app.server.prependListener("request", (_, response) => void response.setHeader("Memento-Datetime", instant))
    }
    const isCaughtUp = isServed(log, store, changes, judgedMs)
    return { isCaughtUp, listen: listen(app, apiPort(settings), (one) => closeApi(one, DRAIN_MS)) }
  })
