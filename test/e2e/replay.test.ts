import { createHash } from "node:crypto"
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as Effect from "effect/Effect"
import * as References from "effect/References"
import * as Stream from "effect/Stream"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { openLmdbLog } from "../../infra/log/lmdb/event-log.ts"
import { holdDirectory } from "../../infra/system/data-directory.ts"
import { loadProcessors } from "../../processors/registry.ts"
import { readValues } from "../../processors/run/stored-values.ts"
import { declared, type GivenEvent, observed, tick } from "../../processors/testing/folding.ts"
import { encodeEvent, instant } from "../../schemas/event.ts"
import { DAILY, earthquakeEndpoint, earthquakes } from "../../schemas/feeds/earthquakes.ts"
import type { EventLog, StoredRecord } from "../../schemas/ports/event-log.ts"
import type { Topic } from "../../schemas/topics.ts"
import { runCommand } from "../support/command.ts"
import { foldAll } from "../support/counting.ts"
import { eventually } from "../support/eventually.ts"
import { readiness, removeDirectory, type Service, startService, temporaryDirectory } from "../support/service.ts"
import { quakes, worldAt } from "../world/world.ts"

const BEGIN_MS = Date.parse("2026-11-20T05:00:00.000Z")
const MINUTE_MS = 60_000
const MINUTES = 60
/** The minutes at which the live fold is looked at. */
const SEEN_MINUTES = [20, 40, MINUTES]
const atMinute = (minute: number): string => instant(BEGIN_MS + minute * MINUTE_MS)

const home = temporaryDirectory()
const live = join(home, "live")
const environment = { DATA_DIR: live }
const saved = join(home, "backup.ndjson")
const QUAKES = earthquakeEndpoint.path
/** The instance whose changes are published. */
const ALL = { magnitude: "all", period: "day" } as const

const payloadAt = (nowMs: number) => ({
  items: quakes(worldAt("replay", nowMs), nowMs - 24 * 60 * MINUTE_MS, nowMs).map((quake) => ({
    id: quake.id,
    type: "earthquake",
    magnitude: quake.magnitude,
    magnitudeType: "ml",
    place: quake.place,
    time: instant(quake.atMs),
    revisedAt: instant(quake.revisedAtMs),
    latitude: quake.latitude,
    longitude: quake.longitude,
    depthKm: quake.depthKm,
    tsunami: false,
    alert: null,
    significance: null,
    status: "automatic",
    url: `https://earthquake.usgs.gov/earthquakes/eventpage/${quake.id}`,
  })),
  facts: {},
})

/** What the ingest role logs in a minute: ticks, and a poll of quakes. */
const eventsOf = (minute: number): ReadonlyArray<GivenEvent> => {
  const fromMs = BEGIN_MS + minute * MINUTE_MS
  const polled = [DAILY, ALL].map((parameters) => ({
    feed: earthquakes.name,
    provider: "USGS.earthquakes",
    parameters,
  }))
  return [
    ...(minute === 0 ? [declared(fromMs, polled)] : []),
    ...polled.map((poll) => observed(fromMs + 1_000, earthquakes.name, payloadAt(fromMs), poll)),
    ...Array.from({ length: 6 }, (_, index) => tick(fromMs + 5_000 + index * 10_000)),
  ]
}

const withLog = <A, E>(directory: string, use: (log: EventLog) => Effect.Effect<A, E>): Promise<A> =>
  Effect.runPromise(
    Effect.scoped(Effect.flatMap(openLmdbLog({ path: join(directory, "log") }), use)).pipe(
      Effect.provideService(References.MinimumLogLevel, "None"),
    ),
  )

const append = (log: EventLog, from: number, to: number) =>
  Effect.scoped(
    Effect.gen(function* () {
      const writer = yield* log.claim("ingest", ["observations"])
      for (let minute = from; minute < to; minute += 1)
        yield* writer.commit(
          eventsOf(minute).map((event, index) => ({
            topic: "observations" as const,
            key: "world",
            value: encodeEvent(event(`world-${minute}-${index}`)),
          })),
        )
    }),
  )

const viewsOf = (log: EventLog) =>
  Effect.map(readValues(log, "views"), ({ values }) =>
    Object.fromEntries([...values].sort().map(([key, value]) => [key, Buffer.from(value).toString()])),
  )

const recordsOf = (log: EventLog, topic: Topic) =>
  Stream.runFold(
    log.read(topic, 0),
    (): Array<StoredRecord> => [],
    (all, { records }) => [...all, ...records],
  )
