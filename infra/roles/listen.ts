import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { FastifyInstance } from "fastify"
import { type ListenFailed, listenFailed, type WantedPort } from "./ports.ts"

/** Listens with a server for the scope; `close` ends it in order. Succeeds with the address. */
export const listen = (
  app: FastifyInstance,
  wanted: WantedPort,
  close: (app: FastifyInstance) => Promise<void> = (one) => one.close(),
): Effect.Effect<string, ListenFailed, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.tryPromise({
      try: () => app.listen({ host: wanted.host, port: wanted.port }),
      catch: (cause) => listenFailed(wanted, cause),
    }),
    () => Effect.promise(() => close(app)),
  )
