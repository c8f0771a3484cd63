import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { defang } from "./cyber-threats.ts"

/** What reverses `defang` for an address in lower case with plain dots. */
const refang = (text: string): string => text.replaceAll("hxxp", "http").replaceAll("[.]", ".").replaceAll("[:]", ":")

describe("defang", () => {
  it.each([
    ["http://120.85.169.98:55871/mozi.m", "hxxp://120[.]85[.]169[.]98:55871/mozi[.]m"],
    ["https://evil.example/a?u=http://other.example", "hxxps://evil[.]example/a?u=hxxp://other[.]example"],
    ["HTTPS://EVIL.EXAMPLE", "HxxPS://EVIL[.]EXAMPLE"],
    ["https:\\\\evil.example", "hxxps:\\\\evil[.]example"],
    ["https:evil.example", "hxxps:evil[.]example"],
    ["http%3A%2F%2Fevil.example", "hxxp%3A%2F%2Fevil[.]example"],
    ["ftp://evil.example/x", "ftp[:]//evil[.]example/x"],
    ["evil.example", "evil[.]example"],
    ["2.26.126.7:80", "2[.]26[.]126[.]7:80"],
    ["[2001:db8::7]:443", "[2001[:]db8[:][:]7]:443"],
    ["http://[2001:db8::7]/x", "hxxp://[2001[:]db8[:][:]7]/x"],
    ["evil\u3002example", "evil[.]example"],
    ["54f01dad36b831af726d6d9596453269", "54f01dad36b831af726d6d9596453269"],
    ["CVE-2025-3248", "CVE-2025-3248"],
  ])("%s becomes %s", (text, expected) => expect(defang(text)).toBe(expected))

  it("leaves no address that a program would open", () => {
    const scheme = fc.constantFrom("http://", "HTTP://", "https://", "hTtPs:\\\\", "https:", "ftp://", "ws://", "")
    fc.assert(
      fc.property(
        scheme,
        fc.webAuthority({ withIPv4: true, withIPv6: true, withPort: true }),
        fc.string(),
        (a, b, c) => {
          const shown = defang(`${a}${b}/${c}`)
          expect(["http:", "https:", "ftp:", "ws:"]).not.toContain(URL.parse(shown)?.protocol)
          expect(shown.replaceAll("[.]", "")).not.toMatch(/[.\u3002\uff0e\uff61]/)
          expect(shown).not.toMatch(/https?(:|%3a)|(?<!hxxps?):[\\/]{2}/i)
        },
      ),
    )
  })
  it("can be reversed", () => {
    fc.assert(
      fc.property(fc.webUrl(), (url) => {
        expect(refang(defang(url))).toBe(url)
      }),
    )
  })
})
