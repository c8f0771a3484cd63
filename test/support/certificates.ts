import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** A certificate authority, and a certificate for 127.0.0.1 that it signed; all in PEM form. */
export interface Certificates {
  readonly authority: string
  readonly certificate: string
  /** In PKCS #8, without a password. */
  readonly key: string
}

/** Creates them with openssl. */
export const makeCertificates = (): Certificates => {
  const folder = mkdtempSync(join(tmpdir(), "tidewire-test-"))
  const openssl = (...words: ReadonlyArray<string>) =>
    execFileSync("openssl", words, { cwd: folder, stdio: ["ignore", "pipe", "pipe"] })
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-noenc"]
  try {
    openssl("req", "-x509", ...key, "-keyout", "ca.key", "-out", "ca.pem", "-days", "2", "-subj", "/CN=test authority")
    openssl("req", "-new", ...key, "-keyout", "broker.key", "-out", "broker.csr", "-subj", "/CN=broker")
    writeFileSync(join(folder, "names"), "subjectAltName=IP:127.0.0.1,DNS:localhost\n")
    const signed = ["-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2", "-extfile", "names"]
    openssl("x509", "-req", "-in", "broker.csr", ...signed, "-out", "broker.pem")
    const read = (name: string) => readFileSync(join(folder, name), "utf8")
    return { authority: read("ca.pem"), certificate: read("broker.pem"), key: read("broker.key") }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
