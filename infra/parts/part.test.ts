import { Registry } from "prom-client"
import { describe, expect, it } from "vitest"
import { exportStates, makeStatus, partStates, readinessOf } from "./part.ts"

describe("the states of a process", () => {
  it("is not ready while nothing was started, nor while a part starts, waits or has stopped", () => {
    const status = makeStatus()
    expect(readinessOf(status.reports()).ready).toBe(false)
    const part = status.part("ledger", "writer")
    expect(readinessOf(status.reports())).toMatchObject({ ready: false, reasons: ["ledger writer: starting"] })
    part.set({ state: "active" })
    expect(readinessOf(status.reports())).toMatchObject({ ready: true, reasons: [] })
    part.set({ state: "waiting", reason: "its clock" })
    expect(readinessOf(status.reports())).toMatchObject({
      ready: false,
      reasons: ["ledger writer: waiting: its clock"],
      parts: [{ role: "ledger", part: "writer", state: "waiting", reason: "its clock" }],
    })
    part.set({ state: "stopped", reason: "it was fenced" })
    expect(readinessOf(status.reports()).reasons).toEqual(["ledger writer: stopped: it was fenced"])
  })

  it("is ready as a standby, and where it holds some parts and stands by for others", () => {
    const status = makeStatus()
    status.part("process", "latest").set({ state: "standby" })
    status.part("process", "reliability").set({ state: "active" })
    expect(readinessOf(status.reports()).ready).toBe(true)
  })

  it("waits while anything hinders it, each cause by itself, and is what it was when all are gone", () => {
    const status = makeStatus()
    const part = status.part("ledger", "writer")
    part.set({ state: "active" })
    part.hinder("clock", "a clock that agrees with its witness")
    status.hinderAll("log", "the log")
    expect(status.reports()).toMatchObject([
      { state: "waiting", reason: "the log; a clock that agrees with its witness" },
    ])
    part.hinder("clock", null)
    expect(status.reports()).toMatchObject([{ state: "waiting", reason: "the log" }])
    // What is added meanwhile is hindered as well, and a part that only starts waits for the same.
    status.part("ingest", "polling").set({ state: "standby" })
    status.part("process", "latest")
    expect(status.reports().map(({ state }) => state)).toEqual(["waiting", "waiting", "waiting"])
    status.hinderAll("log", null)
    expect(status.reports().map(({ state }) => state)).toEqual(["active", "standby", "starting"])
  })

  it("shows warnings beside the states, each cause's own, and stays ready", () => {
    const status = makeStatus()
    status.part("api", "views").set({ state: "active" })
    status.warn("replicas", ["the topic views has one replica"])
    status.warn("other", ["something else"])
    const warnings = ["the topic views has one replica", "something else"]
    expect(readinessOf(status.reports(), status.warnings())).toMatchObject({ ready: true, degraded: [], warnings })
    status.warn("replicas", [])
    expect(status.warnings()).toEqual(["something else"])
  })

  it("says since when, and that of the state alone", async () => {
    const status = makeStatus()
    const part = status.part("ledger", "writer")
    part.set({ state: "waiting", reason: "one thing" })
    const [before] = status.reports()
    await new Promise((resolve) => setTimeout(resolve, 5))
    part.set({ state: "waiting", reason: "another" })
    expect(status.reports()[0]).toEqual({ ...before, reason: "another" })
    part.set({ state: "active" })
    expect(Date.parse(status.reports()[0]?.since ?? "")).toBeGreaterThan(Date.parse(before?.since ?? ""))
  })

  it("is ready without a part that callers can do without, and names it", () => {
    const status = makeStatus()
    status.part("api", "views").set({ state: "active" })
    status
      .part("process", "history", { optional: (state) => state !== "stopped" })
      .set({ state: "waiting", reason: "ClickHouse" })
    expect(readinessOf(status.reports())).toMatchObject({
      ready: true,
      reasons: [],
      degraded: ["process history: waiting: ClickHouse"],
    })
    status.part("process", "history").set({ state: "stopped", reason: "a migration was edited" })
    expect(readinessOf(status.reports())).toMatchObject({ ready: false, degraded: [] })
  })

  it("calls back at every change, and at nothing else", () => {
    let changes = 0
    const status = makeStatus(() => {
      changes += 1
    })
    const part = status.part("ledger", "writer")
    part.set({ state: "active" })
    part.set({ state: "active" })
    part.hinder("log", null)
    expect(changes).toBe(2)
  })

  it("shows each part's state as a metric, one of the closed set", async () => {
    const registry = new Registry()
    const status = makeStatus()
    exportStates(status, registry)
    status.part("process", "latest").set({ state: "standby" })
    const { values } = (await registry.getMetricsAsJSON())[0] ?? { values: [] }
    expect(values).toEqual(
      partStates.map((state) => ({
        labels: { role: "process", part: "latest", state },
        value: state === "standby" ? 1 : 0,
      })),
    )
  })
})
