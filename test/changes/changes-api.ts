import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import { changingFeeds, makeReady } from "../../api/changes/filter.ts"
import { followChanges } from "../../api/changes/follower.ts"
import { ChangeWindow } from "../../api/changes/window.ts"
import { Traffic } from "../../api/http/traffic.ts"
import { buildApi } from "../../api/server.ts"
import { ViewStore } from "../../api/views/store.ts"
import { makeChangeLog } from "../../processors/changes/change-log.ts"
import { endpoints } from "../../schemas/registry.ts"
import { type AdapterSpec, openAdapter } from "../conformance/log/harness.ts"
import { everythingShown } from "./numbered-changes.ts"

// The doors to the changes over a log, in a process that is killed: `node changes-api.ts '{"log": AdapterSpec, "port": N}'`.

const { log: spec, port } = JSON.parse(process.argv[2] ?? "") as { readonly log: AdapterSpec; readonly port: number }
const UNLIMITED = 1_000_000_000

const serve = Effect.gen(function* () {
  const log = yield* openAdapter(spec)
  const changes = makeChangeLog({ log, archive: null, ...everythingShown })
  // A small window, so that readers often need what was before it.
  const window = new ChangeWindow(makeReady(changingFeeds(endpoints)), { changesMax: 500, bytesMax: 1_000_000 })
  yield* Effect.forkScoped(followChanges(changes, window).pipe(Effect.retry({ while: () => true })))
  const nowMs = Date.now
  const app = yield* Effect.promise(() =>
    buildApi({
      endpoints: endpoints.filter(({ kind, tier }) => kind === "changes" || (tier === "free" && kind === "prepared")),
      store: new ViewStore({ endpoints: [], nowMs }),
      demand: null,
      billing: null,
      changes: { log: changes, window },
      traffic: new Traffic(),
      version: "0.0.0",
      startedAtMs: nowMs(),
      nowMs,
      limits: { changesRequestsPerMinute: UNLIMITED, streamsPerClientMax: 1_000 },
      trustedProxies: [],
      baseUrl: null,
      attribution: new Map(),
      logger: { error: (_, message) => void process.stderr.write(`${message}\n`) },
    }),
  )
  yield* Effect.promise(() => app.listen({ host: "127.0.0.1", port }))
  process.stdout.write("listening\n")
  return yield* Effect.never
})

Effect.runFork(Effect.scoped(serve).pipe(Effect.provide(Logger.layer([]))))
