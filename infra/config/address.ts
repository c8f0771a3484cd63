const EVERY_ADDRESS = ["0.0.0.0", "::"]

/** A host and a port as one text; an IPv6 address stands in brackets. */
export const hostAndPort = (host: string, port: number): string => `${host.includes(":") ? `[${host}]` : host}:${port}`

/** The address at which a server that listens on a host and a port is reached from its own machine. */
export const localUrl = (host: string, port: number): string =>
  `http://${hostAndPort(EVERY_ADDRESS.includes(host) ? "127.0.0.1" : host, port)}`
