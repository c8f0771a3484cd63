import { isDiskLow } from "../../config/disk.ts"

/** What a full disk says: no space, quota (Linux, macOS), file size limit, and LMDB's own words for no more pages. */
const FULL_CODES: ReadonlySet<unknown> = new Set([28, 122, 69, 27, -30792, -30788])
/** LMDB reports a write that was cut short, as by a disk that became full, as an input or output error. */
const INPUT_OUTPUT_ERROR = 5
/** How long the library may take to give the reason of a failed commit, in milliseconds: it follows at once. */
const REASON_MS_MAX = 1_000

const codeOf = (error: unknown): unknown =>
  typeof error === "object" && error !== null && "code" in error ? error.code : undefined

/**
 * Why a transaction of the library failed, from the error with which it rejected; `committing` says whether it failed at
 * its commit. The library rejects with one error for all of a failed commit and puts the reason behind a promise of its
 * own, `commitError`: one that is left alone ends the process as an unhandled rejection.
 */
export const lmdbFailure = async (
  error: unknown,
): Promise<{ readonly cause: unknown; readonly committing: boolean }> => {
  if (typeof error !== "object" || error === null || !("commitError" in error))
    return { cause: error, committing: false }
  const reason = Promise.resolve(error.commitError).catch((cause: unknown) => cause)
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<unknown>((resolve) => {
    timer = setTimeout(() => resolve(error), REASON_MS_MAX)
  })
  try {
    return { cause: await Promise.race([reason, late]), committing: true }
  } finally {
    clearTimeout(timer)
  }
}

/** Whether an error of the library, or of the system, says that the disk of a path is full. */
export const saysFull = (path: string, error: unknown): boolean => {
  const code = codeOf(error)
  return (
    FULL_CODES.has(code) || code === "ENOSPC" || code === "EDQUOT" || (code === INPUT_OUTPUT_ERROR && isDiskLow(path))
  )
}
