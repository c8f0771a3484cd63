import { type ChildProcess, spawn } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as References from "effect/References"
import * as Stream from "effect/Stream"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { openLmdbLog } from "../../infra/log/lmdb/event-log.ts"
import { loadProcessors } from "../../processors/registry.ts"
import { readValues } from "../../processors/run/stored-values.ts"
import { declared, demanded, type GivenEvent, observed, tick } from "../../processors/testing/folding.ts"
import type { Change } from "../../schemas/change.ts"
import { type Envelope, encodeEvent, instant } from "../../schemas/event.ts"
import { feedPatched } from "../../schemas/events/observations.ts"
import { DAILY, type Earthquake, earthquakes } from "../../schemas/feeds/earthquakes.ts"
import { canonicalJson } from "../../schemas/json.ts"
import type { EventLog, LogRecord } from "../../schemas/ports/event-log.ts"
import usage from "../../schemas/samples/usage.counted.v1.json" with { type: "json" }
import { runCommand } from "../support/command.ts"
import { foldAll } from "../support/counting.ts"
import { eventually } from "../support/eventually.ts"
import { grantNew } from "../support/ledger-command.ts"
import { freePort, removeDirectory, type Service, startService, temporaryDirectory } from "../support/service.ts"

// A small backup of some feeds in an interval, and a service that is restored from it.

const BEGIN_MS = Date.parse("2026-11-20T05:00:00.000Z")
const MINUTE_MS = 60_000
const MINUTES = 60
const at = (minute: number): string => instant(BEGIN_MS + minute * MINUTE_MS)

const home = temporaryDirectory()
const live = join(home, "live")
const restored = join(home, "restored")
const file = join(home, "cut.ndjson")
const environment = { DATA_DIR: live }
const ALL = { magnitude: "all", period: "day" } as const
/** A place that a caller asked for. */
const ASKED = { lat: "12.34", lon: "56.78" } as const
/** Made at the first start of a service elsewhere. */
const KEYS = { TOKEN_KEYS: "ab".repeat(32), RECEIPT_KEYS: "A".repeat(43), CLIENT_HASH_KEY: "cd".repeat(32) }
/** Stands in the payloads of a feed that is not chosen. */
const UNCHOSEN = "of no interest"
const WALLET = "0x00000000000000000000000000000000c0ffee00"

const quake = (minute: number): Earthquake =>
  ({
    id: `quake${minute}`,
    type: "earthquake",
    magnitude: 4 + minute / 100,
    magnitudeType: "ml",
    place: `place ${minute}`,
    time: at(minute),
    revisedAt: at(minute),
    latitude: 1,
    longitude: 2,
    depthKm: 3,
    tsunami: false,
    alert: null,
    significance: null,
    status: "automatic",
    url: null,
  }) as unknown as Earthquake

/** The quakes of the last ten minutes. */
const payloadAt = (minute: number) => ({
  items: Array.from({ length: Math.min(10, minute + 1) }, (_, index) => quake(minute - index)),
  facts: {},
})
const hashAt = (minute: number): string =>
  createHash("sha256")
    .update(canonicalJson(payloadAt(minute) as never))
    .digest("hex")

/** A whole payload every half an hour, and a patch of one new item in each other minute. */
const polled = (minute: number, parameters: Readonly<Record<string, string>>): GivenEvent => {
  const whole = observed(BEGIN_MS + minute * MINUTE_MS, earthquakes.name, payloadAt(minute) as never, {
    parameters,
    provider: "USGS.earthquakes",
  })
  if (minute % 30 === 0) return whole
  return (id) => {
    const event = whole(id) as Envelope<string, Record<string, unknown>>
    const { payload: _, ...data } = event.data
    const before = payloadAt(minute - 1).items.length
    const parts = [{ items: [quake(minute)] }, { from: 0, count: Math.min(9, before) }]
    return { ...event, type: feedPatched.type, data: { ...data, base: hashAt(minute - 1), parts } }
  }
}

