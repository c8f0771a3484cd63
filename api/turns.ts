import { IncomingMessage, type ServerResponse } from "node:http"
import type { Socket } from "node:net"

/** Answers a request, when its turn has come. */
export type AnswerRequest = (request: IncomingMessage, response: ServerResponse) => void

/** The requests of one connection that have no complete reply yet: one is being answered, the others wait for their turn. */
interface Pipeline {
  readonly unfinishedMax: number
  readonly waiting: Array<readonly [IncomingMessage, ServerResponse, AnswerRequest]>
  running: readonly [IncomingMessage, ServerResponse] | null
  /** What ends the connection when nothing waits any more. */
  last: (() => void) | null
  /** `next` is on its way, or stands behind the reply that is being written. */
  busy: boolean
  readonly next: () => void
}

const pipelines = new WeakMap<Socket, Pipeline>()

const makePipeline = (socket: Socket, unfinishedMax: number): Pipeline => {
  const pipeline: Pipeline = {
    unfinishedMax,
    waiting: [],
    running: null,
    last: null,
    busy: false,
    next: () => {
      const first = socket.destroyed || socket.writableEnded ? undefined : pipeline.waiting.shift()
      pipeline.busy = first !== undefined
      if (first === undefined) {
        pipeline.running = null
        pipeline.last?.()
        return
      }
      const [request, response, turn] = first
      pipeline.running = [request, response]
      response.on("close", pipeline.next)
      turn(request, response)
    },
  }
  return pipeline
}

/**
 * Lets the pipelined requests of a connection take turns: the next one is looked at when the reply before it is written.
 * So a connection costs one reply at a time, whether or not its client reads.
 */
export const openPipeline = (socket: Socket, unfinishedMax: number): void => {
  const pipeline = makePipeline(socket, unfinishedMax)
  pipelines.set(socket, pipeline)
  socket.once("close", () => {
    pipeline.waiting.length = 0
    pipeline.last = null
    pipeline.running?.[1].destroy()
  })
}

/**
 * Answers a request when those before it on its connection are answered, and all that was read with it is parsed: a
 * connection that brought too many at once is ended before the first of them costs anything.
 */
export const answerInOrder = (request: IncomingMessage, response: ServerResponse, turn: AnswerRequest): void => {
  const pipeline = pipelines.get(request.socket)
  if (pipeline === undefined) {
    turn(request, response)
    return
  }
  pipeline.waiting.push([request, response, turn])
  if (pipeline.busy) return
  pipeline.busy = true
  process.nextTick(pipeline.next)
}

/**
 * Ends a connection from which nothing more is read: at once, or behind the replies that are due on it. A request that has
 * not arrived whole is due none.
 */
export const afterReplies = (socket: Socket, end: () => void): void => {
  const pipeline = pipelines.get(socket)
  const due =
    pipeline?.busy === true &&
    (pipeline.running === null || pipeline.running[0].complete || pipeline.waiting.length > 0)
  if (pipeline !== undefined && due) pipeline.last = end
  else end()
}

const isFull = (socket: Socket): boolean => {
  const pipeline = pipelines.get(socket)
  if (pipeline === undefined) return false
  return pipeline.waiting.length + (pipeline.running === null ? 0 : 1) >= pipeline.unfinishedMax
}

/**
 * A request as Node's parser makes it. The parser goes through all that it read at once, which may be thousands of
 * requests, and ends early only at one that changes the protocol. So a request beyond the bound of its connection claims
 * to be one: Node hands it to the listeners of `upgrade`, and ends the connection because there are none.
 */
export class BoundedRequest extends IncomingMessage {
  declare private asked: boolean

  get upgrade(): boolean {
    return this.asked
  }

  // Set by the parser before the request joins its line; read again when everything is parsed.
  set upgrade(asked: boolean | null) {
    this.asked = asked === true || isFull(this.socket)
  }
}
