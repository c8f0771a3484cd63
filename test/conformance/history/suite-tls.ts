import { writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { expect, it } from "vitest"
import { loadSettings } from "../../../infra/config/settings.ts"
import { openClickHouse } from "../../../infra/history/clickhouse.ts"
import { historyEngine } from "../../../infra/roles/start-history.ts"
import { makeCertificates } from "../../support/certificates.ts"
import { runCommand } from "../../support/command.ts"
import { analystOf, type Engine, migrations, type Stage } from "./harness.ts"
import { openTlsLine } from "./tls-line.ts"

const Count = Schema.Struct({ count: Schema.Natural })

/** A ClickHouse with TLS and a password, reached by the settings. */
export const tlsTests = (engine: () => Engine, stage: () => Stage): void => {
  it("is reached over TLS with a password, if the settings name the certificate authority", async () => {
    const { options, analyst } = engine()
    const certificates = makeCertificates()
    const line = await openTlsLine(options.url, certificates)
    const file = (name: string, text: string) => {
      const path = join(stage().directory, name)
      writeFileSync(path, text)
      return path
    }
    const environment = {
      DATA_DIR: stage().directory,
      CLICKHOUSE_URL: line.url,
      CLICKHOUSE_USER: options.user,
      CLICKHOUSE_PASSWORD: options.password,
      CLICKHOUSE_CA: file("authority.pem", certificates.authority),
      CLICKHOUSE_ANALYST_PASSWORD: analyst?.password ?? "of this test",
    }
    const open = (change: Readonly<Record<string, string>>) => {
      const loaded = loadSettings({ ...environment, ...change })
      if (Result.isFailure(loaded)) throw new Error(loaded.failure.join())
      return historyEngine(loaded.success).pipe(
        Effect.flatMap((found) => openClickHouse({ ...found.options, migrations })),
      )
    }
    const failure = (change: Readonly<Record<string, string>>) =>
      stage().run(Effect.flip(Effect.flatMap(open(change), ({ query }) => query("SELECT 1 AS count", Count))))

    const history = await stage().run(open({}))
    await stage().run(history.prepare)
    expect(await stage().run(history.query("SELECT count() AS count FROM events", Count))).toEqual([{ count: 0 }])
    const asked = await runCommand(environment, "sql", "SELECT count() AS rows FROM events")
    const made = { user: "analyst", password: environment.CLICKHOUSE_ANALYST_PASSWORD }
    if ((await analystOf(engine(), made)) === null) expect(asked).toMatchObject({ code: 1 })
    else expect(asked).toMatchObject({ code: 0, stderr: "" })

    expect((await failure({ CLICKHOUSE_PASSWORD: "another" }))._tag).toBe("HistoryRefused")
    expect(String(await failure({ CLICKHOUSE_CA: "" }))).toMatch(/certificate/)
    expect(String(await failure({ CLICKHOUSE_CA: file("stranger.pem", makeCertificates().authority) }))).toMatch(
      /certificate/,
    )
    for (const [change, words] of [
      [{ CLICKHOUSE_CA: "/nowhere/ca.pem" }, /CLICKHOUSE_CA: .*ENOENT/],
      [{ CLICKHOUSE_CA: file("nonsense.pem", "nonsense") }, /CLICKHOUSE_CA: /],
      [{ CLICKHOUSE_URL: options.url }, /CLICKHOUSE_CA: CLICKHOUSE_URL is no https/],
    ] as const)
      expect((await failure(change)).message).toMatch(words)
    await line.close()
  })
}