const textsOf = (records: ReadonlyArray<StoredRecord>) =>
  records.map(({ value }) => Buffer.from(value ?? []).toString())
const timeOf = (event: string): string => JSON.parse(event).time

/** The views of the live fold, by the minute at which they were looked at. */
const seen = new Map<number, Readonly<Record<string, string>>>()

beforeAll(async () => {
  const processors = await loadProcessors()
  await withLog(live, (log) =>
    Effect.gen(function* () {
      let from = 0
      for (const minute of SEEN_MINUTES) {
        yield* append(log, from, minute)
        for (const one of processors) yield* foldAll(log, one)
        seen.set(minute, yield* viewsOf(log))
        from = minute
      }
    }),
  )
  expect(await runCommand(environment, "backup", saved)).toMatchObject({ code: 0 })
})
afterAll(() => removeDirectory(home))

const hashOf = (path: string): string => createHash("sha256").update(readFileSync(path)).digest("hex")
const replay = (...words: ReadonlyArray<string>) => runCommand(environment, "replay", ...words)

describe("a replay into a folder", () => {
  it("has the views that the live fold had, beside a service that uses the log, of which it writes nothing", async () => {
    const directory = join(home, "stretch")
    const before = hashOf(join(live, "log", "data.mdb"))
    const { code, stdout, stderr } = await Effect.runPromise(
      Effect.scoped(
        Effect.andThen(
          holdDirectory(live),
          Effect.promise(() => replay("--from", atMinute(30), "--to", atMinute(40), "--into", directory)),
        ),
      ),
    )
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    expect(hashOf(join(live, "log", "data.mdb"))).toBe(before)
    expect(stdout).toContain(`answers from it as at ${atMinute(40)}, and polls nothing`)
    expect(stdout).toContain(`DATA_DIR=${directory} PORT=18787 ADMIN_PORT=19787 `)

    const [events, changes] = await withLog(live, (log) =>
      Effect.all([recordsOf(log, "observations"), recordsOf(log, "deltas")]),
    )
    const within = (records: ReadonlyArray<StoredRecord>) =>
      textsOf(records).filter((text) => timeOf(text) >= atMinute(30) && timeOf(text) <= atMinute(40))
    const [views, kept, keptChanges] = await withLog(directory, (log) =>
      Effect.all([viewsOf(log), recordsOf(log, "observations"), recordsOf(log, "deltas")]),
    )
    expect(views).toEqual(seen.get(40))
    expect(views).not.toEqual(seen.get(20))
    expect(textsOf(kept)).toEqual(within(events))
    expect(textsOf(keptChanges)).toEqual(within(changes))
    expect(keptChanges.length).toBeGreaterThan(0)
    expect(keptChanges.length).toBeLessThan(changes.length)
    expect(await runCommand({ DATA_DIR: directory }, "rebuild")).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/was made by npm run replay: .* cannot be rebuilt/u),
    })
  })

  it.each([
    ["20 minutes after the begin", ["--from", atMinute(-90), "--to", atMinute(20)], 20, "after --from"],
    ["its end, where --to is behind it", ["--to", atMinute(90)], MINUTES, "before --to"],
  ] as const)("is made of a backup: up to %s", async (_, bounds, minute, said) => {
    const directory = join(home, `of a backup ${minute}`)
    const { code, stdout, stderr } = await replay(...bounds, "--into", directory, "--source", saved)
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    expect(stdout).toContain(said)
    expect(await withLog(directory, viewsOf)).toEqual(seen.get(minute))
  })

  it("is a service that answers as at its end, and whose log stands still", async () => {
    const directory = join(home, "served")
    expect(await replay("--from", atMinute(10), "--to", atMinute(20), "--into", directory)).toMatchObject({ code: 0 })
    let service: Service | undefined
    const endsOf = () => withLog(directory, (log) => Effect.all([log.end("observations"), log.end("usage")]))
    const ends = await endsOf()
    try {
      service = await startService({ dataDirectory: directory, environment: { LOG_LEVEL: "info" } })
      await service.ready()
      const reply = await service.get(QUAKES)
      expect(reply.headers.get("memento-datetime")).toBe(new Date(atMinute(20)).toUTCString())
      const { data, _meta } = (await reply.json()) as { readonly data: unknown; readonly _meta: object }
      expect(data).toEqual(JSON.parse(seen.get(20)?.[QUAKES] ?? "{}").data)
      // Days after, it is as fresh as it was.
      expect(_meta).toMatchObject({ stale: false, as_of: `${atMinute(19).slice(0, 17)}01.000Z` })
      // Cursors go on from where they stood.
      const changes = textsOf(await withLog(live, (log) => recordsOf(log, "deltas"))).map((text) => JSON.parse(text))
      const { sequence } = changes.findLast((one) => one.sequence !== undefined && one.time <= atMinute(20))
      expect(sequence).not.toBe(changes.findLast((one) => one.sequence !== undefined).sequence)
      const running = service
      await eventually("the changes are read", async () => (await running.json("/api/changes")).next === sequence)
      const other = await service.get(`${QUAKES}?at=${atMinute(15)}`)
      expect(await other.json()).toMatchObject({ status: 404, error: "not_configured" })
      const { parts } = await readiness(service)
      expect(parts.map(({ part }) => part)).not.toContain("polling")
    } finally {
      await service?.end("SIGTERM")
    }
    expect(service.output()).toContain(`answers from a replay as at ${atMinute(20)}`)
    expect(await endsOf()).toEqual(ends)
    const outward = await startService({
      dataDirectory: directory,
      environment: { CLICKHOUSE_URL: "http://127.0.0.1:1", CLICKHOUSE_ANALYST_PASSWORD: "a-password-for-analysts" },
    })
    expect(await outward.end("SIGCONT")).toBe(2)
    expect(outward.output()).toContain("was made by npm run replay: CLICKHOUSE_URL must not be set beside it")
  })
})

