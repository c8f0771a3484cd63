import { join } from "node:path"
import { request } from "undici"
import { afterAll, beforeAll, expect, it } from "vitest"
import type { Change } from "../../schemas/change.ts"
import { runCommand } from "../support/command.ts"
import { eventually } from "../support/eventually.ts"
import {
  ANALYST_PASSWORD,
  removeDirectory,
  type Service,
  startService,
  temporaryDirectory,
} from "../support/service.ts"
import { startWorld } from "../world/server.ts"

// A story is taken out of the past of a running service. Whatever a caller sends, and whatever happens to the service afterwards, it
// is not got from the past again. The upstream has gone meanwhile, so that nothing new is learnt of it.

interface ChangesPage {
  readonly changes: ReadonlyArray<Change>
}

const PATHS = ["/api/tech-news", "/api/briefing"]
const BY = ["--operator", "ann", "--reason", "a name, letter of 20 November"]
const STREAM_MS = 3_000
/** A fold that changes nothing says once a minute that the time before is settled. */
const WAIT_MS = 180_000
/** It starts the service four times, and waits a minute for what is settled. */
const TEST_MS = 1_200_000

const directory = temporaryDirectory()
const restored = temporaryDirectory()
const file = join(directory, "backup.ndjson")
let world: Awaited<ReturnType<typeof startWorld>>
let service: Service

const start = async (dataDirectory: string) => {
  service = await startService({
    dataDirectory,
    offered: PATHS,
    environment: { UPSTREAMS: world.url, LOG_LEVEL: "warn" },
  })
}

beforeAll(async () => {
  world = await startWorld({ seed: "purge" })
  await start(directory)
  await service.filled()
})
afterAll(async () => {
  await service.end("SIGTERM")
  await world.close()
  for (const one of [directory, restored]) removeDirectory(one)
})

const HTML = { accept: "text/html" }
/** Whether a text has a title, as HTML or not: that of another story may begin with it, and end with a number. */
const says = (text: string, title: string): boolean =>
  [title, title.replaceAll("&", "&amp;")].some((one) =>
    text.split(one).some((rest, index) => index > 0 && !/^ ?\d/.test(rest)),
  )

/** The text of a reply; its first line is the status. */
const textOf = async (path: string, headers: Record<string, string> = {}): Promise<string> => {
  const reply = await service.get(path, { headers })
  return `${reply.status}\n${await reply.text()}`
}

/** What a stream sends from a place on, within some seconds. */
const streamed = async (path: string, headers: Record<string, string> = {}): Promise<string> => {
  const reply = await fetch(new URL(path, service.url), { headers, signal: AbortSignal.timeout(STREAM_MS) })
  let text = ""
  try {
    for await (const chunk of reply.body ?? []) text += Buffer.from(chunk).toString()
  } catch {
    // It goes on until it is cut.
  }
  return text
}

const called = async (name: string, given: object, server = "/api/mcp/all"): Promise<string> => {
  const { body } = await request(`${service.url}${server}`, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: given } }),
  })
  return body.text()
}

const queried = async (query: string): Promise<number> => {
  const { statusCode, body } = await request(service.analystUrl, { method: "POST", body: query })
  const text = await body.text()
  if (statusCode !== 200) throw new Error(`${query}: ${text}`)
  return Number(text)
}

/** What is taken out: a story, by its key and a word of it, and an instant at which it was known. */
interface Story {
  readonly key: string
  readonly title: string
  readonly cursor: string
  readonly at: string
}

