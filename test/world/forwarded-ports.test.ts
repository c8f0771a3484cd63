import { createServer } from "node:http"
import { expect, it } from "vitest"
import { freePort } from "../support/service.ts"
import { forwardPorts } from "./forwarded-ports.ts"

it("a port of 127.0.0.1 is reached by another address, until it is closed", async () => {
  const port = await freePort()
  const server = createServer((request, response) => response.end(request.url))
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve))
  const other = `http://127.0.0.2:${port}`
  try {
    const forwarded = await forwardPorts("127.0.0.2", [port])
    expect(await (await fetch(`${other}/a`)).text()).toBe("/a")
    await forwarded.close()
    await expect(fetch(`${other}/b`)).rejects.toThrow()
    await expect(forwardPorts("192.0.2.1", [port])).rejects.toThrow("EADDRNOTAVAIL")
  } finally {
    server.closeAllConnections()
    server.close()
  }
})
