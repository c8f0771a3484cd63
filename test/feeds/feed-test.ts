import { existsSync, readFileSync } from "node:fs"
import { resolve } from "node:path"
import { Effect, Exit, Result, Schema } from "effect"
import { decodeDocument } from "../../ingestors/decode.ts"
import { Undecodable, type Upstream, UpstreamError } from "../../ingestors/document.ts"
import { HttpFailed } from "../../ingestors/http-client.port.ts"
import type { Normalised, Observation, Reading as SourceReading } from "../../ingestors/reading.ts"
import type { Source } from "../../ingestors/source.ts"
import { atOnce } from "../../ingestors/turns.ts"
import type { Reading, View } from "../../processors/view.ts"
import { instanceKey, type Parameters } from "../../schemas/feed.ts"
import type { Json } from "../../schemas/json.ts"
import { bytesOf, type SimulatedUpstream } from "../world/upstream.ts"
import { type World, worldAt } from "../world/world.ts"

const capturesDirectory = resolve(process.env.CAPTURES_DIR ?? "../shared/upstreams")

/** Why the tests over captured payloads are skipped, or null where they run. */
export const capturesAbsent = existsSync(capturesDirectory) ? null : `no captures at ${capturesDirectory}`
if (capturesAbsent !== null) process.stderr.write(`skipped: ${capturesAbsent}\n`)

/** What a capture says through a document of its source; `Wire` is what the caller knows that document to hold. */
export const decodedCapture = <Wire>(
  source: Pick<Source, "name" | "documents">,
  document: string,
  file: string,
): Wire => {
  const declared = source.documents[document]
  if (declared === undefined) throw new Error(`${source.name} declares no document ${document}`)
  const bytes = readFileSync(resolve(capturesDirectory, source.name, file))
  return Result.getOrThrow(decodeDocument(file, declared, bytes)) as Wire
}

/** The same where a source collects nothing but that document. */
export const collectedCapture = <Collected, Payload>(
  source: Source<Collected, Payload>,
  document: string,
  file: string,
): Collected => decodedCapture<Collected>(source, document, file)

/** What a source makes of something collected, with the rows that it cannot read. */
export const readBy = <Collected, Payload>(
  source: Source<Collected, Payload>,
  collected: Collected,
  observation: Partial<Observation> = {},
): SourceReading<Payload> =>
  atOnce(source.read(collected, { parameters: {}, observedAtMs: Number.MAX_SAFE_INTEGER, ...observation }))

/** Why a source refuses something collected; undefined where it does not. */
export const refusedBy = <Collected, Payload>(
  source: Source<Collected, Payload>,
  collected: Collected,
  observation: Partial<Observation> = {},
): UpstreamError | Undecodable | undefined => {
  const { outcome } = readBy(source, collected, observation)
  return outcome instanceof UpstreamError || outcome instanceof Undecodable ? outcome : undefined
}

/** The normalised form of something collected; throws where the source refuses it or its payload is not its feed's. */
export const normalised = <Collected, Payload>(
  source: Source<Collected, Payload>,
  collected: Collected,
  observation: Partial<Observation> = {},
): Normalised<Payload> => {
  const { outcome: made } = readBy(source, collected, observation)
  if (made instanceof UpstreamError || made instanceof Undecodable) throw made
  Schema.decodeUnknownSync(source.fills.payload, { onExcessProperty: "error" })(made.payload)
  const keys = source.fills.items(made.payload).map((item) => source.fills.key(item))
  if (new Set(keys).size !== keys.length) throw new Error("two items of a payload share a key")
  return made
}

const refusal = (host: string, status: number | null) =>
  new HttpFailed({
    reason: status === null ? "unreachable" : "status",
    host,
    status,
    retryAfterMs: null,
    message: "refused",
  })

/** The world's provider as a source reaches it, without a network. `unreachable` hosts answer nothing. */
export const upstreamOf = (
  simulated: SimulatedUpstream,
  world: World,
  unreachable: ReadonlyArray<string> = [],
): Upstream => {
  const answer = (address: string) => {
    const { host, pathname, searchParams } = new URL(address)
    if (!simulated.hosts.includes(host)) throw new Error(`${simulated.name} does not answer for ${host}`)
    if (unreachable.includes(host)) return Effect.fail(refusal(host, null))
    const reply = simulated.answer({ host, path: decodeURIComponent(pathname), query: searchParams }, world)
    const status = reply === null ? 404 : (reply.status ?? 200)
    return reply !== null && status === 200 ? Effect.succeed(bytesOf(reply)) : Effect.fail(refusal(host, status))
  }
  return {
    get: (document, input) =>
      Effect.suspend(() => answer(document.url(input))).pipe(
        Effect.flatMap((bytes) => Effect.fromResult(decodeDocument("document", document, bytes))),
      ),
    probe: (address) => Effect.suspend(() => answer(address)).pipe(Effect.map(() => ({ latencyMs: 20 }))),
  }
}

/** What a poll of one instance against the world brings. */
export const observed = async <Collected, Payload>(
  source: Source<Collected, Payload>,
  simulated: SimulatedUpstream,
  atMs: number,
  parameters: Parameters = {},
): Promise<Normalised<Payload>> => {
  const collected = await Effect.runPromise(
    source.collect(upstreamOf(simulated, worldAt("test", atMs)), parameters, null),
  )
  return normalised(source, collected, { parameters, observedAtMs: atMs })
}

/** Why a poll of one instance fails. */
export const pollFailure = async <Collected, Payload>(
  source: Source<Collected, Payload>,
  upstream: Upstream,
  parameters: Parameters = {},
) => {
  const exit = await Effect.runPromiseExit(source.collect(upstream, parameters, null))
  return Exit.findErrorOption(exit)
}

/** A payload as a view reads it. */
export const reading = <Payload>(payload: Payload, parameters: Parameters = {}, atMs = 0): Reading<Payload> => ({
  parameters,
  payload,
  observedAt: new Date(atMs).toISOString(),
  watchedSince: new Date(atMs).toISOString(),
  contentAt: null,
})

/** What a view is built from. `readingOf` gives the reading of a feed's instance, where there is one. */
export const inputsOf = (
  view: View,
  parameters: Parameters,
  readingOf: (feed: string, instance: Parameters) => Reading<unknown> | undefined,
  remembered: Readonly<Record<string, Json>> = {},
) =>
  Object.fromEntries(
    Object.entries(view.reads).map(([name, input]) => [
      name,
      input.value(
        input
          .instances(parameters)
          .map((instance) => ({ parameters: instance, reading: readingOf(input.feed.name, instance) ?? null })),
        remembered[name],
      ),
    ]),
  )

/** What a view shows of readings, checked against its endpoint's schema. */
export const shown = (
  view: View,
  readings: ReadonlyArray<Reading<unknown>>,
  context: {
    readonly nowMs: number
    readonly parameters?: Parameters
    /** What the inputs with a memory hold, by their names. */
    readonly remembered?: Readonly<Record<string, Json>>
  },
): unknown => {
  const parameters = context.parameters ?? {}
  const byInstance = new Map(readings.map((one) => [instanceKey("", one.parameters), one]))
  const inputs = inputsOf(
    view,
    parameters,
    (_, instance) => byInstance.get(instanceKey("", instance)),
    context.remembered,
  )
  const { data } = view.build(inputs, { parameters, nowMs: context.nowMs })
  return Schema.decodeUnknownSync(view.endpoint.data, { onExcessProperty: "error" })(data)
}
