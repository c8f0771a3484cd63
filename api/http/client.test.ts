import type { IncomingMessage } from "node:http"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { makeClients } from "./client.ts"

const request = (remoteAddress: string | undefined, forwarded?: string) =>
  ({
    socket: { remoteAddress },
    headers: forwarded === undefined ? {} : { "x-forwarded-for": forwarded },
  }) as unknown as IncomingMessage

const direct = makeClients([]).clientOf
const behind = makeClients(["10.0.0.0/8", "2001:db8:ffff::/48", "127.0.0.1"]).clientOf

const ipv4 = fc.ipV4().filter((one) => !one.startsWith("10.") && one !== "127.0.0.1")

describe("whose request it is", () => {
  it("is the connection's address without proxies, whatever the header claims", () => {
    fc.assert(
      fc.property(ipv4, fc.string(), (address, claim) => {
        expect(direct(request(address, claim))).toBe(address)
        expect(behind(request(address, claim))).toBe(address)
      }),
    )
  })

  it("counts an IPv4 address and its IPv6 form as one", () => {
    expect(direct(request("::ffff:192.0.2.7"))).toBe("192.0.2.7")
    expect(direct(request("::ffff:c000:207"))).toBe("192.0.2.7")
  })

  it("counts a /64 as one client, and its neighbour as another", () => {
    const one = direct(request("2001:db8:1:2:3:4:5:6"))
    expect(direct(request("2001:db8:1:2:ffff::1"))).toBe(one)
    expect(direct(request("2001:db8:1:3::1"))).not.toBe(one)
  })

  it("is the nearest forwarded address that is no proxy of ours", () => {
    expect(behind(request("10.1.2.3", "203.0.113.9"))).toBe("203.0.113.9")
    expect(behind(request("10.1.2.3", "203.0.113.9, 10.9.9.9"))).toBe("203.0.113.9")
    expect(behind(request("::ffff:10.1.2.3", "203.0.113.9:4711"))).toBe("203.0.113.9")
    expect(behind(request("2001:db8:ffff::1", "[2001:db8:1:2::1]:443"))).toBe(direct(request("2001:db8:1:2::1")))
    expect(behind(request("10.1.2.3", "10.4.4.4"))).toBe("10.4.4.4")
    expect(behind(request("10.1.2.3"))).toBe("10.1.2.3")
  })

  it("cannot be chosen by what a client puts before the proxy's own entry", () => {
    fc.assert(
      fc.property(ipv4, fc.array(fc.oneof(fc.ipV4(), fc.ipV6(), fc.string())), (address, claims) => {
        expect(behind(request("10.0.0.1", [...claims, address].join(", ")))).toBe(address)
      }),
    )
  })

  it("does not believe entries that are no addresses, nor those beyond them", () => {
    for (const entry of ["unknown", "1", "0x7f.1", "1.2.3", "127.1", "_hidden", "::1%eth0%", ""])
      expect(behind(request("10.0.0.1", `198.51.100.1, ${entry}`)), entry).toBe("10.0.0.1")
  })

  it("reads a bounded number of entries", () => {
    expect(behind(request("10.0.0.1", `198.51.100.1, ${Array(100).fill("10.0.0.2").join(", ")}`))).toBe("10.0.0.2")
  })

  it("refuses a range that is none", () => {
    expect(() => makeClients(["10.0.0.0/99"])).toThrow()
    expect(() => makeClients(["anybody"])).toThrow()
  })
})
