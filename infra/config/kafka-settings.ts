import { Broker, Flag, integer, list, matching, oneOf, optional, setting, Text } from "./setting.ts"

/** The SASL mechanisms of the client. */
export const SASL_MECHANISMS = ["plain", "scram-sha-256", "scram-sha-512"] as const

/** The settings of the event log on Kafka. */
export const kafkaSettings = {
  kafkaBrokers: optional(
    "KAFKA_BROKERS",
    list(Broker),
    "brokers of the event log (host:port, comma separated); absent: the embedded log",
  ),
  kafkaReplication: optional(
    "KAFKA_REPLICATION",
    integer(1, 9),
    "replicas of topics that are created; absent: as many as there are brokers, 3 at most",
  ),
  kafkaTopicPrefix: optional(
    "KAFKA_TOPIC_PREFIX",
    matching(/^[A-Za-z0-9._-]{1,60}$/, "must be 1 to 60 letters, digits and . _ -"),
    "put before the name of every topic and writer",
  ),
  kafkaCompression: setting(
    "KAFKA_COMPRESSION",
    oneOf(["zstd", "none"]),
    "zstd",
    "how batches of 4 KiB and more are packed for the brokers: zstd or none",
  ),
  kafkaSsl: setting("KAFKA_SSL", Flag, "false", "whether the brokers are reached by TLS (true or false)"),
  kafkaSslCa: optional(
    "KAFKA_SSL_CA",
    Text,
    "file of the certificates (PEM) that vouch for the brokers; absent: those that Node trusts",
  ),
  kafkaSaslMechanism: optional(
    "KAFKA_SASL_MECHANISM",
    oneOf(SASL_MECHANISMS),
    `how this client proves to the brokers who it is: ${SASL_MECHANISMS.join(", ")}; absent: they do not ask`,
  ),
  kafkaSaslUsername: optional("KAFKA_SASL_USERNAME", Text, "user of the brokers"),
  kafkaSaslPassword: optional("KAFKA_SASL_PASSWORD", Text, "its password", true),
} as const
