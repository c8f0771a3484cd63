import { mkdtemp, rm, stat } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { zstdCompress } from "node:zlib"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { openLmdbLog } from "../../../infra/log/lmdb/event-log.ts"
import { COMPRESSED } from "../../../infra/log/lmdb/store.ts"
import type { Topic } from "../../../schemas/topics.ts"
import upstream from "../../world/upstreams/usgs-earthquakes.ts"
import { worldAt } from "../../world/world.ts"
import { benchmark, interleaved } from "../benchmark.ts"

const ROUNDS = 5
const COMMITS = 40
const NOW_MS = Date.parse("2026-08-17T12:00:00.000Z")

const PLAIN = "commits, as they are"
const PACKED = "commits, packed"
const PLAIN_BYTES = "file, as they are"
const PACKED_BYTES = "file, packed"
const PLAIN_WORK = "processor time of a commit, as they are"
const PACKED_WORK = "processor time of a commit, packed"
const DOCUMENT = "one document"
const ZSTD = "the same by zstd, as on Kafka"

const zstd = promisify(zstdCompress)

/** A document of a week's earthquakes, the most frequent kind in the log. */
const documentOfWeek = (): Uint8Array => {
  const path = "/earthquakes/feed/v1.0/summary/2.5_week.geojson"
  const reply = upstream.answer(
    { host: "earthquake.usgs.gov", path, query: new URLSearchParams() },
    worldAt("bench", NOW_MS),
  )
  if (reply === null) throw new Error("the world has no such document")
  return new TextEncoder().encode(JSON.stringify(reply.body))
}

/** One contender: a new log that commits documents one after the other. */
const contender = async (path: string, value: Uint8Array, compressed: ReadonlyArray<Topic>) => {
  const scope = await Effect.runPromise(Scope.make())
  const log = await Effect.runPromise(Scope.provide(openLmdbLog({ path, compressed }), scope))
  const writer = await Effect.runPromise(Scope.provide(log.claim("bench", ["observations"]), scope))
  let [commits, workUs] = [0, 0]
  return {
    perSecond: async () => {
      const begun = performance.now()
      const before = process.cpuUsage()
      for (let n = 0; n < COMMITS; n++)
        await Effect.runPromise(writer.commit([{ topic: "observations", key: "bench", value }]))
      const { user, system } = process.cpuUsage(before)
      commits += COMMITS
      workUs += user + system
      return (COMMITS * 1000) / (performance.now() - begun)
    },
    workUs: () => workUs / commits,
    bytesEach: async () => (await stat(join(path, "data.mdb"))).size / commits,
    close: () => Effect.runPromise(Scope.close(scope, Exit.void)),
  }
}

export default benchmark({
  name: "log-compression",
  title: "durable commits of a document, packed by LMDB and as it is",
  budget: [
    { label: PACKED, of: "ratio", atLeast: 0.5 },
    { label: PACKED_BYTES, of: "ratio", atMost: 0.5 },
  ],
  run: async () => {
    const directory = await mkdtemp(join(tmpdir(), "tidewire-bench-"))
    const value = documentOfWeek()
    const plain = await contender(join(directory, "plain"), value, [])
    const packed = await contender(join(directory, "packed"), value, COMPRESSED)
    try {
      const figures = await interleaved(ROUNDS, { [PLAIN]: plain.perSecond, [PACKED]: packed.perSecond })
      const kilobytes = "KiB a document"
      return [
        { label: DOCUMENT, value: value.byteLength / 1024, unit: "KiB" },
        { label: PLAIN, value: figures[PLAIN] ?? 0, unit: "commits/s" },
        { label: PACKED, value: figures[PACKED] ?? 0, unit: "commits/s", ratioTo: PLAIN },
        { label: PLAIN_WORK, value: plain.workUs(), unit: "us" },
        { label: PACKED_WORK, value: packed.workUs(), unit: "us", ratioTo: PLAIN_WORK },
        { label: PLAIN_BYTES, value: (await plain.bytesEach()) / 1024, unit: kilobytes },
        { label: PACKED_BYTES, value: (await packed.bytesEach()) / 1024, unit: kilobytes, ratioTo: PLAIN_BYTES },
        { label: ZSTD, value: (await zstd(value)).byteLength / 1024, unit: "KiB", ratioTo: DOCUMENT },
      ]
    } finally {
      await plain.close()
      await packed.close()
      await rm(directory, { recursive: true, force: true })
    }
  },
})
