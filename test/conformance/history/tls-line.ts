import { connect } from "node:net"
import { createServer } from "node:tls"
import type { Certificates } from "../../support/certificates.ts"

/** A TLS proxy in front of ClickHouse. */
export interface TlsLine {
  readonly url: string
  readonly close: () => Promise<void>
}

/** Opens a proxy to `url`, which serves HTTP. */
export const openTlsLine = (url: string, { certificate, key }: Certificates): Promise<TlsLine> =>
  new Promise((resolve, reject) => {
    const target = new URL(url)
    const server = createServer({ cert: certificate, key }, (near) => {
      const far = connect(Number(target.port), target.hostname)
      near.on("error", () => far.destroy())
      far.on("error", () => near.destroy())
      near.pipe(far).pipe(near)
    })
    // A client that does not trust the certificate closes the connection.
    server.on("tlsClientError", () => {})
    server.once("error", reject)
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      if (address === null || typeof address === "string") return reject(new Error("no port"))
      resolve({
        url: `https://127.0.0.1:${address.port}`,
        close: () => new Promise((closed) => server.close(() => closed())),
      })
    })
  })
