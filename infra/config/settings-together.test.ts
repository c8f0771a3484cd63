import * as Result from "effect/Result"
import { expect, it } from "vitest"
import { loadSettings } from "./settings.ts"

const sasl = { KAFKA_SASL_MECHANISM: "scram-sha-512", KAFKA_SASL_USERNAME: "tidewire", KAFKA_SASL_PASSWORD: "hunter2" }

it.each<[string, Readonly<Record<string, string>>, string]>([
  ["an authority without TLS", { KAFKA_SSL_CA: "ca.pem" }, "KAFKA_SSL_CA"],
  ["a user without a mechanism", { KAFKA_SASL_USERNAME: "tidewire" }, "KAFKA_SASL_USERNAME"],
  ["a password without a mechanism", { KAFKA_SASL_PASSWORD: "hunter2" }, "KAFKA_SASL_PASSWORD"],
  ["a mechanism without a password", { ...sasl, KAFKA_SASL_PASSWORD: "" }, "KAFKA_SASL_MECHANISM"],
  ["a password in the clear", { ...sasl, KAFKA_SASL_MECHANISM: "plain" }, "KAFKA_SASL_MECHANISM"],
  ["a mechanism that does not exist", { ...sasl, KAFKA_SASL_MECHANISM: "oauth" }, "KAFKA_SASL_MECHANISM"],
  ["a rail without a secret", { INTERNAL_PORT: "9900" }, "INTERNAL_PORT"],
  ["a short secret of the sister", { SISTER_SECRET: "hunter2" }, "SISTER_SECRET"],
  [
    "three secrets of the sister",
    { SISTER_SECRET: ["a", "b", "c"].map((one) => one.repeat(32)).join() },
    "SISTER_SECRET",
  ],
  ["neither yes nor no", { KAFKA_SSL: "perhaps" }, "KAFKA_SSL"],
  ["neither on nor off", { HISTORY: "none" }, "HISTORY"],
  ["days of no history", { HISTORY: "off", KEEP_HISTORY: "view_versions=90" }, "KEEP_HISTORY"],
  ["a ClickHouse for no history", { HISTORY: "off", CLICKHOUSE_URL: "http://localhost:8123" }, "HISTORY"],
])("refuses %s, by the name of the variable and without the password", (_, environment, variable) => {
  const loaded = loadSettings(environment)
  const failures = Result.isFailure(loaded) ? loaded.failure : []
  expect(failures.map((failure) => failure.variable)).toEqual([variable])
  expect(failures.join()).not.toContain("hunter2")
})

it.each<[string, Readonly<Record<string, string>>]>([
  ["nothing", {}],
  ["TLS alone", { KAFKA_SSL: "true" }],
  ["no history", { HISTORY: "off" }],
  ["a rail with two secrets", { INTERNAL_PORT: "9900", SISTER_SECRET: `${"a".repeat(32)},${"b".repeat(32)}` }],
  ["a login with proof of the password", sasl],
  ["a login by TLS", { ...sasl, KAFKA_SASL_MECHANISM: "plain", KAFKA_SSL: "true", KAFKA_SSL_CA: "ca.pem" }],
])("takes %s", (_, environment) => {
  expect(Result.isSuccess(loadSettings(environment))).toBe(true)
})

it("reads the days of topics, and refuses topics without days, wrong days and one that stands twice", () => {
  expect(Result.getOrThrow(loadSettings({ KEEP_DAYS: "observations=60, usage=14" })).keepDays).toEqual({
    observations: 60,
    usage: 14,
  })
  for (const wrong of [
    "ledger=30",
    "views=1",
    "usage=0",
    "usage=",
    "usage",
    "usage=1.5",
    "usage=1,usage=2",
    "nothing=3",
  ]) {
    const loaded = loadSettings({ KEEP_DAYS: wrong })
    expect(Result.isFailure(loaded) && loaded.failure.map(({ variable }) => variable), wrong).toEqual(["KEEP_DAYS"])
  }
})
