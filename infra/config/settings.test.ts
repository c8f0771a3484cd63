import { isAbsolute } from "node:path"
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { describeSettings, loadSettings, settingTable } from "./settings.ts"

describe("settings", () => {
  it("have the documented defaults", () => {
    const settings = Result.getOrThrow(loadSettings({}))
    expect(settings).toMatchObject({ port: 8787, adminPort: 9787, clickhouseHttpPort: 8123, clickhouseTcpPort: 9000 })
    expect(isAbsolute(settings.dataDirectory)).toBe(true)
    expect(settings.kafkaBrokers).toBeNull()
  })

  it("name every wrong value at once, and show no secret", () => {
    const loaded = loadSettings({
      PORT: "99999",
      LOG_LEVEL: "loud",
      INTERNAL_SECRET: "hunter2",
      KAFKA_BROKERS: "nowhere",
    })
    expect(Result.isFailure(loaded)).toBe(true)
    if (Result.isSuccess(loaded)) return
    expect(loaded.failure.map(({ variable }) => variable).sort()).toEqual([
      "INTERNAL_SECRET",
      "KAFKA_BROKERS",
      "LOG_LEVEL",
      "PORT",
    ])
    expect(loaded.failure.map(({ message }) => message).join()).not.toContain("hunter2")
  })

  it("take an empty variable as an absent one", () => {
    expect(Result.getOrThrow(loadSettings({ PORT: "", KAFKA_BROKERS: "" })).port).toBe(8787)
  })

  it("are all described", () => {
    const text = describeSettings()
    for (const { name } of Object.values(settingTable)) expect(text).toContain(name)
  })
})