const eventsOf = (minute: number): ReadonlyArray<GivenEvent> => {
  const ms = BEGIN_MS + minute * MINUTE_MS
  const poll = (parameters: Readonly<Record<string, string>>) => ({
    feed: earthquakes.name,
    provider: "USGS.earthquakes",
    parameters,
  })
  const weather = { latitude: 12.34, longitude: 56.78, elevationM: 1, at: at(minute), temperatureC: 21 }
  const others = {
    apparentTemperatureC: null,
    weatherCode: null,
    windSpeedMPerS: null,
    windGustMPerS: null,
    humidityPercent: null,
  }
  return [
    ...(minute === 0
      ? [declared(ms, [poll(DAILY), poll(ALL), { feed: "tech-news", provider: "HackerNews.frontPage" }])]
      : []),
    polled(minute, DAILY),
    polled(minute, ALL),
    ...(minute === 35
      ? [observed(ms, "weather", { ...weather, ...others }, { parameters: ASKED, provider: "OpenMeteo.current" })]
      : []),
    ...(minute === 36 ? [demanded(ms, "/api/weather", ASKED)] : []),
    ...(minute % 10 === 5
      ? [observed(ms, "fear-greed", { value: minute, of: UNCHOSEN } as never, { provider: "Alternative.fearGreed" })]
      : []),
    ...Array.from({ length: 6 }, (_, index) => tick(ms + 5_000 + index * 10_000)),
  ]
}

const withLog = <A, E>(directory: string, use: (log: EventLog) => Effect.Effect<A, E>): Promise<A> =>
  Effect.runPromise(
    Effect.scoped(Effect.flatMap(openLmdbLog({ path: join(directory, "log") }), use)).pipe(
      Effect.provideService(References.MinimumLogLevel, "None"),
    ),
  )

const append = (log: EventLog) =>
  Effect.scoped(
    Effect.gen(function* () {
      const writer = yield* log.claim("ingest", ["observations", "usage", "replies"])
      for (let minute = 0; minute < MINUTES; minute += 1)
        yield* writer.commit(
          eventsOf(minute).map((event, index) => ({
            topic: "observations" as const,
            key: "world",
            value: encodeEvent(event(`world-${minute}-${index}`)),
          })),
        )
      const counted: LogRecord = {
        topic: "usage",
        key: "usage",
        value: encodeEvent({ ...usage, time: at(40), data: { ...usage.data, agent: WALLET } } as never),
      }
      yield* writer.commit([counted, { ...counted, topic: "replies" }])
    }),
  )

const viewsOf = (log: EventLog) =>
  Effect.map(readValues(log, "views"), ({ values }) =>
    Object.fromEntries([...values].sort().map(([key, value]) => [key, Buffer.from(value).toString()])),
  )

const backup = (...words: ReadonlyArray<string>) => runCommand(environment, "backup", ...words)
const cut = (name: string, ...words: ReadonlyArray<string>) =>
  backup(join(home, name), "--feeds", "earthquakes,weather", "--from", at(20), "--to", at(50), ...words)

let granted: { readonly account: string; readonly token: string }

beforeAll(async () => {
  const processors = await loadProcessors()
  await withLog(live, (log) =>
    Effect.gen(function* () {
      yield* append(log)
      for (const one of processors) yield* foldAll(log, one)
    }),
  )
  granted = await grantNew({ ...KEYS, ...environment }, 50)
})
afterAll(() => removeDirectory(home))

