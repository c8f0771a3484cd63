import { IncomingMessage, type ServerResponse } from "node:http"
import type { Socket } from "node:net"

/** Answers a request once those before it on its connection are answered. */
export type AnswerRequest = (request: IncomingMessage, response: ServerResponse) => void

/** The requests of one connection without a complete reply: one is being answered, the others wait. */
interface Pipeline {
  readonly unfinishedMax: number
  readonly waiting: Array<readonly [IncomingMessage, ServerResponse, AnswerRequest]>
  running: readonly [IncomingMessage, ServerResponse] | null
  /** Ends the connection once no request waits; null while it stays open. */
  last: (() => void) | null
  /** Whether `next` is scheduled, or will run when the current reply is written. */
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
 * Serialises the pipelined requests of a connection: the next one is processed when the reply before it is written. A
 * connection thus costs one reply at a time, also where its client does not read.
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
 * Answers a request when those before it on its connection are answered, and everything received with it is parsed: a
 * connection with too many requests at once is ended before the first of them is processed.
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

/** Whether a request that was received whole is still to be answered. */
const isReplyDue = ({ busy, waiting, running }: Pipeline): boolean =>
  busy && (waiting.length > 0 || running?.[0].complete === true)

/** Whether a connection waits for its client: to send a request, the rest of one, or to read what was sent. */
export const waitsForClient = (socket: Socket): boolean => {
  const pipeline = pipelines.get(socket)
  return pipeline === undefined || !isReplyDue(pipeline) || socket.writableLength > 0
}

/**
 * Ends a connection from which no more is read: at once, or after the replies that are due on it. None is due for an
 * incomplete request, which is not processed if it still waits: its body would never end.
 */
export const afterReplies = (socket: Socket, end: () => void): void => {
  const pipeline = pipelines.get(socket)
  if (pipeline?.waiting.at(-1)?.[0].complete === false) pipeline.waiting.pop()
  if (pipeline !== undefined && isReplyDue(pipeline)) pipeline.last = end
  else end()
}

const isFull = (socket: Socket): boolean => {
  const pipeline = pipelines.get(socket)
  if (pipeline === undefined) return false
  return pipeline.waiting.length + (pipeline.running === null ? 0 : 1) >= pipeline.unfinishedMax
}

/**
 * A request as Node's parser makes it. The parser processes everything received at once, which may be thousands of
 * requests, and stops early only at a request to upgrade the protocol. A request beyond the bound of its connection
 * therefore reports an upgrade: Node emits `upgrade`, and ends the connection as it has no listener.
 */
export class BoundedRequest extends IncomingMessage {
  declare private isUpgrade: boolean
  /**
   * Whether the parser stopped behind this request, as another protocol may begin there. Where the upgrade is not taken, Node
   * drops what was received with the request, perhaps half a request, so what follows can no longer be read.
   */
  declare endsReading: boolean | undefined

  get upgrade(): boolean {
    return this.isUpgrade
  }

  // Set by the parser before the request joins its pipeline; read again when everything is parsed.
  set upgrade(requested: boolean | null) {
    // Node sets it once more, to false, where the upgrade is not taken.
    if (requested === true) this.endsReading = true
    this.isUpgrade = requested === true || isFull(this.socket)
  }
}
