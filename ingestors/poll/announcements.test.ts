import { describe, expect, it } from "vitest"
import { ANNOUNCEMENTS_MAX, type Announcement } from "../../schemas/events/observations.ts"
import { afterAnswers, readAnnouncements } from "./announcements.ts"

const AT = "1994-11-06T08:49:37.000Z"
const none = { sunset: [], deprecation: [], warning: [] }

describe("the headers of an answer", () => {
  it.each([
    ["Sun, 06 Nov 1994 08:49:37 GMT", AT, null],
    ["Sunday, 06-Nov-94 08:49:37 GMT", AT, null],
    ["Sun Nov  6 08:49:37 1994", AT, null],
    ["1994-11-06T08:49:37Z", AT, null],
    ["@784111777", AT, null],
    ["soon", null, "soon"],
    ["Sun, 31 Feb 2027 08:49:37 GMT", null, "Sun, 31 Feb 2027 08:49:37 GMT"],
    ["@99999999999", null, "@99999999999"],
    ["@-5", null, "@-5"],
  ])("a Sunset of %o is at %s, with the words %o", (header, at, text) => {
    expect(readAnnouncements({ ...none, sunset: [header] })).toEqual([{ header: "Sunset", at, text }])
  })

  it.each<[string, ReadonlyArray<object>]>([
    ["@784111777", [{ header: "Deprecation", at: AT, text: null }]],
    ["Sun, 06 Nov 1994 08:49:37 GMT", [{ header: "Deprecation", at: AT, text: null }]],
    ["true", [{ header: "Deprecation", at: null, text: null }]],
    ["?1", [{ header: "Deprecation", at: null, text: null }]],
    ["false", []],
    ["?0", []],
    [" ", []],
  ])("a Deprecation of %o is %o", (header, expected) => {
    expect(readAnnouncements({ ...none, deprecation: [header] })).toEqual(expected)
  })

  it.each<[string, ReadonlyArray<string>]>([
    ['299 - "Use v2"', ["299 Use v2"]],
    ['299 api.example:80 "say \\"no\\", twice" "Sun, 06 Nov 1994 08:49:37 GMT"', ['299 say "no", twice']],
    ['110 cache-7 "Response is stale", 299 - "Ends"', ["110 Response is stale", "299 Ends"]],
    ["this API ends", ["this API ends"]],
  ])("a Warning of %o says %o", (header, texts) => {
    expect(readAnnouncements({ ...none, warning: [header] }).map(({ text }) => text)).toEqual(texts)
  })

  it("no more than a few values of each are read, without repetition", () => {
    const many = Array.from({ length: 500 }, (_, index) => `299 - "ends ${index % 250}"`)
    expect(readAnnouncements({ ...none, warning: [many.join(", "), ...many] }).length).toBeLessThanOrEqual(4)
  })
})

describe("what stands after the answers of a poll", () => {
  const sunset = (document: string, provider = "A.list"): Announcement => ({
    provider,
    document,
    header: "Sunset",
    at: AT,
    text: null,
  })
  const of = { provider: "A.list", documents: ["one", "other"] }

  it("a whole answer without its headers withdraws; no answer, a failure and a 304 do not", () => {
    const known = [sunset("one"), sunset("other"), sunset("one", "B.list")]
    expect(afterAnswers(known, { ...of, whole: new Set(["one"]), announced: [] })).toEqual([
      sunset("other"),
      sunset("one", "B.list"),
    ])
    expect(afterAnswers(known, { ...of, whole: new Set(), announced: [] })).toEqual(known)
    expect(afterAnswers([], { ...of, whole: new Set(), announced: [sunset("one")] })).toEqual([sunset("one")])
  })

  it("a document that its source no longer has announces nothing", () => {
    expect(afterAnswers([sunset("gone")], { ...of, whole: new Set(), announced: [] })).toEqual([])
  })

  it("the order of answers decides nothing, and dates come before warnings where there are too many", () => {
    const warnings = Array.from(
      { length: 40 },
      (_, index): Announcement => ({ ...sunset("one"), header: "Warning", at: null, text: `299 ${index}` }),
    )
    const all = [...warnings, sunset("other")]
    const after = afterAnswers([], { ...of, whole: new Set(["one"]), announced: all })
    expect(after).toHaveLength(ANNOUNCEMENTS_MAX)
    expect(after[0]).toEqual(sunset("other"))
    expect(afterAnswers([], { ...of, whole: new Set(["one"]), announced: all.toReversed() })).toEqual(after)
  })
})
