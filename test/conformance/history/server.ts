import { startClickHouse } from "../../support/docker.ts"
import { eventually } from "../../support/eventually.ts"
import { type Engine, openLine } from "./harness.ts"

/** Starts a ClickHouse server in a container. */
export const startServer = async (): Promise<Engine> => {
  const server = await startClickHouse()
  // The container has another port after a restart: the proxy keeps the address.
  let url = server.url
  const line = await openLine(() => url)
  return {
    options: { url: line.url, user: server.username, password: server.password },
    kill: async () => {
      await server.container.restart({ timeout: 0 })
      url = server.container.getHttpUrl()
      await eventually(
        "the server is back",
        async () => (await fetch(`${url}/ping`).catch(() => undefined))?.ok === true,
      )
    },
    stop: async () => {
      await line.close()
      await server.stop()
    },
  }
}
