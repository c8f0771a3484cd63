import { join } from "node:path"
import { Effect } from "effect"
import { afterAll, expect, it } from "vitest"
import { openLmdbLog } from "../../infra/log/lmdb.ts"
import { encodeEvent, makeEvent } from "../../schemas/event.ts"
import { clockTicked } from "../../schemas/events/observations.ts"
import { runCommand } from "../support/command.ts"
import { eventually } from "../support/eventually.ts"
import { removeDirectory, type Service, startService, temporaryDirectory } from "../support/service.ts"
import { startWorld, type WorldServer } from "../world/server.ts"

const origin = temporaryDirectory()
const directory = temporaryDirectory()
let world: WorldServer | undefined
let service: Service | undefined

afterAll(async () => {
  await service?.end("SIGKILL")
  await world?.close()
  removeDirectory(origin)
  removeDirectory(directory)
})

const tick = makeEvent(clockTicked, {
  id: "tick",
  source: "tidewire/ingest",
  subject: "clock",
  time: "2026-08-17T20:35:00.000Z",
  data: {},
})

it("a service does not fold from an imported log before it was rebuilt, and says so", async () => {
  await Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const log = yield* openLmdbLog({ path: join(origin, "log") })
        const writer = yield* log.claim("ingest", ["observations"])
        yield* writer.commit([{ topic: "observations", key: "clock", value: encodeEvent(tick) }])
      }),
    ),
  )
  const file = join(origin, "log.ndjson")
  for (const [folder, word] of [
    [origin, "export"],
    [directory, "import"],
  ] as const)
    expect(await runCommand({ DATA_DIR: folder }, "infra/log/cli.ts", word, file)).toMatchObject({ code: 0 })

  world = await startWorld({ seed: "imported" })
  service = await startService({
    dataDirectory: directory,
    environment: { UPSTREAMS: world.url, POLL_SECONDS_MAX: "1", LOG_LEVEL: "warn" },
  })
  const { adminUrl } = service
  await eventually("it tells why it is not ready", async () => {
    const text = await (await fetch(`${adminUrl}/readyz`)).text()
    for (const part of ["latest", "reliability", "history"])
      expect(text).toContain(`process ${part}: stopped: the log was imported from another one: run npm run rebuild`)
    return true
  })
  // It polls meanwhile, and what it sees waits in the log.
  expect(await service.json("/api/earthquake")).toMatchObject({ data: null })
})
