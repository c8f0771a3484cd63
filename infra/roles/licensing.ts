import { closest } from "fastest-levenshtein"
import type { RestCheck } from "../../ingestors/poll/plan.ts"
import type { SourceFacts } from "../../ingestors/registry.ts"
import { ALL_SOURCES, isConsented, type Licensing, mayPoll, maySell } from "../../ingestors/terms.ts"
import type { FoldedView, Input, View } from "../../processors/view/view.ts"
import type { ModelsClosedByPath, WithheldByPath } from "../../schemas/contract/provenance.ts"
import { moduleNames } from "../../schemas/directory.ts"
import { proAgentContextEndpoint } from "../../schemas/endpoints/pro-agent-context.ts"
import { instanceKey } from "../../schemas/feed.ts"
import { settingTable } from "../config/setting-table.ts"
import type { Settings } from "../config/settings.ts"

type TermsSettings = Pick<Settings, "walletAddress" | "restrictedSources" | "resaleSources" | "sourcesOff">

/** A view with the inputs that it reads, and its instances where it has several. */
type ReadingView = Pick<View, "endpoint" | "reads"> & Partial<Pick<View, "instances">>

/** What the settings say about the terms of sources. The service sells credits where it has a wallet. */
export const licensingOf = ({
  walletAddress,
  restrictedSources,
  resaleSources,
}: Omit<TermsSettings, "sourcesOff">): Licensing => ({
  isSelling: walletAddress !== null,
  restrictedSources: restrictedSources ?? [],
  resaleSources: resaleSources ?? [],
})

/** Makes the check of what the settings leave unpolled: sources that are off, and those whose terms forbid it. */
export const restedBy = (settings: Omit<TermsSettings, "resaleSources">): RestCheck => {
  const licensing = licensingOf({ ...settings, resaleSources: null })
  return (source, terms) => {
    if (settings.sourcesOff?.includes(source))
      return { reason: "not_configured", setting: settingTable.sourcesOff.name }
    return mayPoll(licensing, source, terms)
      ? null
      : { reason: "not_licensed", setting: settingTable.restrictedSources.name }
  }
}

/**
 * The sources that can have filled a feed here: all but those that are off, and those without their provider's consent. One
 * that only rests while credits are sold is among them, as what it brought before may still be served.
 */
export const usedSources = (
  sources: ReadonlyArray<SourceFacts>,
  settings: Pick<TermsSettings, "restrictedSources" | "sourcesOff">,
): ReadonlyArray<SourceFacts> => {
  const restrictedSources = settings.restrictedSources ?? []
  return sources.filter(
    ({ name, terms }) => !settings.sourcesOff?.includes(name) && isConsented({ restrictedSources }, name, terms),
  )
}

/** The names of all sources, which are those of their files. */
export const sourceNames = (): ReadonlyArray<string> =>
  moduleNames(new URL("../../ingestors/sources/", import.meta.url))

/** The names in these settings that are no source, each as a sentence that gives the nearest one. */
export const wrongSourceNames = (
  settings: Pick<TermsSettings, "restrictedSources" | "resaleSources" | "sourcesOff">,
  known: ReadonlyArray<string>,
): ReadonlyArray<string> =>
  (["restrictedSources", "resaleSources", "sourcesOff"] as const).flatMap((key) =>
    (settings[key] ?? [])
      .filter((name) => !known.includes(name) && (name !== ALL_SOURCES || key === "sourcesOff"))
      .map(
        (name) => `${settingTable[key].name}: there is no source ${name}; the nearest is ${closest(name, [...known])}`,
      ),
  )

/** The instances that an input reads, whatever the parameters of its view. */
const instancesOf = ({ instances = [{}] }: ReadingView, { feed, instances: read }: Input): ReadonlyArray<string> =>
  instances.flatMap((parameters) => read(parameters).map((one) => instanceKey(feed.name, one)))

/** The sources that fill an instance which the input reads. */
const sourcesOfInput = (
  view: ReadingView,
  input: Input,
  sources: ReadonlyArray<SourceFacts>,
): ReadonlyArray<SourceFacts> => {
  const read = new Set(instancesOf(view, input))
  return sources.filter(({ feed, instances }) => feed === input.feed.name && instances.some((one) => read.has(one)))
}

