import { connect, type Socket } from "node:net"
import { sharedNowMs } from "../process-time.ts"

// Readers on bare sockets, in a process of their own. Answers each message, a `ReadersCommand`, with a `ReadersReport`.

export type ReadersCommand =
  | ({ readonly do: "open" } & Opening)
  /** Asks for the number of deliveries. */
  | { readonly do: "count" }
  /** Asks for the deliveries, and forgets them. */
  | { readonly do: "collect" }
  | { readonly do: "close" }

/** Streams to open. */
export interface Opening {
  readonly port: number
  readonly count: number
  /** The path and query, in which `{n}` stands for the number of the stream. */
  readonly path: string
  /** Streams of one local address; by default as many as it has ports for. */
  readonly perAddress?: number
  /** Whether their changes are read; otherwise only the head of each reply is, which shows that the stream is open. */
  readonly isRead: boolean
}

export interface ReadersReport {
  readonly open: number
  /** Changes that were read. */
  readonly deliveries: number
  /** Reads that held a change: those of one commit come together. */
  readonly reads: number
  /** When each reader got the change of a number, on the clock of `sharedNowMs`. */
  readonly gotMs: ReadonlyArray<readonly [ordinal: number, atMs: ReadonlyArray<number>]>
}

const OPENING_AT_ONCE = 128
const PER_ADDRESS = 2_000
/** Stands in every change, before its cursor. */
const MARK = Buffer.from('"cursor":"')
const ORDINAL_AT = MARK.length + "testtest.".length
const ORDINAL_DIGITS = 12

const sockets = new Set<Socket>()
// Shared by all sockets, as each read is looked at before the next one.
const buffer = Buffer.alloc(64 * 1024)
const gotMs = new Map<number, Array<number>>()
let deliveries = 0
let reads = 0
let opened = 0
let failure: string | null = null

/** Notes the changes of the first `length` bytes. */
const note = (length: number): void => {
  const atMs = sharedNowMs()
  const before = deliveries
  for (let at = buffer.indexOf(MARK); at !== -1 && at < length; at = buffer.indexOf(MARK, at + ORDINAL_AT)) {
    const ordinal = Number(buffer.toString("latin1", at + ORDINAL_AT, at + ORDINAL_AT + ORDINAL_DIGITS))
    const got = gotMs.get(ordinal)
    if (got === undefined) gotMs.set(ordinal, [atMs])
    else got.push(atMs)
    deliveries += 1
  }
  if (deliveries > before) reads += 1
}

const openOne = ({ port, path, isRead, perAddress = PER_ADDRESS }: Opening): Promise<void> =>
  new Promise((resolve, reject) => {
    const number = opened++
    let isOpen = false
    const socket = connect({
      ...{ port, host: "127.0.0.1", localAddress: `127.0.0.${1 + Math.floor(number / perAddress)}` },
      onread: {
        buffer,
        callback: (length) => {
          if (isOpen) note(length)
          else if (buffer.toString("latin1", 0, 12) === "HTTP/1.1 200") resolve()
          else reject(new Error(`a stream was answered with ${buffer.toString("latin1", 0, Math.min(length, 400))}`))
          isOpen = true
          return isRead
        },
      },
    })
    socket.on("error", reject)
    socket.on("close", () => {
      if (sockets.delete(socket) && isRead) failure = `a stream of ${path} has ended`
    })
    sockets.add(socket)
    socket.write(
      `GET ${path.replace("{n}", String(number))} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAccept: text/event-stream\r\n\r\n`,
    )
  })

const openAll = async (opening: Opening): Promise<void> => {
  let left = opening.count
  const openInTurn = async () => {
    while (left > 0) {
      left -= 1
      await openOne(opening)
    }
  }
  await Promise.all(Array.from({ length: OPENING_AT_ONCE }, openInTurn))
}

const closeAll = (): void => {
  const closing = [...sockets]
  sockets.clear()
  for (const socket of closing) socket.destroy()
}

const report = (withTimes: boolean): ReadersReport => {
  const reported: ReadersReport = { open: sockets.size, deliveries, reads, gotMs: withTimes ? [...gotMs] : [] }
  if (withTimes) {
    gotMs.clear()
    deliveries = 0
    reads = 0
  }
  return reported
}

// What fails ends the process, and so the benchmark.
process.on("message", async (command: ReadersCommand) => {
  if (command.do === "open") await openAll(command)
  if (command.do === "close") closeAll()
  if (failure !== null) throw new Error(failure)
  process.send?.(report(command.do === "collect"))
})
process.once("disconnect", () => process.exit(0))
