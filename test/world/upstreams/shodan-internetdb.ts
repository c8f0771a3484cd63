import ipaddr from "ipaddr.js"
import { simulatedUpstream, type WorldReply } from "../upstream.ts"
import type { World } from "../world.ts"

const DAY_MS = 86_400_000
/** A time server of which the database knows nothing. */
export const UNKNOWN_HOST = "216.239.35.0"
/** A host with more entries than are served. */
export const CROWDED_HOST = "198.41.0.4"

const commonPorts = [22, 25, 53, 80, 123, 443, 853, 3306, 8080, 9999] as const
const software = ["cpe:/a:openbsd:openssh:8.9", "cpe:/a:nginx:nginx", "cpe:/a:isc:bind:9.18.1"] as const
const kinds = ["cloud", "cdn", "eol-product", "self-signed", "starttls", "database"] as const

/** What the database holds about a host of the world, in its own order, constant for a day; null where it knows nothing. */
export const hostAt = (world: World, ip: string) => {
  const day = Math.floor(world.nowMs / DAY_MS)
  const isCrowded = ip === CROWDED_HOST
  if (ip === UNKNOWN_HOST || (!isCrowded && world.random("known", ip) < 0.1)) return null
  const some = <Item>(what: string, items: ReadonlyArray<Item>, share: number) =>
    items.filter((_, at) => world.random(what, ip, at, day) < share)
  const vulnCount = isCrowded ? 50 : Math.floor(world.random("vulns", ip) * 5)
  return {
    // A port is not listed twice, and the order is none.
    ports: isCrowded
      ? Array.from({ length: 40 }, (_, at) => 9_000 - at * 7)
      : [53, ...some("ports", commonPorts, 0.3).filter((port) => port !== 53)].reverse(),
    vulns: Array.from({ length: vulnCount }, (_, at) => `CVE-${2011 + ((at * 7) % 15)}-${1000 + at * 13}`),
    hostnames: [`host-${ip.replaceAll(".", "-")}.example`, ...some("names", ["mail.example", "www.example"], 0.4)],
    tags: some("tags", kinds, 0.3),
    // Some are free text.
    cpes: ["cpe:/a:php:php:5.3.14 ZendServer", ...some("cpes", software, 0.5)],
  }
}

const invalid = (ip: string): WorldReply => ({
  status: 422,
  body: { detail: [{ loc: ["path", "ip"], msg: `${ip} is not a valid public address`, type: "value_error" }] },
})

export default simulatedUpstream({
  name: "shodan-internetdb",
  hosts: ["internetdb.shodan.io"],
  answer: ({ path }, world) => {
    const ip = path.slice(1)
    if (!ipaddr.IPv4.isValidFourPartDecimal(ip) || ipaddr.IPv4.parse(ip).range() !== "unicast") return invalid(ip)
    const host = hostAt(world, ip)
    return host === null
      ? { status: 404, body: { detail: "No information available" } }
      : {
          body: {
            cpes: host.cpes,
            hostnames: host.hostnames,
            ip,
            ports: host.ports,
            tags: host.tags,
            vulns: host.vulns,
          },
        }
  },
})
