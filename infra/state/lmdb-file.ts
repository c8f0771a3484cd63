import { closeSync, existsSync, openSync, readFileSync, readSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type StateDamage, StateDamaged } from "../../ledger/state-store.port.ts"

/** Layout of LMDB's two meta pages, which name the last page of the file. Offsets in bytes; the last two from the magic number. */
const MAGIC = 0xbeefc0de
const MAGIC_AT = [16, 24]
const PAGE_SIZES = [4096, 8192, 16_384, 32_768, 65_536]
const LAST_PAGE_AT = 120
const TRANSACTION_AT = 128
const META_BYTES = 160

/** Makes the error for content that is not what was written. */
export const damaged = (problem: string, damage: StateDamage = "damage"): StateDamaged =>
  new StateDamaged({ problem, damage })

/** Throws if the file is shorter than its meta pages state: LMDB would read beyond its end and crash the process. */
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

/** The file is discarded after so many consecutive openings that ended in a crash. */
const TRIES_MAX = 3
/** An opening that survives this long did not crash. */
const TRIAL_MS = 60_000

/**
 * Counts openings of a directory that crashed: a damaged tree may crash the process that reads it, at every start. Throws
 * `StateDamaged` after `TRIES_MAX` of them. Returns the function that ends this trial successfully.
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
