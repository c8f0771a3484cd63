import { execFileSync } from "node:child_process"
import { appendFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { removeDirectory, temporaryDirectory } from "./service.ts"

/** A mounted file system of bounded size. */
export interface SmallDisk {
  readonly path: string
  /** Fills the free space. */
  readonly fill: () => void
  /** Releases it. */
  readonly empty: () => void
  readonly close: () => void
}

const FILLER = "filler"
const CHUNKS_BYTES = [1024 * 1024, 4096]

const isNoSpace = (cause: unknown): boolean =>
  cause instanceof Error && "code" in cause && (cause.code === "ENOSPC" || cause.code === "EDQUOT")

/** Mounts a disk of so many megabytes, which requires root. */
export const mountSmallDisk = (megabytes: number): SmallDisk => {
  const path = temporaryDirectory()
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m`, "tidewire-test", path], { stdio: "pipe" })
  return {
    path,
    fill: () => {
      for (const bytes of CHUNKS_BYTES)
        try {
          for (;;) appendFileSync(join(path, FILLER), Buffer.alloc(bytes))
        } catch (cause) {
          if (!isNoSpace(cause)) throw cause
        }
    },
    empty: () => rmSync(join(path, FILLER), { force: true }),
    close: () => {
      execFileSync("umount", ["--lazy", path], { stdio: "pipe" })
      removeDirectory(path)
    },
  }
}

/** The reason why no disk can be mounted; undefined if one can. */
export const smallDiskMissing = (): string | undefined => {
  try {
    mountSmallDisk(1).close()
    return undefined
  } catch (cause) {
    return `no file system can be mounted here (${cause instanceof Error ? (cause.message.split("\n")[0] ?? "") : String(cause)})`
  }
}