/** The topics that have records in a file. */
const sectionsOf = (path: string): ReadonlyArray<string> =>
  [...readFileSync(path, "utf8").matchAll(/^\{"section":"(\w+)"/gm)].map(([, topic = ""]) => topic)

describe("a cut", () => {
  it("has polls of its feeds alone, and nothing about callers and money where it is redacted", async () => {
    const done = await cut("cut.ndjson", "--redact")
    expect(done).toMatchObject({ code: 0 })
    expect(done.stderr).toContain(`from ${at(20)} to ${at(50)}: polls of earthquakes (60), weather (0)`)
    expect(done.stderr).toContain("cursors of this one are refused there")
    const text = readFileSync(file, "utf8")
    expect([...new Set(sectionsOf(file))].sort()).toEqual(
      ["checkpoints", "deltas", "digests", "observations", "versions", "views"].filter((topic) =>
        text.includes(`"section":"${topic}"`),
      ),
    )
    const hashes = [granted.token, granted.token.replace(/^[a-z]+_/u, "")].flatMap((token) =>
      (["hex", "base64", "base64url"] as const).map((form) => createHash("sha256").update(token).digest(form)),
    )
    const secrets = [granted.account, granted.token, ...hashes, WALLET, ASKED.lat, ASKED.lon, "usage.counted", UNCHOSEN]
    expect(secrets.filter((secret) => text.includes(secret))).toEqual([])

    const declarations = [...text.matchAll(/^.*feeds\.declared.*$/gm)].map(([line]) =>
      JSON.parse(JSON.parse(line).text),
    )
    expect(declarations.map(({ data }) => data.feeds.map(({ feed }: { readonly feed: string }) => feed))).toEqual([
      ["earthquakes", "earthquakes"],
    ])

    const open = await cut("open.ndjson")
    expect(open.stderr).toContain("polls of earthquakes (60), weather (1)")
    expect(open.stderr).toContain("the whole ledger and the usage of the interval are in it")
    const all = readFileSync(join(home, "open.ndjson"), "utf8")
    // What a redacted cut leaves out is there, or the test would prove nothing.
    expect([granted.account, WALLET, ASKED.lat, "usage.counted"].filter((secret) => !all.includes(secret))).toEqual([])
    expect(hashes.some((hash) => all.includes(hash))).toBe(true)
    expect([UNCHOSEN, granted.token].filter((secret) => all.includes(secret))).toEqual([])
    expect(text.length).toBeLessThan(all.length)
  })

  it.each([
    ["a feed that is none", ["--feeds", "earthquake"], "there is no feed earthquake; the nearest is earthquakes"],
    ["no feed", ["--feeds", ","], "--feeds takes the names of feeds"],
    ["a begin behind the end", ["--from", at(50), "--to", at(20)], `--from ${at(50)} is not before --to ${at(20)}`],
    ["a day", ["--from", "2026-11-20"], "2026-11-20T00:00Z is its begin, 2026-11-20T23:59:59.999Z its end"],
    ["no zone", ["--to", "2026-11-20T05:00"], "the zone is missing, as in 2026-11-20T05:00Z"],
  ])("is refused with %s, in a sentence", async (_, words, sentence) => {
    const given = { "--feeds": "earthquakes", "--from": at(20), "--to": at(50) }
    const all = {
      ...given,
      [words[0] ?? ""]: words[1] ?? "",
      ...(words.length > 2 ? { [words[2] ?? ""]: words[3] ?? "" } : {}),
    }
    const refused = await backup(join(home, "none"), ...Object.entries(all).flat(), "--redact")
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining(sentence)])
    expect(existsSync(join(home, "none"))).toBe(false)
  })

  it.each([
    ["half of what a cut wants", ["--feeds", "earthquakes"], 2, "a cut wants --feeds, --from and --to"],
    ["a redaction of the whole", ["--redact"], 2, "--redact is of a cut"],
    [
      "an interval without a poll",
      ["--feeds", "earthquakes", "--from", "2020-01-01T00:00Z", "--to", "2020-01-02T00:00Z"],
      1,
      "no poll of these feeds lies in the interval",
    ],
  ] as const)("is refused with %s", async (_, words, code, sentence) => {
    const refused = await backup(join(home, "none"), ...words)
    expect([refused.code, refused.stderr]).toEqual([code, expect.stringContaining(sentence)])
    expect(existsSync(join(home, "none"))).toBe(false)
  })
})

