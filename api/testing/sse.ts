import { open } from "./socket.ts"
import { waitFor } from "./wait-for.ts"

/** A block of a stream: the fields of one event, or of an id alone. */
export type Block = Readonly<Record<string, string>>

const blockOf = (text: string): Block =>
  Object.fromEntries(
    text.split("\n").map((line) => {
      const at = line.indexOf(": ")
      return at === -1 ? [line, ""] : [line.slice(0, at), line.slice(at + 2)]
    }),
  )

/** A reader of the stream over a raw connection. */
export const readStream = (
  port: number,
  path = "/api/stream",
  headers: ReadonlyArray<string> = [],
  version = "1.1",
) => {
  const { socket, state, closed } = open(port)
  socket.write([`GET ${path} HTTP/${version}`, "Host: x", ...headers, "", ""].join("\r\n"))
  const split = () => {
    const at = state.received.indexOf("\r\n\r\n")
    return at === -1 ? null : { head: state.received.slice(0, at), body: state.received.slice(at + 4) }
  }
  const blocks = (): ReadonlyArray<Block> => (split()?.body ?? "").split("\n\n").slice(0, -1).map(blockOf)
  const ids = () => blocks().flatMap(({ event, id }) => (event === "change" && id !== undefined ? [id] : []))
  return {
    socket,
    state,
    closed,
    head: () => split()?.head ?? "",
    /** Everything behind the head. */
    body: () => split()?.body ?? "",
    blocks,
    /** The cursors of the changes. */
    ids,
    /** The last id, of an event or alone. */
    lastId: () => blocks().findLast(({ id }) => id !== undefined)?.id,
    /** Waits until the stream has begun. */
    begun: () =>
      waitFor(() => {
        if (blocks().length === 0) throw new Error("the stream has not begun")
      }),
  }
}
