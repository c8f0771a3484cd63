import { eventually } from "../../support/eventually.ts"
import { removeDirectory, type Service, startService, temporaryDirectory } from "../../support/service.ts"
import { type FreeReply, freeReplies } from "../../support/some-feed.ts"
import { startWorld } from "../../world/server.ts"

/** Answers of a host that are remembered. */
const REMEMBERED = 256

const isFilled = async (service: Service, { path }: FreeReply): Promise<boolean> => {
  const { data, _meta } = (await service.json(path)) as {
    readonly data?: unknown
    readonly _meta: { readonly stale: boolean }
  }
  return data !== null && !_meta.stale
}

/** The whole service as it is installed, with every feed at its own interval, against the simulated world in its own time. */
export interface EveryFeedService {
  readonly service: Service
  readonly pid: number
  /** Requests to upstreams until now. */
  readonly polled: () => number
  /** When the hosts of upstreams last answered. */
  readonly answeredMs: ReadonlyMap<string, ReadonlyArray<number>>
  /** How long it took from the start until every free endpoint had data. */
  readonly filledMs: number
  readonly end: () => Promise<void>
}

/** Starts the service, and waits until every free endpoint has data. */
export const startEveryFeed = async (): Promise<EveryFeedService> => {
  const directory = temporaryDirectory()
  const answeredMs = new Map<string, Array<number>>()
  const world = await startWorld({
    seed: "every-feed",
    onAnswered: ({ host }) => {
      const times = answeredMs.get(host) ?? []
      times.push(Date.now())
      if (times.length > REMEMBERED) times.shift()
      answeredMs.set(host, times)
    },
  })
  const startedMs = Date.now()
  const service = await startService({
    asInstalled: true,
    dataDirectory: directory,
    environment: { UPSTREAMS: world.url, LOG_LEVEL: "error", REQUESTS_PER_DAY: "1000000000" },
  })
  const end = async () => {
    await service.end("SIGTERM")
    await world.close()
    removeDirectory(directory)
  }
  try {
    await service.ready()
    for (const one of freeReplies) await eventually(`${one.path} has data`, () => isFilled(service, one))
  } catch (cause) {
    await end()
    throw cause
  }
  return {
    service,
    pid: service.child.pid ?? 0,
    polled: () => [...world.requests.values()].reduce((sum, count) => sum + count, 0),
    answeredMs,
    filledMs: Date.now() - startedMs,
    end,
  }
}