describe("a service that is restored from a cut", () => {
  let service: Service
  afterAll(() => service.end("SIGTERM"))

  it("serves the world as of its end, and every instant of it, as another log", async () => {
    const settings = { DATA_DIR: restored }
    expect(await runCommand(settings, "restore", file)).toMatchObject({ code: 0 })
    expect(await runCommand(settings, "rebuild", "--verify")).toMatchObject({ code: 0 })
    const views = await withLog(restored, viewsOf)
    const dataOf = (text = "{}") => JSON.parse(text).data
    expect(dataOf(views["/api/earthquake"]).earthquakes[0]).toMatchObject({ location: "place 49" })

    service = await startService({
      dataDirectory: restored,
      offered: ["/api/earthquake", "/api/climate/earthquakes"],
      // Nothing answers there.
      environment: { UPSTREAMS: "http://127.0.0.1:9", LOG_LEVEL: "error" },
    })
    await service.ready()
    const first = async (path: string) =>
      (
        (await service.json(path)) as {
          readonly data: { readonly earthquakes: ReadonlyArray<{ readonly location: string }> }
        }
      ).data.earthquakes[0]?.location
    expect(await first("/api/earthquake")).toBe("place 49")
    await eventually(
      "the past can be asked for",
      async () => (await service.get(`/api/earthquake?at=${at(30)}`)).status === 200,
    )
    // Also of the first minute, which stands on payloads and patches of before.
    for (const minute of [20, 21, 29, 30, 31, 44])
      expect([minute, await first(`/api/earthquake?at=${instant(BEGIN_MS + minute * MINUTE_MS + 30_000)}`)]).toEqual([
        minute,
        `place ${minute}`,
      ])
    const { changes } = (await service.json("/api/changes?after=start&limit=500")) as unknown as {
      readonly changes: ReadonlyArray<Change>
    }
    expect(changes.at(-1)?.key).toBe("quake49")
    // A cursor of the log that it was cut from.
    const [cursor] = await withLog(live, (log) =>
      Stream.runFold(
        log.read("deltas", 0),
        (): Array<string> => [],
        (all, { records }) => [
          ...all,
          ...records.flatMap(
            ({ value }) => /"sequence":"([^"]+)"/.exec(Buffer.from(value ?? []).toString())?.[1] ?? [],
          ),
        ],
      ),
    )
    const other = await service.get(`/api/changes?after=${cursor}`)
    expect([other.status, ((await other.json()) as { readonly error: string }).error]).toEqual([400, "other_log"])
  })
})

describe("the demo", () => {
  let demo: ChildProcess | undefined
  afterAll(() => void demo?.kill("SIGKILL"))

  it("begins from a cut, whose instants can be asked for", async () => {
    const port = await freePort()
    demo = spawn(process.execPath, ["test/world/demo.js"], {
      cwd: new URL("../..", import.meta.url),
      env: {
        PATH: process.env.PATH,
        DATA_DIR: join(home, "demo"),
        WORLD_BACKUP: file,
        WORLD_OFFERED: "/api/earthquake",
        PORT: String(port),
        ADMIN_PORT: String(await freePort()),
        CHAIN_PORT: "0",
        CLICKHOUSE_HTTP_PORT: String(await freePort()),
        CLICKHOUSE_TCP_PORT: String(await freePort()),
      },
      stdio: ["ignore", "ignore", "inherit"],
    })
    const then = await eventually("the past of the cut is served", async () => {
      if (demo?.exitCode !== null) throw new Error("the demo has ended")
      const reply = await fetch(`http://127.0.0.1:${port}/api/earthquake?at=${at(30)}`)
      return (
        reply.status === 200 &&
        ((await reply.json()) as { readonly data: { readonly earthquakes: ReadonlyArray<unknown> } })
      )
    })
    expect(then.data.earthquakes[0]).toMatchObject({ location: "place 30" })
  })
})
