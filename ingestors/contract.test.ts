import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { isTagged, loadDirectory } from "../schemas/directory.ts"
import { instanceKey, type Parameters, parseInstanceKey } from "../schemas/feed.ts"
import { canonicalJson } from "../schemas/json.ts"
import { feeds } from "../schemas/registry.ts"
import {
  type Capture,
  type DecodedCaptures,
  decodedCapturesOf,
  instanceOfCapture,
  judgeCapture,
  listCaptures,
  loadRecordedDocuments,
  recordedUpstream,
  sourcesRecordedIn,
  withRecordedDocuments,
} from "./captures.ts"
import { type CollectFailed, type Upstream, UpstreamError } from "./document.ts"
import { type Instance, makePlan } from "./poll/plan.ts"
import { PAYLOAD_MAX_BYTES, readCollected } from "./poll/poll.ts"
import { providerKeys, providers } from "./providers.ts"
import { sources } from "./registry.ts"
import type { Source } from "./source.ts"
import { foreignAnswers, HOSTILE_TEXT, spoiledDocuments, spoilOne } from "./testing/spoil.ts"

const directory = process.env.CAPTURES_DIR ?? fileURLToPath(new URL("../../shared/upstreams", import.meta.url))
const OBSERVED_AT_MS = Date.parse("2026-11-21T10:00:00Z")
const TEXT_LENGTH_MAX = 10_000
const HIDDEN = /[\p{Cc}\p{Bidi_Control}\u200b\ufeff\ufff9-\ufffb]/u

const files = await loadDirectory(new URL("sources/", import.meta.url))

