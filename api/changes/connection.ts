import type { ServerResponse } from "node:http"
import type { Socket } from "node:net"
import type { Connection } from "./streams.ts"

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
