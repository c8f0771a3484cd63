import type { ChildProcess } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { FREE_PATH } from "../api-free/free-api.ts"
import { CONNECTIONS, endFree, type FreeServer, freeRate, type Served, serveFree } from "../api-free/served.ts"
import { benchmark, interleaved, median } from "../benchmark.ts"
import { startNginx } from "../nginx.ts"

const ROUNDS = 9

const TIDEWIRE = "Tidewire, all features on"
const BARE = "bare Fastify route, same bytes and headers"
const NGINX = "nginx, same bytes and headers"

const cpuMicros = (child: ChildProcess): Promise<number> =>
  new Promise((resolve) => {
    child.once("message", (message: { readonly cpuMicros: number }) => resolve(message.cpuMicros))
    child.send("cpu")
  })

/** Headers that nginx adds, or takes from the file. */
const OF_NGINX = new Set(["content-length", "content-type", "etag", "last-modified"])

/** nginx, serving the same bytes as a file; null where it is not installed. */
const serveByNginx = ({ headers, bytes }: Served) =>
  startNginx({
    locations: (directory) => {
      writeFileSync(join(directory, "reply"), Buffer.from(bytes, "base64"))
      const added = Object.entries(headers).filter(([name]) => !OF_NGINX.has(name))
      return `location = ${FREE_PATH} { alias ${directory}/reply; default_type "application/json; charset=utf-8";
${added.map(([name, value]) => `add_header ${name} '${value.replaceAll("'", "\\'")}';`).join("\n")} }`
    },
  })

export default benchmark({
  name: "api-free",
  title: `a free reply, ${CONNECTIONS} connections, brotli`,
  budget: [{ label: TIDEWIRE, of: "ratio", atLeast: 0.9 }],
  run: async () => {
    const [tidewire, bare] = await Promise.all([serveFree("tidewire"), serveFree("bare")])
    const nginx = await serveByNginx(tidewire.served)
    try {
      // Processor time is reported too: unlike the rate, it hardly depends on the load of the machine.
      const cpu = new Map<string, Array<number>>([TIDEWIRE, BARE].map((label) => [label, []]))
      const measured =
        (label: string, { child, served }: FreeServer) =>
        async () => {
          const before = await cpuMicros(child)
          const { perSecond, total } = await freeRate(served.address)
          cpu.get(label)?.push(((await cpuMicros(child)) - before) / total)
          return perSecond
        }
      const contenders: Readonly<Record<string, () => Promise<number>>> = {
        [TIDEWIRE]: measured(TIDEWIRE, tidewire),
        [BARE]: measured(BARE, bare),
        ...(nginx === null
          ? {}
          : { [NGINX]: async () => (await freeRate(`http://127.0.0.1:${nginx.port}`)).perSecond }),
      }
      // A warm-up round of all contenders.
      for (const contender of Object.values(contenders)) await contender()
      for (const figures of cpu.values()) figures.length = 0
      const figures = await interleaved(ROUNDS, contenders)
      return [
        ...Object.entries(figures).map(([label, value]) => ({
          label,
          value,
          unit: "requests/s",
          ...(label === BARE ? {} : { ratioTo: BARE }),
        })),
        ...[...cpu].map(([label, values]) => ({
          label: `processor time: ${label}`,
          value: median(values),
          unit: "us/request",
          ...(label === BARE ? {} : { ratioTo: `processor time: ${BARE}` }),
        })),
      ]
    } finally {
      await nginx?.stop()
      for (const one of [tidewire, bare]) endFree(one)
    }
  },
})