describe.each(files)("$name", ({ name, exports }) => {
  const found = exports.filter(isTagged<Source>("Source"))
  const [source] = found
  if (source === undefined || found.length > 1) {
    it("exports one source", () => expect(found).toHaveLength(1))
    return
  }

  it("is named as its file", () => {
    expect(source.name).toBe(name)
    expect(name).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/)
  })
  it("fills a declared feed", () => expect(feeds.get(source.fills.name)).toBe(source.fills))
  it("polls distinct instances, each by a provider with a name that can be shown, and not too often", () => {
    const keys = source.instances.map((parameters) => instanceKey(source.fills.name, parameters))
    expect(new Set(keys).size).toBe(keys.length)
    expect(keys.length).toBeGreaterThan(0)
    for (const parameters of source.instances) {
      expect(parseInstanceKey(instanceKey("x", parameters)).parameters).toEqual(parameters)
      expect(source.provider(parameters)).toMatch(/^[A-Za-z0-9]+\.[a-z0-9_]+$/)
      expect(source.everyMs(parameters)).toBeGreaterThanOrEqual(10_000)
    }
  })
  it("says whose the data is, and under which licence", () => {
    expect(source.attribution.provider).not.toBe("")
    expect(source.attribution.licence).not.toBe("")
    expect(source.attribution.url).toMatch(/^https?:\/\//)
  })
  it("says on which terms, with its key and without", () => {
    for (const terms of [source.terms, ...(source.key?.terms === undefined ? [] : [source.key.terms])])
      expect(terms.url).toMatch(/^https?:\/\//)
    // What is in the public domain or under CC BY may be sold.
    if (source.terms.use === "open") expect(source.terms.sold.answer).toBe("yes")
  })
  it("is accessed as a declared provider, and sends its key over https alone", async () => {
    if (source.access === null) return
    expect(providers).toContain(source.access)
    if (source.key === null) return
    const urls: Array<string> = []
    const none = new UpstreamError({ message: "only the address is looked at" })
    const upstream: Upstream = {
      fetch: (document, input) => {
        urls.push(document.url(input))
        return Effect.fail(none as never)
      },
      probe: () => Effect.fail(none as never),
    }
    const [parameters = {}] = source.instances
    await Effect.runPromiseExit(source.collect(upstream, { parameters, observedAtMs: OBSERVED_AT_MS, key: "key" }))
    expect(urls.length).toBeGreaterThan(0)
    for (const url of urls) expect(url).toMatch(/^https:/)
  })
  it("has a budget where it is fetched on request", () => {
    if (source.onDemand === null) return
    expect(source.onDemand.perMinuteMax).toBeGreaterThan(0)
    expect(source.onDemand.perDayMax).toBeGreaterThanOrEqual(source.onDemand.perMinuteMax)
  })
})

describe("providers", () => {
  it("are each named as their file, once, and used by a source", () => {
    expect(new Set(providers.map(({ name }) => name)).size).toBe(providers.length)
    for (const { name, hosts, pace } of providers) {
      expect(existsSync(new URL(`providers/${name}.ts`, import.meta.url))).toBe(true)
      expect(sources.some(({ access }) => access?.name === name)).toBe(true)
      // A pace without hosts would be of nothing.
      expect(pace === null).toBe(hosts.length === 0)
    }
  })
  it("name their keys as settings, each once, and say where there is one", () => {
    expect(new Set(providerKeys.map(({ setting }) => setting)).size).toBe(providerKeys.length)
    for (const { setting, description, signupUrl } of providerKeys) {
      expect(setting).toMatch(/^[A-Z][A-Z0-9_]*$/)
      expect(description).not.toBe("")
      expect(signupUrl).toMatch(/^https:\/\//)
    }
  })
})

it("no two sources of an instance have the same rank", () => {
  const claims = sources.flatMap((source) =>
    source.instances.map((parameters) => `${instanceKey(source.fills.name, parameters)} rank ${source.rank}`),
  )
  expect(claims.filter((claim, index) => claims.indexOf(claim) !== index)).toEqual([])
})

const instanceOf = (source: Source, parameters: Parameters | null): Instance => {
  const instances = parameters === null ? source.instances : [parameters]
  const [instance] = makePlan([{ ...source, instances }], () => "key", null).scheduled
  if (instance === undefined) throw new Error("the source polls nothing")
  return instance
}

const strings = (value: unknown): ReadonlyArray<string> => {
  if (typeof value === "string") return [value]
  if (Array.isArray(value)) return value.flatMap(strings)
  return typeof value === "object" && value !== null
    ? Object.entries(value).flatMap(([key, one]) => [key, ...strings(one)])
    : []
}

/**
 * Collects and normalises what the upstream gives, and holds the source to its promises: typed failures only, web
 * addresses only, and payloads within the feed's schema and bounds. Gives null where nothing came of it, for a reason.
 */
const hold = async (source: Source, wires: DecodedCaptures, parameters: Parameters | null = null): Promise<unknown> => {
  const instance = instanceOf(source, parameters)
  const { upstream, urls } = recordedUpstream(wires)
  const exit: Exit.Exit<unknown, CollectFailed> = await Effect.runPromiseExit(
    Effect.suspend(() =>
      source.collect(upstream, { parameters: instance.parameters, observedAtMs: OBSERVED_AT_MS, key: "key" }),
    ),
  )
  for (const url of urls) expect(url).toMatch(/^https?:\/\/[a-z0-9.-]+\//)
  if (Exit.isFailure(exit)) {
    expect(Option.getOrNull(Exit.findErrorOption(exit))?._tag, "a failure of a known kind").toMatch(
      /^(HttpFailed|Undecodable|UpstreamError)$/,
    )
    return null
  }
  const { outcome } = readCollected(instance, instance.candidates[0], exit.value, OBSERVED_AT_MS)
  if (outcome._tag === "Failure") {
    expect(outcome.bug).toBeNull()
    return null
  }
  expect(outcome.payloadBytes).toBeLessThanOrEqual(PAYLOAD_MAX_BYTES)
  expect(
    Result.isSuccess(Schema.decodeUnknownResult(source.fills.payload)(JSON.parse(canonicalJson(outcome.payload)))),
  ).toBe(true)
  const unclean = strings(outcome.payload).filter(
    (text) => HIDDEN.test(text) || !text.isWellFormed() || text.length > TEXT_LENGTH_MAX,
  )
  expect(unclean.map((text) => text.slice(0, 200))).toEqual([])
  const keys = source.fills.items(outcome.payload).map((item) => source.fills.key(item))
  expect(keys.length - new Set(keys).size, "items with the key of another").toBe(0)
  expect(keys.every((key) => key !== "")).toBe(true)
  return outcome.payload
}

/**
 * The wires of a source's captures with one document replaced by a spoiled one, where any document accepts that, and the
 * instance that it is of.
 */
const replaced = (
  source: Source,
  wires: DecodedCaptures,
  capture: Capture,
): ReadonlyArray<{ readonly wires: DecodedCaptures; readonly parameters: Parameters }> =>
  judgeCapture(source, capture).decoded.flatMap(({ document: name, wire }) => {
    const document = source.documents[name]
    const parameters = instanceOfCapture(source, capture.file, wire)
    return document === undefined ? [] : [{ wires: new Map([...wires, [document, [wire]]]), parameters }]
  })

if (!existsSync(directory)) {
  it(`recorded answers: none at ${directory} (CAPTURES_DIR)`, (context) =>
    context.skip(`no recorded answers at ${directory}; set CAPTURES_DIR`))
} else {
  const recorded = await loadRecordedDocuments(new URL("../test/captures/", import.meta.url))
  it("recorded documents are those of declared sources, and of none that the source requests", () => {
    expect(recorded.length).toBeGreaterThan(0)
    for (const { source: name, documents } of recorded) {
      const source = sources.find((one) => one.name === name)
      expect(source, name).toBeDefined()
      for (const document of Object.keys(documents)) expect(source?.documents[document], document).toBeUndefined()
    }
  })
  const withRecorded = withRecordedDocuments(sources, recorded)
  const built = listCaptures(directory).flatMap((folder) => {
    const captures = folder.files.map(folder.read)
    const together = sourcesRecordedIn(folder.name, withRecorded)
    return together.map((source) => ({ name: source.name, source, together, captures }))
  })

  describe.each(built)("recorded answers of $name", ({ source, together, captures }) => {
    const judged = captures.map((capture) => ({ capture, verdict: judgeCapture(source, capture) }))
    const wires = decodedCapturesOf(
      source,
      judged.map(({ verdict }) => verdict),
    )

    it("are each accepted by a document of a source that is recorded there", () => {
      for (const { capture, verdict } of judged)
        if (!verdict.isRefusal)
          expect(
            together.flatMap((one) => judgeCapture(one, capture).decoded),
            `${capture.file}: ${verdict.problems.join("; ")}`,
          ).not.toEqual([])
    })
    it("become payloads that keep the feed's promises", async () => {
      await hold(source, wires)
      for (const { capture } of judged)
        for (const one of replaced(source, wires, capture)) await hold(source, one.wires, one.parameters)
    })
    it.each(Object.keys(spoiledDocuments))("do no harm when they are %s", async (how) => {
      const spoil = spoiledDocuments[how]
      for (const { capture } of judged) {
        const broken = { ...capture, bytes: spoil?.(capture.bytes) ?? capture.bytes }
        for (const one of replaced(source, wires, broken)) await hold(source, one.wires, one.parameters)
      }
    })
    it.each(Object.keys(foreignAnswers))("do no harm when %s comes instead", async (what) => {
      const bytes = foreignAnswers[what]?.() ?? new Uint8Array()
      for (const one of replaced(source, wires, { folder: source.name, file: what, bytes }))
        await hold(source, one.wires, one.parameters)
    })
    it("do no harm whichever value is spoiled", async () => {
      for (const { capture } of judged) {
        const numRuns = Math.min(40, Math.max(4, Math.floor(400_000 / capture.bytes.byteLength)))
        const unit = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
        await fc.assert(
          fc.asyncProperty(unit, unit, async (where, what) => {
            const broken = { ...capture, bytes: spoilOne(capture.bytes, where, what) }
            for (const one of replaced(source, wires, broken)) await hold(source, one.wires, one.parameters)
          }),
          { numRuns, seed: 7 },
        )
      }
    })
  })

  it("spoils for real: hostile text reaches the documents", () => {
    const reached = built.flatMap(({ source, captures }) =>
      captures.flatMap((capture) => {
        const bytes = spoiledDocuments["full of hostile text"]?.(capture.bytes) ?? capture.bytes
        return judgeCapture(source, { ...capture, bytes }).decoded.filter(({ wire }) =>
          strings(wire).some((text) => text.includes(HOSTILE_TEXT.slice(-100))),
        )
      }),
    )
    expect(reached.length).toBeGreaterThan(0)
  })
}