/** Ways in which a caller may ask for it, each with what comes. */
const ways = ({ cursor, at }: Omit<Story, "key">): Readonly<Record<string, () => Promise<string>>> => {
  const before = `${cursor.slice(0, -12)}${String(Number(cursor.slice(-12)) - 1).padStart(12, "0")}`
  const first = `${cursor.slice(0, -12)}${"0".repeat(12)}`
  return {
    "the newest changes": () => textOf("/api/changes?limit=500&feeds=tech-news"),
    "changes from the start": () => textOf("/api/changes?after=start&limit=500"),
    "changes behind the one before": () => textOf(`/api/changes?after=${before}&limit=500`),
    "changes of one type": () => textOf(`/api/changes?after=${first}&limit=500&types=appeared`),
    "a waiting call": () => textOf(`/api/changes?after=${first}&limit=500&wait=1`),
    "the stream": () => streamed("/api/stream?after=start&feeds=tech-news"),
    "a resumed stream": () => streamed("/api/stream", { "Last-Event-ID": before }),
    "the history": () => textOf("/api/tech-news/history?limit=500"),
    "the history in order": () => textOf("/api/tech-news/history?limit=500&order=asc&from=2000-01-01T00:00:00Z"),
    "the history as a table": () => textOf("/api/tech-news/history?limit=500&format=csv"),
    "the past": () => textOf(`/api/tech-news?at=${at}`),
    "the past as a table": () => textOf(`/api/tech-news?at=${at}&format=csv`),
    "the past by its cursor": () => textOf(`/api/tech-news?at=${cursor}`),
    "the past of the briefing": () => textOf(`/api/briefing?at=${at}`),
    "the page of the past": () => textOf(`/feeds/tech-news?at=${at}`, HTML),
    "the world of the past": () => textOf(`/?at=${at}`, HTML),
    "the tool for changes": () => called("recent_changes", { after: first, feeds: "tech-news", limit: 100 }),
    "the tool for histories": () => called("feed_history", { name: "tech-news", limit: 100 }),
    "the tool for data": () => called("get_dataset", { name: "tech_news", parameters: { at } }, "/api/mcp"),
  }
}

/** Ways that show some of the stories. */
const SELECTIONS: ReadonlySet<string> = new Set([
  "the past of the briefing",
  "the page of the past",
  "the world of the past",
])

/** Rows of what was known before an instant that hold it, by table. */
const rowsOf = async ({ key, title }: Pick<Story, "key" | "title">, before: string): Promise<ReadonlyArray<number>> => {
  const until = `parseDateTime64BestEffort('${before}', 3, 'UTC')`
  const inEvents = `FROM events WHERE time < ${until} AND (position(data, '${title}"') > 0 OR subject = 'tech-news/${key}')`
  const queries = [
    `SELECT count() FROM item_changes WHERE feed = 'tech-news' AND key = '${key}' AND known_at < ${until}`,
    `SELECT count() FROM stories WHERE id = ${key} AND observed_at < ${until}`,
    `SELECT count() ${inEvents} AND topic = 'deltas'`,
    `SELECT count() ${inEvents} AND topic = 'observations'`,
    // A body stands in the data as a text of its own.
    `SELECT count() FROM events WHERE time < ${until} AND position(data, '${title}\\\\"') > 0 AND topic = 'versions'`,
    `SELECT count() FROM view_versions WHERE known_at < ${until} AND position(value, '${title}"') > 0`,
  ]
  return Promise.all(queries.map(queried))
}

