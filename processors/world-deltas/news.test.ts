import { describe, expect, it } from "vitest"
import { marketSeverity, quakeSeverity, storySeverity } from "./news.ts"

describe("severities", () => {
  it.each([
    [4, "minor"],
    [4.99, "minor"],
    [5, "moderate"],
    [5.9, "moderate"],
    [6, "major"],
    [9.5, "major"],
  ])("of an earthquake of magnitude %d: %s", (magnitude, severity) => {
    expect(quakeSeverity(magnitude)).toBe(severity)
  })
  it.each([
    [null, "minor"],
    [-3, "minor"],
    [24, "minor"],
    [25, "moderate"],
    [99, "moderate"],
    [100, "major"],
  ])("of a story with %j points: %s", (points, severity) => {
    expect(storySeverity(points)).toBe(severity)
  })
  it.each([
    [10_000, "moderate"],
    [100_000, "moderate"],
    [100_000.01, "major"],
  ])("of a market with a turnover of %d US dollars: %s", (volume, severity) => {
    expect(marketSeverity(volume)).toBe(severity)
  })
})
