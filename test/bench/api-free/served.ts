import { type ChildProcess, execFile, fork } from "node:child_process"
import { promisify } from "node:util"
import { FREE_PATH } from "./free-api.ts"

/** Connections that send requests, each without pause. */
export const CONNECTIONS = 64
const SECONDS = 2

/** The address of a server, and its reply. */
export interface Served {
  readonly address: string
  readonly headers: Readonly<Record<string, string>>
  readonly bytes: string
}

/** A server of the comparison, in its own process. */
export interface FreeServer {
  readonly child: ChildProcess
  readonly served: Served
}

/** Starts a server of the comparison. */
export const serveFree = (which: "tidewire" | "bare"): Promise<FreeServer> =>
  new Promise((resolve, reject) => {
    const child = fork(new URL("./serve.ts", import.meta.url), [which])
    child.once("message", (served) => resolve({ child, served: served as Served }))
    child.once("exit", (code) => reject(new Error(`the ${which} server ended with ${code}`)))
  })

/** Ends a server. */
export const endFree = ({ child }: FreeServer): void => {
  child.removeAllListeners("exit")
  child.disconnect()
}

const run = promisify(execFile)
const autocannon = new URL("../../../node_modules/autocannon/autocannon.js", import.meta.url).pathname

/** Requests a second for the free reply, sent by a separate process. Any status but 200 fails the run. */
export const freeRate = async (address: string): Promise<{ readonly perSecond: number; readonly total: number }> => {
  const { stdout } = await run(process.execPath, [
    autocannon,
    ...["-j", "-n", "-c", String(CONNECTIONS), "-d", String(SECONDS)],
    ...["-H", "accept-encoding=br", "-H", "user-agent=bench/1"],
    `${address}${FREE_PATH}`,
  ])
  const { requests, non2xx, errors } = JSON.parse(stdout)
  if (non2xx > 0 || errors > 0) throw new Error(`${non2xx} answers were not 200, ${errors} connections failed`)
  return { perSecond: requests.average, total: requests.total }
}
