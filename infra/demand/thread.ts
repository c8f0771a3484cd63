import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Parameters } from "../../schemas/feed.ts"
import { type Demand, type DemandedView, DemandFailed } from "../../schemas/ports/demand.ts"
import { unavailable, withinTimeout } from "./refusals.ts"

/** A demand request as a message between threads. */
export interface DemandMessage {
  readonly type: "demand"
  readonly id: number
  readonly path: string
  readonly parameters: Parameters
}

/** Members of a refusal: an error loses its class between threads. */
type Refusal = ConstructorParameters<typeof DemandFailed>[0]

/** The answer to the request of the same `id`. */
export interface DemandedMessage {
  readonly type: "demanded"
  readonly id: number
  readonly answer: { readonly view: DemandedView } | { readonly refusal: Refusal }
}

/** Answers a request. `demand` is null while this thread does not ingest. */
export const answerDemand = (
  demand: Demand | null,
  { id, path, parameters }: DemandMessage,
): Effect.Effect<DemandedMessage> =>
  (demand === null ? Effect.fail(unavailable()) : demand.observe(path, parameters)).pipe(
    Effect.catchDefect((defect) => Effect.andThen(Effect.logError("a demand failed", defect), unavailable())),
    Effect.result,
    Effect.map((answer): DemandedMessage["answer"] => {
      if (Result.isSuccess(answer)) return { view: answer.success }
      const { reason, retryAfterSeconds, restingSources } = answer.failure
      return { refusal: { reason, retryAfterSeconds, ...(restingSources === undefined ? {} : { restingSources }) } }
    }),
    Effect.map((answer) => ({ type: "demanded", id, answer })),
  )

/** Sends demand requests to the thread that ingests. `answered` takes its messages. Fails with `DemandFailed` only. */
export const makeThreadDemand = (options: {
  readonly send: (message: DemandMessage) => void
  readonly timeoutMs?: number
}): { readonly demand: Demand; readonly answered: (message: DemandedMessage) => void } => {
  const waiting = new Map<number, (answer: DemandedMessage["answer"]) => void>()
  let requests = 0
  const request = (path: string, parameters: Parameters): Effect.Effect<DemandedMessage["answer"]> =>
    Effect.callback((resume) => {
      const id = ++requests
      waiting.set(id, (answer) => resume(Effect.succeed(answer)))
      options.send({ type: "demand", id, path, parameters })
      return Effect.sync(() => waiting.delete(id))
    })
  return {
    demand: {
      observe: (path, parameters) =>
        request(path, parameters).pipe(
          Effect.flatMap((answer) =>
            "view" in answer ? Effect.succeed(answer.view) : Effect.fail(new DemandFailed(answer.refusal)),
          ),
          withinTimeout(options.timeoutMs),
        ),
    },
    answered: ({ id, answer }) => {
      waiting.get(id)?.(answer)
      waiting.delete(id)
    },
  }
}
