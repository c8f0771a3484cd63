import { closeSync, existsSync, openSync, readFileSync, readSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { StateDamaged } from "../../ledger/state-store.port.ts"

/** Where LMDB's two meta pages say which pages the file must have, in bytes from the magic number. */
const MAGIC = 0xbeefc0de
const MAGIC_AT = [16, 24]
const PAGE_SIZES = [4096, 8192, 16_384, 32_768, 65_536]
const LAST_PAGE_AT = 120
const TRANSACTION_AT = 128
const META_BYTES = 160

/** Says that what the store holds is not what was written. */
export const damaged = (problem: string): StateDamaged => new StateDamaged({ problem })

/** Throws when the file is shorter than its own account of it: LMDB would look behind its end, and the process would die. */
export const expectWhole = (file: string): void => {
  if (!existsSync(file)) return
  const sizeBytes = statSync(file).size
  const descriptor = openSync(file, "r")
  const page = Buffer.alloc(META_BYTES)
  const metaAt = (position: number) => {
    if (readSync(descriptor, page, 0, META_BYTES, position) < META_BYTES) return undefined
    const at = MAGIC_AT.find((one) => page.readUInt32LE(one) === MAGIC)
    if (at === undefined) return undefined
    return { lastPage: page.readBigUInt64LE(at + LAST_PAGE_AT), transaction: page.readBigUInt64LE(at + TRANSACTION_AT) }
  }
  try {
    const first = metaAt(0)
    const pageBytes = PAGE_SIZES.find((bytes) => metaAt(bytes) !== undefined)
    const second = pageBytes === undefined ? undefined : metaAt(pageBytes)
    if (first === undefined || second === undefined || pageBytes === undefined) throw damaged("it is no file of LMDB")
    const { lastPage } = first.transaction > second.transaction ? first : second
    if ((lastPage + 1n) * BigInt(pageBytes) > BigInt(sizeBytes)) throw damaged("its file was cut off")
  } finally {
    closeSync(descriptor)
  }
}

/** Openings in a row that nothing was heard of again, after which the file is no longer trusted. */
const TRIES_MAX = 3
/** How long an opening must live, to be no such one. */
const TRIAL_MS = 60_000

/**
 * Counts the openings of a directory that came to no end: a damaged tree may end the process that walks over it, and
 * would do so at every start. Throws `StateDamaged` after some of them. Gives what ends the trial, well.
 */
export const beginTrial = (directory: string): (() => void) => {
  const file = join(directory, "opening")
  const tries = existsSync(file) ? Number(readFileSync(file, "utf8")) : 0
  if (!(tries < TRIES_MAX)) throw damaged(`${TRIES_MAX} processes died with it`)
  writeFileSync(file, `${tries + 1}`)
  const end = () => {
    clearTimeout(timer)
    rmSync(file, { force: true })
  }
  const timer = setTimeout(end, TRIAL_MS)
  timer.unref()
  return end
}