/** A copy of what folds in this checkout. */
const copyCheckout = (name: string): string => {
  const directory = join(home, name)
  const root = fileURLToPath(new URL("../../", import.meta.url))
  mkdirSync(directory)
  for (const path of ["package.json", "processors", "schemas"])
    cpSync(join(root, path), join(directory, path), { recursive: true })
  symlinkSync(join(root, "node_modules"), join(directory, "node_modules"))
  return directory
}

const edit = (file: string, text: string, instead: string): void => {
  const source = readFileSync(file, "utf8")
  expect(source.split(text), `${file} holds this once: ${text}`).toHaveLength(2)
  writeFileSync(file, source.replace(text, instead))
}

describe("a comparison with another checkout", () => {
  it("prints nothing where it is the same code", async () => {
    const { code, stdout, stderr } = await replay("--diff", copyCheckout("same"), "--source", saved)
    expect({ code, stdout }).toEqual({ code: 0, stdout: "" })
    expect(stderr).toMatch(/^no reply differs: \d+ views, 481 events compared\n$/u)
  })

  it("shows the first difference of the one view that was changed", async () => {
    const changed = copyCheckout("changed")
    edit(
      join(changed, "processors/views/earthquake.ts"),
      "count: quakes.payload.items.length,",
      "count: quakes.payload.items.length - (quakes.payload.items.length > 0 ? 1 : 0),",
    )
    const whole = await replay("--diff", changed)
    const count = payloadAt(BEGIN_MS).items.length
    expect(count).toBeGreaterThan(1)
    expect(whole).toMatchObject({ code: 1, stderr: "" })
    expect(whole.stdout.split("\n")).toEqual([
      QUAKES,
      `  after feed.observed world-0-1 of ${instant(BEGIN_MS + 1_000)} (observations, offset 1)`,
      `    data.count: ${count - 1} -> ${count}`,
      expect.stringMatching(/^1 of \d+ views differ: 481 events compared$/u),
      "",
    ])

    const part = await replay("--diff", changed, "--from", atMinute(30), "--to", atMinute(40))
    expect(part).toMatchObject({ code: 1, stderr: "" })
    expect(part.stdout.split("\n").slice(0, 2)).toEqual([QUAKES, expect.stringContaining("when the stretch begins")])
    expect(part.stdout).toMatch(/^1 of \d+ views differ: 80 events compared of 321 that were folded$/mu)
  })

  it("refuses a checkout that cannot fold the log, in one sentence", async () => {
    const other = copyCheckout("without")
    writeFileSync(join(other, "schemas", "registry.ts"), "export const nothing = 1\n")
    const { code, stdout, stderr } = await replay("--diff", other)
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" })
    expect(stderr).toMatch(new RegExp(`^${other}: \\S+ (cannot be loaded .*|has no eventReader)\n$`, "u"))
    const older = copyCheckout("older")
    edit(join(older, "schemas/events/observations.ts"), 'type: "clock.ticked",', 'type: "clock.struck",')
    expect(await replay("--diff", older)).toMatchObject({
      code: 2,
      stderr: `${older}: its code cannot fold offset 3 of observations: event clock.ticked v1 is newer than this reader (it reads up to v0)\n`,
    })
  })
})

