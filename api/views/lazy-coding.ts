import { isSmall, type PreparedReply, prepare, prepareNow, type ReplyFacts } from "../http/representation.ts"

/** Replies that are compressed at the same time; beyond it they are sent uncompressed. */
const COMPRESSING_MAX = 2

/** A reply that is sent uncompressed at first. */
export interface LazyReply {
  readonly facts: ReplyFacts
  prepared: PreparedReply
  coding: "none" | "running" | "done"
}

/** Compresses replies that are requested again, on other threads. */
export class LazyCoding {
  #compressing = 0

  /** Compresses a reply in the background, unless it is so already; then calls `changed`. */
  code(reply: LazyReply, changed: () => void): void {
    if (reply.coding !== "none") return
    const { bytes } = reply.prepared.representations.identity
    if (isSmall(bytes)) {
      reply.prepared = prepareNow(bytes, reply.facts)
      reply.coding = "done"
      changed()
      return
    }
    if (this.#compressing >= COMPRESSING_MAX) return
    this.#compressing += 1
    reply.coding = "running"
    // Compression fails only without memory: the rejection stays unhandled and ends the process.
    prepare(bytes, reply.facts).then((prepared) => {
      reply.prepared = prepared
      reply.coding = "done"
      this.#compressing -= 1
      changed()
    })
  }
}

/** Bytes of a reply in all its codings. */
export const bytesOf = ({ representations }: PreparedReply): number =>
  [...new Set(Object.values(representations).map(({ bytes }) => bytes))].reduce((sum, bytes) => sum + bytes.length, 0)
