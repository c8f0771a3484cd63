import type { ServerResponse } from "node:http"
import type { Socket } from "node:net"

/** The way to one reader. */
export interface Connection {
  /** Bytes that were written and not yet taken by the network. */
  readonly unsentBytes: number
  readonly write: (bytes: Buffer) => void
  /** Ends when everything written is sent. */
  readonly end: () => void
  readonly destroy: () => void
}

/**
 * The connection of a reply whose head is sent and whose body ends with it. Bytes go to the socket directly, past the framing
 * of the response, which has none.
 */
export class SocketConnection implements Connection {
  readonly #response: ServerResponse
  readonly #socket: Socket

  constructor(response: ServerResponse, socket: Socket) {
    this.#response = response
    this.#socket = socket
  }

  get unsentBytes(): number {
    return this.#socket.writableLength
  }

  write(bytes: Buffer): void {
    if (this.#socket.writable) this.#socket.write(bytes)
  }

  end(): void {
    this.#response.end()
  }

  destroy(): void {
    this.#socket.destroy()
  }
}
