import { isDiskLow } from "../../config/disk.ts"

/** Error codes of a full disk: no space, quota (Linux, macOS), file size limit, and LMDB's two codes for a full map. */
const FULL_CODES: ReadonlySet<unknown> = new Set([28, 122, 69, 27, -30792, -30788])
/** LMDB reports a short write, as on a disk that became full, as an input/output error (EIO). */
const INPUT_OUTPUT_ERROR = 5
/** Longest wait for the library's reason of a failed commit, which normally follows at once. */
const REASON_MS_MAX = 1_000

const codeOf = (error: unknown): unknown =>
  typeof error === "object" && error !== null && "code" in error ? error.code : undefined

/**
 * Finds the cause of a failed transaction from the error with which it rejected; `committing` is true if its commit failed.
 * The library rejects every transaction of a failed commit with one error, whose member `commitError` is a promise of the
 * cause. That promise must be handled: an unhandled rejection ends the process.
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

/** Tests whether an error of the library, or of the system, means that the disk of a path is full. */
export const isDiskFull = (path: string, error: unknown): boolean => {
  const code = codeOf(error)
  return (
    FULL_CODES.has(code) || code === "ENOSPC" || code === "EDQUOT" || (code === INPUT_OUTPUT_ERROR && isDiskLow(path))
  )
}
