import * as Schema from "effect/Schema"
import type { SimulatedUpstream } from "./upstream.ts"

/**
 * What an upstream answers to requests of a path, in place of the world's own answer: a document in the wire format of the
 * provider, which the decoder of its source reads as it reads every other. The faults of the host apply to it too.
 */
export const Answer = Schema.Struct({
  host: Schema.NonEmptyString,
  /** The whole path, without a query: every query of it is answered alike. */
  path: Schema.String.check(Schema.isPattern(/^\//)),
  /** Sent as JSON, or as it is where it is text. */
  body: Schema.Union([Schema.String, Schema.Record(Schema.String, Schema.Json), Schema.Array(Schema.Json)]),
  /** 200 by default. */
  status: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 200, maximum: 599 }))),
  /** `text/plain` for text, else `application/json`. */
  contentType: Schema.optionalKey(Schema.NonEmptyString),
})
export type Answer = typeof Answer.Type

/** The provider that answers some paths with given documents. */
export const withAnswers = (upstream: SimulatedUpstream, answers: ReadonlyArray<Answer>): SimulatedUpstream =>
  answers.length === 0
    ? upstream
    : {
        ...upstream,
        answer: (request, world) => {
          const given = answers.find(({ host, path }) => host === request.host && path === request.path)
          if (given === undefined) return upstream.answer(request, world)
          const { body, status, contentType } = given
          return {
            body,
            ...(status === undefined ? {} : { status }),
            ...(contentType === undefined ? {} : { contentType }),
          }
        },
      }
