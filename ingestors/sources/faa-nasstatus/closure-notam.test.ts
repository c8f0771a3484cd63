import { describe, expect, it } from "vitest"
import { periodWithoutYear, readClosureNotam } from "./closure-notam.ts"

describe("a notice of a closed airport", () => {
  it.each([
    ["!LAX 05/277 LAX AD AP CLSD TO NON SKED TRANSIENT GA ACFT EXC PPR 2605271826-2705281600", true],
    ["!JFK 06/1 JFK AD AP CLSD TO ACFT WINGSPAN MORE THAN 214FT 2605271826-2705281600", true],
    ["!SLC 01/004 SLC AD AP RSTD TO PPR 2605271826-2705281600", true],
    ["MMU 02/014 MMU AD AP CLSD TO ALL ACFT 2602160900-2602161500", false],
    ["ORD AD AP CLSD 2609190015-2609211200", false],
    ["!ASE 11/042 ASE AD AP CLSD EXC SKED AIR CARRIERS 2611181200-2611210400", true],
    ["ASE AD AP CLSD EXC SCHEDULED AIR CARRIER OPS 2611181200-2611210400", true],
    ["ASE AD AP CLSD EXC EMERG ACFT 2611181200-2611210400", false],
    ["snow removal", false],
  ])("%j closes it to some users alone: %s", (reason, isRestriction) => {
    expect(readClosureNotam(reason).isRestriction).toBe(isRestriction)
  })
  it.each([
    ["DLY 0430-0945", { from: "04:30", to: "09:45", weekdays: null }],
    ["DLY 2300-2400", { from: "23:00", to: "00:00", weekdays: null }],
    ["MON-FRI 1400-2200", { from: "14:00", to: "22:00", weekdays: ["MON", "TUE", "WED", "THU", "FRI"] }],
    ["FRI-MON 0400-0900", { from: "04:00", to: "09:00", weekdays: ["SUN", "MON", "FRI", "SAT"] }],
    ["TUE THU 0400-0900", { from: "04:00", to: "09:00", weekdays: ["TUE", "THU"] }],
    ["0400-0900", { from: "04:00", to: "09:00", weekdays: null }],
    ["0400-0900 DLY", { from: "04:00", to: "09:00", weekdays: null }],
    ["WKDAYS 0400-0900", { from: "04:00", to: "09:00", weekdays: ["MON", "TUE", "WED", "THU", "FRI"] }],
    ["WEEKDAYS 0400-0900", { from: "04:00", to: "09:00", weekdays: ["MON", "TUE", "WED", "THU", "FRI"] }],
    ["WKEND 0400-0900", { from: "04:00", to: "09:00", weekdays: ["SUN", "SAT"] }],
    ["WEEKENDS 0400-0900", { from: "04:00", to: "09:00", weekdays: ["SUN", "SAT"] }],
    ["MON THRU FRI 0400-0900", { from: "04:00", to: "09:00", weekdays: ["MON", "TUE", "WED", "THU", "FRI"] }],
    ["MONDAY-WEDNESDAY 0400-0900", { from: "04:00", to: "09:00", weekdays: ["MON", "TUE", "WED"] }],
    ["DLY 0400-0900 EXC SUN", null],
    ["DLY 0400-0900 EXC WKENDS", null],
    ["DLY 0400-0900 EXC HOL", null],
    ["DLY EXC SUN 0400-0900", null],
    ["0400-0900 MON-FRI", null],
    ["0400-0900 MONDAYS", null],
    ["MON TO FRI 0400-0900", null],
    ["DLY SS-SR 0400-0900", null],
    ["DLY SS-SR", null],
    ["DLY 0430-0945 1200-1300", null],
    ["DLY 0430-2560", null],
    ["EXC DLY 1200-0300", null],
    // Some of the days of a name.
    ["1ST MON 0400-0900", null],
    ["2ND TUE 0400-0900", null],
    ["1ST AND 3RD WED 0400-0900", null],
    ["SECOND TUE 0400-0900", null],
    ["LAST FRI 0400-0900", null],
    ["LAST FRIDAY 0400-0900", null],
    ["2 MON 0400-0900", null],
    ["EVERY OTHER MON 0400-0900", null],
    ["EVERY MON 0400-0900", null],
    ["ALTERNATE MON 0400-0900", null],
    ["ALTN MON 0400-0900", null],
    ["NEXT MON 0400-0900", null],
    ["BIWEEKLY MON 0400-0900", null],
    ["PENULTIMATE MON 0400-0900", null],
    ["MON 0400-0900 EVEN WEEKS", null],
    ["MON 0400-0900 ONLY", null],
    // Days of a month.
    ["EVEN DAYS 0400-0900", null],
    ["ODD DAYS 0400-0900", null],
    ["ODD 0400-0900", null],
    ["JAN 01 0400-0900", null],
    ["JAN 01-05 DLY 0400-0900", null],
    ["01 JAN 0400-0900", null],
    ["JULY DLY 0400-0900", null],
    ["APR-OCT MON-FRI 0400-0900", null],
    ["01-05 0400-0900", null],
    ["01-05 DLY 0400-0900", null],
    ["03, 07 0400-0900", null],
    ["15 0400-0900", null],
    ["15-17", null],
    ["25 2200-27 0500", null],
    ["JUL 25 27", null],
    ["EVEN DAYS", null],
    // Names of days that are not read.
    ["M-F 0400-0900", null],
    ["MO-FR 0400-0900", null],
    ["SA SU 0400-0900", null],
    ["MON/FRI 0400-0900", null],
    ["MON--FRI 0400-0900", null],
    ["MON AND WED 0400-0900", null],
    // Other hours, other forms of hours, and another time.
    ["WED 0400-THU 0900", null],
    ["MON 0400-0900 TUE 0500-1000", null],
    ["DLY 0400 TO 0900", null],
    ["0400 TO 0900", null],
    ["AFT 0400", null],
    ["DLY 0400-0900 LCL", null],
    ["LCL DLY 0400-0900", null],
    ["EXC BTN 0400-0900", null],
    ["OTHER THAN 0400-0900", null],
    ["UNLESS ATTENDED 0400-0900", null],
    ["NIGHTS", null],
    ["SUNSET TO SUNRISE", null],
    ["DLY 0400Z-0900Z", { from: "04:00", to: "09:00", weekdays: null }],
    ["DLY 0400-0900 UTC", { from: "04:00", to: "09:00", weekdays: null }],
    ["BTN 0400-0900 DLY", { from: "04:00", to: "09:00", weekdays: null }],
    ["EXC 4HR PPR 718-533-3700 DLY 0401-1000", { from: "04:01", to: "10:00", weekdays: null }],
    ["EXC HEL MON, WED 0400-0900", { from: "04:00", to: "09:00", weekdays: ["MON", "WED"] }],
  ])("with the hours %s", (hours, dailyWindow) => {
    expect(readClosureNotam(`!PVD 07/028 PVD AD AP CLSD ${hours} 2607070430-2608150945`)).toMatchObject({
      notam: "07/028",
      isAtCertainHours: true,
      dailyWindow,
      period: { startsAt: "2026-07-07T04:30:00.000Z", endsAt: "2026-08-15T09:45:00.000Z" },
    })
  })
  it("of an airport that is called like a day has no hours for that", () => {
    expect(readClosureNotam("!SAT 07/028 SAT AD AP CLSD 2607070430-2608150945").isAtCertainHours).toBe(false)
    expect(readClosureNotam("!SUN 07/028 SUN AD AP CLSD DLY 0430-0945 2607070430-2608150945")).toMatchObject({
      isAtCertainHours: true,
      dailyWindow: { from: "04:30", to: "09:45", weekdays: null },
    })
  })
  it("without hours is one of all hours, whatever telephone numbers it gives", () => {
    expect(readClosureNotam("!PVD 07/028 PVD AD AP CLSD CTC 310-258-9884 2607070430-PERM")).toMatchObject({
      isAtCertainHours: false,
      dailyWindow: null,
      period: { startsAt: "2026-07-07T04:30:00.000Z", endsAt: null },
    })
    expect(readClosureNotam("!PVD 07/028 PVD AD AP CLSD EXC 24HR PPR 2607070430-PERM").isAtCertainHours).toBe(false)
    expect(readClosureNotam("!JFK 06/1 JFK AD AP CLSD TO ACFT OVER 1200LBS 2607070430-PERM").isAtCertainHours).toBe(
      false,
    )
    expect(readClosureNotam("closed by the sun, mon ami").isAtCertainHours).toBe(false)
    expect(readClosureNotam("closed 0400-0900")).toMatchObject({ isAtCertainHours: true, dailyWindow: null })
  })
  it("may end at an estimated time, and has no day that does not exist", () => {
    expect(readClosureNotam("!A1B 1/2 X CLSD 2607070430-2608150945EST").period?.endsAt).toBe("2026-08-15T09:45:00.000Z")
    expect(readClosureNotam("X CLSD 2602300430-2608150945").period).toBeNull()
  })
  it("without a period has that of the list, in the years nearest to it", () => {
    const near = Date.parse("2026-01-02T00:00:00Z")
    expect(periodWithoutYear("Dec 30 at 04:30 UTC.", "Jan 05 at 09:45 UTC.", near)).toEqual({
      startsAt: "2025-12-30T04:30:00.000Z",
      endsAt: "2026-01-05T09:45:00.000Z",
    })
    expect(periodWithoutYear("Feb 30 at 04:30 UTC.", "", near)).toEqual({ startsAt: null, endsAt: null })
  })
})
