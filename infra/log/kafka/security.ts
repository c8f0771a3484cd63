import { readFileSync } from "node:fs"
import * as Effect from "effect/Effect"
import type { SASLOptions } from "kafkajs"
import { LogUnavailable } from "../../../schemas/ports/event-log.ts"
import type { Settings } from "../../config/settings.ts"
import type { KafkaOptions } from "./client.ts"

/** The settings for TLS and SASL. */
export type KafkaSecuritySetting =
  | "kafkaSsl"
  | "kafkaSslCa"
  | "kafkaSaslMechanism"
  | "kafkaSaslUsername"
  | "kafkaSaslPassword"

/** Reads the options for TLS and SASL. The broker's certificate and its name are always verified. */
export const kafkaSecurity = (
  settings: Pick<Settings, KafkaSecuritySetting>,
): Effect.Effect<Pick<KafkaOptions, "ssl" | "sasl">, LogUnavailable> =>
  Effect.gen(function* () {
    const { kafkaSsl, kafkaSslCa, kafkaSaslMechanism, kafkaSaslUsername, kafkaSaslPassword } = settings
    const ca = kafkaSslCa === null ? null : yield* readCertificates(kafkaSslCa)
    return {
      ...(kafkaSsl ? { ssl: ca === null ? true : { ca } } : {}),
      ...(kafkaSaslMechanism === null
        ? {}
        : {
            sasl: saslOf(kafkaSaslMechanism, {
              username: kafkaSaslUsername ?? "",
              password: kafkaSaslPassword ?? "",
            }),
          }),
    }
  })

/** The library has a type for each mechanism. */
const saslOf = (
  mechanism: NonNullable<Settings["kafkaSaslMechanism"]>,
  credentials: { readonly username: string; readonly password: string },
): SASLOptions => {
  switch (mechanism) {
    case "plain":
      return { mechanism, ...credentials }
    case "scram-sha-256":
      return { mechanism, ...credentials }
    case "scram-sha-512":
      return { mechanism, ...credentials }
  }
}

const readCertificates = (path: string): Effect.Effect<string, LogUnavailable> =>
  Effect.try({
    try: () => {
      const text = readFileSync(path, "utf8")
      if (!text.includes("-----BEGIN CERTIFICATE-----")) throw new Error("it holds no certificate in PEM form")
      return text
    },
    catch: (cause) =>
      new LogUnavailable({
        problem: `KAFKA_SSL_CA: ${path} cannot be used (${cause instanceof Error ? cause.message : String(cause)})`,
        cause,
      }),
  })
