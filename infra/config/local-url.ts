const EVERY_ADDRESS = ["0.0.0.0", "::"]

/** The address at which a server that listens on a host and a port is reached from its own machine. */
export const localUrl = (host: string, port: number): string => {
  const reached = EVERY_ADDRESS.includes(host) ? "127.0.0.1" : host
  return `http://${reached.includes(":") ? `[${reached}]` : reached}:${port}`
}
