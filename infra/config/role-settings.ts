import type { Role, settingTable } from "./setting-table.ts"

type Key = keyof typeof settingTable

/** The settings that every role reads. */
const common = [
  ...(["adminHost", "adminPort", "livePort", "instance", "logLevel"] as const),
  ...(["kafkaBrokers", "kafkaReplication", "kafkaTopicPrefix", "kafkaCompression", "keepDays"] as const),
  ...(["kafkaSsl", "kafkaSslCa", "kafkaSaslMechanism", "kafkaSaslUsername", "kafkaSaslPassword"] as const),
] as const satisfies ReadonlyArray<Key>

/** What decides which feeds are polled and which endpoints are served: the same for the roles that read it. */
const offer = ["endpointsOff", "sourcesOff", "stockSymbols", "exchangeLabels"] as const satisfies ReadonlyArray<Key>

/** The server of the history, and the limits of the analysts whom the role `process` creates there. */
const server = [
  "clickhouseUrl",
  "clickhouseUser",
  "clickhousePassword",
  "clickhouseCa",
] as const satisfies ReadonlyArray<Key>

/** Payments: where they go, and who confirms them. */
const chain = ["walletAddress", "baseRpcUrls", "rpcAgreement"] as const satisfies ReadonlyArray<Key>

/** The settings that each role reads. */
const readByRole: Readonly<Record<Exclude<Role, "all">, ReadonlyArray<Key>>> = {
  ingest: [
    ...common,
    ...offer,
    ...(["upstreams", "upstreamHosts", "pollSecondsMax", "contact", "demandSecret"] as const),
    // Where credits are sold, sources of restricted use rest.
    ...(["walletAddress", "restrictedSources"] as const),
  ],
  process: [
    ...common,
    ...offer,
    ...server,
    ...(["processors", "clickhouseAnalystPassword", "analystQuerySeconds", "analystMemoryMebibytes"] as const),
    ...(["analystDiskMebibytes", "analystReadRows", "analystResultRows", "analystQueries"] as const),
  ],
  ledger: [...common, ...chain, "ledgerApiSecret", "ledgerOperatorSecret", "dataDirectory"],
  api: [
    ...common,
    ...offer,
    ...server,
    ...chain,
    ...(["host", "port", "publicUrl", "securityContact", "trustedProxies"] as const),
    ...(["requestsPerDay", "tokenRequestsPerMinute", "restrictedSources", "resaleSources"] as const),
    ...(["demandUrls", "demandSecret", "ledgerUrls", "ledgerApiSecret"] as const),
    ...(["internalHost", "internalPort", "sisterSecret", "tokenKeys", "receiptKeys", "clientHashKey"] as const),
  ],
}

/** Tests whether a role reads a setting; `all` reads every one. */
export const isReadBy = (role: Role, key: string): boolean =>
  role === "all" || readByRole[role].some((one) => one === key)
