import { connect } from "node:net"

// `node burst.ts PORT CONNECTIONS`: each connection sends pipelined requests in one write, and reads no reply.

const WRITE_BYTES = 65_000
const REQUEST = "GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n"

const [port, connections] = process.argv.slice(2).map(Number)
const burst = REQUEST.repeat(Math.floor(WRITE_BYTES / REQUEST.length))
for (let count = 0; count < (connections ?? 0); count++) {
  const socket = connect({ host: "127.0.0.1", port: port ?? 0 })
  socket.on("error", () => undefined)
  socket.pause()
  socket.write(burst)
}
process.send?.("sent")
process.on("disconnect", () => process.exit(0))