/** Whether a source forbids what is made of it here: the sale, or the use with language models where that is the purpose. */
const isWithheld = ({ endpoint }: ReadingView, { name, terms }: SourceFacts, licensing: Licensing): boolean =>
  !maySell(licensing, name, terms) || (endpoint === proAgentContextEndpoint && terms.models.answer === "no")

/** The inputs of a premium view that are withheld, each with the sources that cause it. */
const withheldInputs = (
  view: ReadingView,
  sources: ReadonlyArray<SourceFacts>,
  licensing: Licensing,
): ReadonlyArray<{ readonly name: string; readonly feed: string; readonly causes: ReadonlyArray<string> }> =>
  view.endpoint.tier !== "premium"
    ? []
    : Object.entries(view.reads).flatMap(([name, input]) => {
        const causes = sourcesOfInput(view, input, sources).filter((source) => isWithheld(view, source, licensing))
        return causes.length === 0 ? [] : [{ name, feed: input.feed.name, causes: causes.map((one) => one.name) }]
      })

/**
 * The inputs of premium views that are withheld. One source that may not be sold withholds what it fills, whichever source
 * filled it last: fallbacks change by the minute, and a series mixes them. The terms without a key count, as an API process
 * has no keys: an operator whose key brings other terms names the source in `RESALE_SOURCES`.
 */
export const withheldOf = (
  views: ReadonlyArray<ReadingView | FoldedView>,
  sources: ReadonlyArray<SourceFacts>,
  licensing: Licensing,
): WithheldByPath =>
  new Map(
    views.flatMap((view) => {
      const withheld = withheldInputs(view, sources, licensing)
      if (withheld.length === 0) return []
      const feeds = new Set(withheld.map(({ feed }) => feed))
      return [
        [view.endpoint.path, { inputs: new Set(withheld.map(({ name }) => name)), feeds: [...feeds].sort() }] as const,
      ]
    }),
  )

/** The log line about withheld data: its feeds, the sources that cause it, and the endpoints that lack it. */
export const withheldText = (
  views: ReadonlyArray<ReadingView | FoldedView>,
  sources: ReadonlyArray<SourceFacts>,
  licensing: Licensing,
): string => {
  const rows = views.flatMap((view) =>
    withheldInputs(view, sources, licensing).map((one) => ({ ...one, path: view.endpoint.path })),
  )
  const byFeed = [...Map.groupBy(rows, ({ feed }) => feed)].sort(([one], [other]) => (one < other ? -1 : 1))
  const parts = byFeed.map(([feed, of]) => {
    const causes = [...new Set(of.flatMap((one) => one.causes))].sort()
    const paths = [...new Set(of.map(({ path }) => path))].sort()
    return `${feed} (${causes.join(", ")}) from ${paths.join(", ")}`
  })
  return `not_licensed, withheld from premium replies: ${parts.join("; ")} (their terms are not known to allow it; ${settingTable.resaleSources.name} names those that you may sell)`
}

/** The names in `_meta.sources`, by path, of the sources whose data may not be given to language models. */
export const modelsClosedOf = (
  views: ReadonlyArray<ReadingView | FoldedView>,
  sources: ReadonlyArray<SourceFacts>,
): ModelsClosedByPath => {
  const closed = sources.filter(({ terms }) => terms.models.answer === "no")
  return new Map(
    views.flatMap((view) => {
      // This endpoint is made for language models: `isWithheld` withholds such inputs from it.
      if (view.endpoint === proAgentContextEndpoint) return []
      const of = Object.values(view.reads).flatMap((input) =>
        // Instances on demand are not among those of the schedule.
        view.endpoint.kind === "on-demand"
          ? closed.filter(({ feed }) => feed === input.feed.name)
          : sourcesOfInput(view, input, closed),
      )
      return of.length === 0 ? [] : [[view.endpoint.path, new Set(of.flatMap(({ providers }) => providers))] as const]
    }),
  )
}
