import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Observation } from "../../ingestors/poll/poller.ts"
import { DemandFailed } from "../../schemas/ports/demand.ts"
import { type Observe, type ObserveRequest, unavailable, withinTimeout } from "./observe.ts"

/** A demand request as a message between threads. */
export interface DemandMessage {
  readonly type: "demand"
  readonly id: number
  readonly request: ObserveRequest
}

/** Members of a refusal: an error loses its class between threads. */
type Refusal = ConstructorParameters<typeof DemandFailed>[0]

/** The answer to the request of the same `id`. */
export interface DemandedMessage {
  readonly type: "demanded"
  readonly id: number
  readonly answer: { readonly observations: ReadonlyArray<Observation> } | { readonly refusal: Refusal }
}

/** Answers a request. `observe` is null while this thread does not ingest. */
export const answerDemand = (observe: Observe | null, { id, request }: DemandMessage): Effect.Effect<DemandedMessage> =>
  (observe === null ? Effect.fail(unavailable()) : observe(request)).pipe(
    Effect.catchDefect((defect) => Effect.andThen(Effect.logError("a demand failed", defect), unavailable())),
    Effect.result,
    Effect.map((answer): DemandedMessage["answer"] => {
      if (Result.isSuccess(answer)) return { observations: answer.success }
      const { reason, retryAfterSeconds, restingSources } = answer.failure
      return { refusal: { reason, retryAfterSeconds, ...(restingSources === undefined ? {} : { restingSources }) } }
    }),
    Effect.map((answer) => ({ type: "demanded", id, answer })),
  )

/** Sends demand requests to the thread that ingests. `answered` takes its messages. Fails with `DemandFailed` only. */
export const makeThreadObserve = (options: {
  readonly send: (message: DemandMessage) => void
  readonly timeoutMs?: number
}): { readonly observe: Observe; readonly answered: (message: DemandedMessage) => void } => {
  const waiting = new Map<number, (answer: DemandedMessage["answer"]) => void>()
  let requests = 0
  const ask = (request: ObserveRequest): Effect.Effect<DemandedMessage["answer"]> =>
    Effect.callback((resume) => {
      const id = ++requests
      waiting.set(id, (answer) => resume(Effect.succeed(answer)))
      options.send({ type: "demand", id, request })
      return Effect.sync(() => waiting.delete(id))
    })
  return {
    observe: (request) =>
      ask(request).pipe(
        Effect.flatMap((answer) =>
          "refusal" in answer ? Effect.fail(new DemandFailed(answer.refusal)) : Effect.succeed(answer.observations),
        ),
        withinTimeout(options.timeoutMs),
      ),
    answered: ({ id, answer }) => {
      waiting.get(id)?.(answer)
      waiting.delete(id)
    },
  }
}
