import { open } from "lmdb"

/** The lower bound of durable appends: puts into LMDB that each await their flush. */
export const openBareLmdb = (path: string, bytesEach: number) => {
  const database = open<Buffer, number>({ path, noSubdir: false, encoding: "binary", separateFlushed: true })
  const bytes = Buffer.alloc(bytesEach, 120)
  let next = 0
  return {
    put: async (): Promise<void> => {
      await database.put(next++, bytes)
      await database.flushed
    },
    close: () => database.close(),
  }
}
