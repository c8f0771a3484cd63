import { IncomingMessage, type ServerResponse } from "node:http"
import type { Socket } from "node:net"

/** Answers a request, when its turn has come. */
export type Turn = (request: IncomingMessage, response: ServerResponse) => void

/** The requests of one connection that have no complete reply yet: one is being answered, the others wait for their turn. */
interface Line {
  readonly unfinishedMax: number
  readonly waiting: Array<readonly [IncomingMessage, ServerResponse, Turn]>
  running: readonly [IncomingMessage, ServerResponse] | null
  /** What ends the connection when nothing waits any more. */
  last: (() => void) | null
  /** `next` is on its way, or stands behind the reply that is being written. */
  busy: boolean
  readonly next: () => void
}

const lines = new WeakMap<Socket, Line>()

const makeLine = (socket: Socket, unfinishedMax: number): Line => {
  const line: Line = {
    unfinishedMax,
    waiting: [],
    running: null,
    last: null,
    busy: false,
    next: () => {
      const first = socket.destroyed || socket.writableEnded ? undefined : line.waiting.shift()
      line.busy = first !== undefined
      if (first === undefined) {
        line.running = null
        line.last?.()
        return
      }
      const [request, response, turn] = first
      line.running = [request, response]
      response.on("close", line.next)
      turn(request, response)
    },
  }
  return line
}

/**
 * Lets the pipelined requests of a connection take turns: the next one is looked at when the reply before it is written.
 * So a connection costs one reply at a time, whether or not its client reads.
 */
export const openLine = (socket: Socket, unfinishedMax: number): void => {
  const line = makeLine(socket, unfinishedMax)
  lines.set(socket, line)
  socket.once("close", () => {
    line.waiting.length = 0
    line.last = null
    line.running?.[1].destroy()
  })
}

/**
 * Answers a request when those before it on its connection are answered, and all that was read with it is parsed: a
 * connection that brought too many at once is ended before the first of them costs anything.
 */
export const inTurn = (request: IncomingMessage, response: ServerResponse, turn: Turn): void => {
  const line = lines.get(request.socket)
  if (line === undefined) {
    turn(request, response)
    return
  }
  line.waiting.push([request, response, turn])
  if (line.busy) return
  line.busy = true
  process.nextTick(line.next)
}

/**
 * Ends a connection from which nothing more is read: at once, or behind the replies that are due on it. A request that has
 * not arrived whole is due none.
 */
export const afterReplies = (socket: Socket, end: () => void): void => {
  const line = lines.get(socket)
  const due = line?.busy === true && (line.running === null || line.running[0].complete || line.waiting.length > 0)
  if (line !== undefined && due) line.last = end
  else end()
}

const isFull = (socket: Socket): boolean => {
  const line = lines.get(socket)
  if (line === undefined) return false
  return line.waiting.length + (line.running === null ? 0 : 1) >= line.unfinishedMax
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
