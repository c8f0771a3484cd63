import { isAbsolute } from "node:path"
import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import { providerAddresses, providerKeys } from "../../ingestors/providers.ts"
import { settingTable } from "./setting-table.ts"
import { describeSettings, loadSettings } from "./settings.ts"

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
      LEDGER_API_SECRET: "hunter2",
      KAFKA_BROKERS: "nowhere",
    })
    expect(Result.isFailure(loaded)).toBe(true)
    if (Result.isSuccess(loaded)) return
    expect(loaded.failure.map(({ variable }) => variable).sort()).toEqual([
      "KAFKA_BROKERS",
      "LEDGER_API_SECRET",
      "LOG_LEVEL",
      "PORT",
    ])
    expect(loaded.failure.map(({ message }) => message).join()).not.toContain("hunter2")
  })

  const [port, url, list] = [
    "must be a whole number from 1 to 65535",
    "must be an http:// or https:// address",
    "must name at least one",
  ]
  const header = "characters of ASCII, as it stands in a header"
  it.each<[string, ReadonlyArray<string>, string]>([
    ["PORT", ["0", "-1", "65536", "1.5", "1e3", "0x50", "abc", "NaN", "9".repeat(20), "8787,8788"], port],
    ["ADMIN_PORT", ["0", "Infinity"], port],
    ["CLICKHOUSE_HTTP_PORT", ["-8123"], port],
    ["CLICKHOUSE_TCP_PORT", ["http"], port],
    [
      "HOST",
      ["http://127.0.0.1", "127.0.0.1:80", "a b", "-1", ".", "x".repeat(300)],
      "must be an address or the name of a host",
    ],
    ["ADMIN_HOST", ["a,b", "1.2.3.4/8"], "must be an address or the name of a host"],
    ["PUBLIC_URL", ["api.example", "ftp://x", "http://", "http://x:99999", "https://a,https://b"], url],
    ["CLICKHOUSE_URL", ["clickhouse:8123", "http://a b"], url],
    ["UPSTREAMS", ["127.0.0.1"], url],
    [
      "KAFKA_BROKERS",
      ["kafka", "kafka:", "kafka:0", "kafka:99999", "http://kafka:9092", ":9092"],
      "must be host:port (entry 1)",
    ],
    ["KAFKA_BROKERS", ["kafka:9092,kafka"], "must be host:port (entry 2)"],
    ["KAFKA_BROKERS", [",", " , "], list],
    ["KAFKA_REPLICATION", ["0", "10", "three"], "must be a whole number from 1 to 9"],
    ["KAFKA_TOPIC_PREFIX", ["a b", "a/b", "x".repeat(61)], "must be 1 to 60 letters, digits and . _ -"],
    ["UPSTREAM_HOSTS", ["a.example", "a.example=b", "a.example=http://"], "must be host=http://address (entry 1)"],
    ["UPSTREAM_HOSTS", [","], list],
    ["RESTRICTED_SOURCES", ["Open Meteo"], "must be the name of a source (entry 1)"],
    ["RESALE_SOURCES", ["coingecko,Binance"], "must be the name of a source (entry 2)"],
    ["ENDPOINTS_OFF", ["/api/stocks,/api/pro macro"], "must be the path or the name of an endpoint (entry 2)"],
    ["POLL_SECONDS_MAX", ["0", "86401", "-5"], "must be a whole number from 1 to 86400"],
    ["CONTACT", ["a\nb", "M\u00fcller", "x".repeat(201)], `must be 1 to 200 ${header}`],
    ["DEMAND_URLS", ["ingest:9787"], `${url} (entry 1)`],
    ["LEDGER_URLS", ["http://ledger:9787,ledger"], `${url} (entry 2)`],
    ["LEDGER_URLS", [","], list],
    ...["DEMAND_SECRET", "LEDGER_API_SECRET", "LEDGER_OPERATOR_SECRET"].map(
      (variable): [string, ReadonlyArray<string>, string] => [
        variable,
        ["x".repeat(31), `${"x".repeat(31)}\u00fc`, "x".repeat(257), `with a blank ${"x".repeat(32)}`],
        "must be 32 to 256 characters of ASCII without blanks and commas (entry 1)",
      ],
    ),
    [
      "DEMAND_SECRET",
      [["x", "y", "z"].map((letter) => letter.repeat(32)).join()],
      "must be one secret, or the new and the old",
    ],
    ["WALLET_ADDRESS", ["0x12", "22".repeat(20), `0x${"zz".repeat(20)}`], "must be 0x and 40 hex digits"],
    ["BASE_RPC_URLS", ["wss://a.example"], `${url} (entry 1)`],
    ["BASE_RPC_URLS", [","], list],
    ["RPC_AGREEMENT", ["0", "17", "half"], "must be a whole number from 1 to 16"],
    [
      "TRUSTED_PROXIES",
      ["proxy", "10.0.0.0/99", "8787", "0x50", "1.5", "0"],
      "must be an address or a CIDR range (entry 1)",
    ],
    ["TRUSTED_PROXIES", [","], list],
    ["REQUESTS_PER_DAY", ["0", "-1", "1000000001"], "must be a whole number from 1 to 1000000000"],
    ["TOKEN_REQUESTS_PER_MINUTE", ["0", "many"], "must be a whole number from 1 to 1000000000"],
    ["LOG_LEVEL", ["loud", "INFO", "info,warn"], "must be one of trace, debug, info, warn, error"],
  ])("%s refuses %j in one sentence, which does not repeat it", (variable, values, problem) => {
    for (const value of values) {
      const problems = Result.getOrThrow(Result.flip(loadSettings({ [variable]: value })))
      expect([value, problems.map(({ message }) => message)]).toEqual([value, [`${variable}: ${problem}`]])
    }
  })

  it("take what is meant, whatever blanks stand around it", () => {
    const settings = Result.getOrThrow(
      loadSettings({
        PORT: " 80\r",
        HOST: "::1",
        ADMIN_HOST: "host_1.internal",
        KAFKA_BROKERS: " a:1 , b:65535, ",
        UPSTREAM_HOSTS: "api.example=http://127.0.0.1:1/x",
        TRUSTED_PROXIES: "10.0.0.0/8, ::1, fd00::/8,192.0.2.1",
        LOG_LEVEL: "warn ",
        CLICKHOUSE_PASSWORD: " blanks may belong to it ",
      }),
    )
    expect(settings).toMatchObject({
      port: 80,
      host: "::1",
      adminHost: "host_1.internal",
      kafkaBrokers: ["a:1", "b:65535"],
      upstreamHosts: ["api.example=http://127.0.0.1:1/x"],
      trustedProxies: ["10.0.0.0/8", "::1", "fd00::/8", "192.0.2.1"],
      logLevel: "warn",
      clickhousePassword: " blanks may belong to it ",
    })
  })

  it.each([
    ["KAFKA_BROKER", "KAFKA_BROKERS"],
    ["KAKFA_BROKERS", "KAFKA_BROKERS"],
    ["kafka_brokers", "KAFKA_BROKERS"],
    ["CLICKHOUSE_URI", "CLICKHOUSE_URL"],
    ["WALLET_ADRESS", "WALLET_ADDRESS"],
    ["BASE_RPC_URL", "BASE_RPC_URLS"],
    ["LEDGER_OPERATER_SECRET", "LEDGER_OPERATOR_SECRET"],
    ["FINNHUB_KEYS", "FINNHUB_KEY"],
  ])("refuse %s, which has no effect, and name the one that is meant", (variable, meant) => {
    const value = "hunter2"
    const problems = Result.getOrThrow(Result.flip(loadSettings({ [variable]: value })))
    expect(problems.map(({ message }) => message)).toEqual([`${variable}: there is no such setting; ${meant} is meant`])
  })

  it("ignore variables of others, also those that share a word with a setting", () => {
    const foreign = [
      ...[
        "KAFKA_HEAP_OPTS",
        "KAFKA_OPTS",
        "KAFKA_HOME",
        "KAFKA_PORT",
        "KAFKA_SERVICE_HOST",
        "KAFKA_PORT_9092_TCP_ADDR",
      ],
      ...["KAFKA_IMAGE", "KAFKA_CLUSTER_ID", "CLICKHOUSE_IMAGE", "CLICKHOUSE_DB", "CLICKHOUSE_PORT", "CLICKHOUSE_HOST"],
      ...[
        "NODE_ENV",
        "NODE_OPTIONS",
        "npm_config_cache",
        "npm_package_name",
        "HOME",
        "HOSTNAME",
        "PATH",
        "LANG",
        "PWD",
      ],
      ...["LOGLEVEL", "LOGNAME", "XDG_DATA_DIRS", "OPENAI_API_KEY", "GITLAB_TOKEN", "GITHUB_TOKEN_FILE", "HF_HOME"],
      ...[
        "host",
        "port",
        "PUBLIC_KEY",
        "DEMO_SECRET",
        "API_SECRET",
        "TOKEN",
        "CAPTURES_DIR",
        "POLL_INTERVAL",
        "RPC_URL",
      ],
    ]
    const environment = Object.fromEntries(foreign.map((name) => [name, "something"]))
    expect(Result.isSuccess(loadSettings(environment)), String(loadSettings(environment))).toBe(true)
  })

  it("take an empty variable as an absent one", () => {
    expect(Result.getOrThrow(loadSettings({ PORT: "", KAFKA_BROKERS: " " }))).toMatchObject({
      port: 8787,
      kafkaBrokers: null,
    })
  })

  it("are all described, the keys of providers with what they are for and where they come from", () => {
    const text = describeSettings()
    for (const { name } of Object.values(settingTable)) expect(text).toContain(name)
    expect(providerKeys.length).toBeGreaterThan(0)
    for (const { setting, description, signupUrl } of providerKeys)
      expect(text.split("\n").find((line) => line.trimStart().startsWith(`${setting} `))).toMatch(
        new RegExp(`${description}.*${signupUrl}`),
      )
  })

  it("hold the keys of providers by their names, and never one in a problem", () => {
    const [{ setting = "" } = {}] = providerKeys
    expect(Object.values(settingTable).map(({ name }): string => name)).not.toContain(setting)
    expect(Result.getOrThrow(loadSettings({ [setting]: "a-key-of-tests" })).providerKeys).toEqual({
      [setting]: "a-key-of-tests",
    })
    expect(Result.getOrThrow(loadSettings({ [setting]: "" })).providerKeys).toEqual({})
    const [problem, ...others] = Result.getOrThrow(Result.flip(loadSettings({ [setting]: "s3cr3t with a blank" })))
    expect(others).toEqual([])
    expect(problem?.message).toBe(`${setting}: must be 8 to 512 characters of ASCII without blanks`)
  })

  it("hold addresses that replace those of a provider: http or https, each name once, and no password", () => {
    const [{ setting = "", names = [] } = {}] = providerAddresses
    const [one = "", other = ""] = names
    expect(describeSettings()).toContain(setting)
    const given = `${one}=https://boards.example/one?a=b, ${other}=http://127.0.0.1:8080/other`
    expect(Result.getOrThrow(loadSettings({ [setting]: given })).providerAddresses).toEqual({
      [setting]: { [one]: "https://boards.example/one?a=b", [other]: "http://127.0.0.1:8080/other" },
    })
    expect(Result.getOrThrow(loadSettings({})).providerAddresses).toEqual({})
    for (const address of [
      "file:///etc/passwd",
      "ftp://boards.example",
      "boards.example",
      "",
      "https://user:s3cr3t@x.example",
    ]) {
      const [problem] = Result.getOrThrow(Result.flip(loadSettings({ [setting]: `${one}=${address}` })))
      expect(problem?.message).toBe(
        `${setting}: must be name=https://address, of the names ${names.join(", ")} (entry 1)`,
      )
    }
    for (const wrong of [
      `unknown=https://boards.example`,
      "https://boards.example",
      `${one}=https://a.example,${one}=https://b.example`,
    ])
      expect(Result.isFailure(loadSettings({ [setting]: wrong })), wrong).toBe(true)
  })

  it("hold addresses under names of the operator's own, where a provider takes them, and a bounded number of these", () => {
    const open = providerAddresses.find(({ ownNames }) => ownNames !== undefined)
    const { setting = "", names: [known = ""] = [], ownNames: { max } = { max: 0 } } = open ?? {}
    const own = (count: number) => Array.from({ length: count }, (_, at) => `own-${at}=https://a.example/${at}`).join()
    const load = (given: string) => loadSettings({ [setting]: given })
    const given = `${known}=https://mirror.example/rss,${own(max)}`
    const addresses = Result.getOrThrow(load(given)).providerAddresses[setting]
    expect(Object.keys(addresses ?? {})).toHaveLength(max + 1)
    expect(addresses).toMatchObject({ [known]: "https://mirror.example/rss", "own-0": "https://a.example/0" })
    expect(describeSettings()).toContain(`names: ${known}, ${max} of your own at most`)
    for (const wrong of [
      "Own=https://a.example",
      "__proto__=https://a.example",
      "own=file:///x",
      own(max + 1),
      "own-1=x",
    ])
      expect(Result.isFailure(load(wrong)), wrong).toBe(true)
    expect(Result.isFailure(load("own=https://a.example,own=https://b.example"))).toBe(true)
  })

  it("name the sources of restricted use that may be polled", () => {
    const settings = Result.getOrThrow(loadSettings({ RESTRICTED_SOURCES: "open-meteo, finnhub" }))
    expect(settings.restrictedSources).toEqual(["open-meteo", "finnhub"])
  })

  it("name the sources whose data may be sold", () => {
    expect(Result.getOrThrow(loadSettings({ RESALE_SOURCES: " all " })).resaleSources).toEqual(["all"])
    expect(Result.getOrThrow(loadSettings({ RESALE_SOURCES: "" })).resaleSources).toBeNull()
  })
})