describe("what cannot be replayed", () => {
  const target = join(home, "refused")
  const refusals: ReadonlyArray<readonly [what: string, words: ReadonlyArray<string>, said: string | RegExp]> = [
    ["no target", [], "either --into DIR or --diff OTHER_CHECKOUT"],
    ["two targets", ["--into", target, "--diff", home], "either --into DIR or --diff OTHER_CHECKOUT"],
    [
      "a day",
      ["--into", target, "--from", "2026-11-20"],
      /^--from: a day is no instant; 2026-11-20T00:00Z is its begin/u,
    ],
    ["no zone", ["--into", target, "--to", "2026-11-20T05:00"], /^--to: the zone is missing, as in 2026-11-20T05:00Z/u],
    ["no instant", ["--into", target, "--to", "2026-02-30T05:00Z"], /^--to takes an instant with its zone/u],
    ["A after B", ["--into", target, "--from", atMinute(9), "--to", atMinute(8)], /^--from \S+ is after --to/u],
    ["a folder that is not empty", ["--into", live], `${live}: it is not empty; a replay wants a folder of its own`],
    ["a file for a folder", ["--into", saved], `${saved}: it is no folder`],
    ["before the begin", ["--into", target, "--to", atMinute(-1)], /^nothing to replay: the log begins after/u],
    ["behind the end", ["--into", target, "--from", atMinute(99)], /^nothing to replay: the log ends at .*, before/u],
    ["no file", ["--into", target, "--source", join(home, "none")], /none: there is no such file/u],
    ["no export", ["--into", target, "--source", join(home, "other")], /other: it does not end with the last line/u],
    ["a changed file", ["--into", target, "--source", join(home, "edited")], /edited: it was changed/u],
    [
      "a newer format",
      ["--into", target, "--source", join(home, "newer")],
      /newer: this code does not read its format \(99\)/u,
    ],
    ["no checkout", ["--diff", home], `${home}: there is no checkout of this project`],
    ["no packages", ["--diff", join(home, "bare")], /bare: it lacks node_modules: run npm ci there/u],
  ]

  it("is refused in one sentence, with exit code 2, and leaves nothing", async () => {
    writeFileSync(join(home, "other"), "text\n")
    const text = readFileSync(saved, "utf8")
    writeFileSync(join(home, "edited"), text.replace("world-3-2", "world-3-9"))
    writeFileSync(join(home, "newer"), text.replace(/"format":\d+/u, '"format":99'))
    mkdirSync(join(home, "bare", "processors"), { recursive: true })
    const ends: Array<{ readonly code: number; readonly stdout: string; readonly stderr: string }> = []
    const waiting = [...refusals.entries()]
    const work = async () => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
        ends[next[0]] = await replay(...next[1][1])
    }
    await Promise.all([work(), work()])
    for (const [index, [what, , said]] of refusals.entries()) {
      expect(ends[index], what).toMatchObject({ code: 2, stdout: "" })
      const [sentence = ""] = (ends[index]?.stderr ?? "").split("\n")
      if (typeof said === "string") expect(sentence, what).toBe(said)
      else expect(sentence, what).toMatch(said)
    }
    expect(existsSync(target)).toBe(false)
    expect(readdirSync(home).filter((name) => name.includes("replay-"))).toEqual([])
  })

  it("is a log that is newer than the code", async () => {
    const newer = join(home, "newer-log")
    await withLog(newer, (log) =>
      Effect.scoped(
        Effect.gen(function* () {
          yield* append(log, 0, 1)
          const writer = yield* log.claim("ingest", ["observations"])
          const event = JSON.parse(Buffer.from(encodeEvent(tick(BEGIN_MS + MINUTE_MS)("later"))).toString())
          const value = Buffer.from(JSON.stringify({ ...event, v: 99 }))
          yield* writer.commit([{ topic: "observations", key: "world", value }])
        }),
      ),
    )
    const said =
      "the log is newer than this code: event clock.ticked v99 is newer than this reader (it reads up to v1)\n"
    for (const words of [
      ["--into", target],
      ["--diff", fileURLToPath(new URL("../../", import.meta.url))],
    ])
      expect(await runCommand({ DATA_DIR: newer }, "replay", ...words)).toEqual({ code: 2, stdout: "", stderr: said })
    expect(existsSync(target)).toBe(false)
    // What lies before it can be replayed.
    expect(
      await runCommand({ DATA_DIR: newer }, "replay", "--to", instant(BEGIN_MS + 30_000), "--into", target),
    ).toMatchObject({
      code: 0,
    })
  })
})