it(
  "takes an item out of all that a caller can ask of the past, and out of every table, for ever",
  async () => {
    // A story whose instant is settled, and is in the history.
    const story = await eventually(
      "a story is known, and its past is settled",
      async (): Promise<Story | false> => {
        const page = (await service.json(
          "/api/changes?after=start&limit=500&feeds=tech-news",
        )) as unknown as ChangesPage
        const first = page.changes.find(({ type }) => type === "appeared")
        if (first === undefined) return false
        const at = new Date(Date.parse(first.known_at) + 1_000).toISOString()
        if ((await service.get(`/api/tech-news?at=${at}`)).status !== 200) return false
        // A title of its own, which no other one holds, and which needs no quotes; best one that every selection shows, too.
        const titleOf = ({ item }: Change) => (item as { readonly title: string }).title
        const asking = Object.entries(ways({ title: "", cursor: first.cursor, at })).filter(([way]) =>
          SELECTIONS.has(way),
        )
        const shown = await Promise.all(asking.map(([, ask]) => ask()))
        const inSelections = (one: Change) => shown.filter((text) => says(text, titleOf(one))).length
        const [change] = page.changes
          .filter(({ type }) => type === "appeared")
          .filter((one) => /^[^"'\\<>]+$/.test(titleOf(one)))
          .filter((one) => page.changes.every((other) => other.key === one.key || !says(titleOf(other), titleOf(one))))
          .toSorted((one, other) => inSelections(other) - inSelections(one))
        if (change === undefined) throw new Error("no story has a title of its own")
        return { key: change.key, title: titleOf(change), cursor: change.cursor, at }
      },
      120_000,
    )
    const shows = async (): Promise<ReadonlyArray<string>> => {
      const found: Array<string> = []
      for (const [way, ask] of Object.entries(ways(story))) {
        const text = await ask()
        if (says(text, story.title) || text.includes(`"key":"${story.key}"`)) found.push(way)
      }
      return found
    }
    // Each way shows it before, or it would prove nothing.
    const showing = await shows()
    const whole = (names: ReadonlyArray<string>) => names.filter((way) => !SELECTIONS.has(way))
    expect(whole(showing)).toEqual(whole(Object.keys(ways(story))))
    const now = new Date().toISOString()
    expect((await rowsOf(story, now)).map((rows) => rows > 0)).toEqual(Array(6).fill(true))
    const others = await queried(
      `SELECT uniqExact(key) FROM item_changes WHERE feed = 'tech-news' AND key != '${story.key}'`,
    )

    const purge = (...words: ReadonlyArray<string>) =>
      runCommand({ DATA_DIR: directory, UPSTREAMS: world.url }, "purge", ...words, ...BY)
    expect(await purge("--feed", "tech-news", "--key", story.key)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("in use"),
    })
    await service.end("SIGTERM")
    // Nothing is learnt any more.
    await world.close()
    const unknown = await purge("--feed", "tech-news", "--key", `${story.key}0`)
    expect([unknown.code, unknown.stderr]).toEqual([
      1,
      expect.stringContaining("no item of tech-news has this key; the nearest is"),
    ])
    const done = await purge("--feed", "tech-news", "--key", story.key)
    expect(done).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/the item of tech-news is out of the past .*: [1-9]\d* changes/),
    })
    expect(done.stdout).toContain("not removed: the log until it is trimmed")
    expect(done.stdout).not.toContain(story.key)
    const to = /to (\S+Z): /.exec(done.stdout)?.[1] ?? ""

    const isGone = async () => {
      await service.ready()
      await eventually(
        "the changes can be read",
        async () => (await service.get("/api/changes?after=start")).status === 200,
        WAIT_MS,
      )
      expect(await shows()).toEqual([])
      expect(await (await service.get(`/api/tech-news?at=${story.at}`)).json()).toMatchObject({ error: "withdrawn" })
      // The cursor is as dense as before: behind the one before follows the one after.
      const behind = (await service.json(`/api/changes?after=${story.cursor}&limit=500`)) as unknown as ChangesPage
      expect(behind.changes.length).toBeGreaterThan(0)
      await eventually(
        "no table holds it",
        async () => {
          const rows = await rowsOf(story, to)
          if (rows.some((count) => count > 0)) throw new Error(rows.join(" "))
          return true
        },
        WAIT_MS,
      )
      expect(
        await queried(`SELECT uniqExact(key) FROM item_changes WHERE feed = 'tech-news' AND key != '${story.key}'`),
      ).toBe(others)
      await service.end("SIGTERM")
    }
    await start(directory)
    await isGone()

    const environment = { DATA_DIR: directory, CLICKHOUSE_ANALYST_PASSWORD: ANALYST_PASSWORD }
    expect(await runCommand(environment, "rebuild")).toMatchObject({ code: 0 })
    expect(await runCommand(environment, "rebuild", "--verify")).toMatchObject({ code: 0 })
    await start(directory)
    await isGone()

    expect(await runCommand(environment, "backup", file)).toMatchObject({ code: 0 })
    expect(await runCommand({ ...environment, DATA_DIR: restored }, "restore", file)).toMatchObject({ code: 0 })
    await start(restored)
    await isGone()
  },
  TEST_MS,
)
