import type { Settings } from "./settings.ts"

/** A setting that contradicts other settings. */
export interface Mismatch {
  readonly variable: string
  readonly problem: string
}

/** Finds contradictions among settings that are valid individually. */
export const mismatches = (settings: Settings): ReadonlyArray<Mismatch> => {
  const { kafkaSsl, kafkaSslCa, kafkaSaslMechanism, kafkaSaslUsername, kafkaSaslPassword } = settings
  const found: Array<Mismatch> = []
  const unless = (fits: boolean, variable: string, problem: string) => {
    if (!fits) found.push({ variable, problem })
  }
  unless(kafkaSslCa === null || kafkaSsl, "KAFKA_SSL_CA", "wants KAFKA_SSL=true beside it")
  const mechanism = "wants KAFKA_SASL_MECHANISM beside it"
  unless(kafkaSaslUsername === null || kafkaSaslMechanism !== null, "KAFKA_SASL_USERNAME", mechanism)
  unless(kafkaSaslPassword === null || kafkaSaslMechanism !== null, "KAFKA_SASL_PASSWORD", mechanism)
  unless(
    kafkaSaslMechanism === null || (kafkaSaslUsername !== null && kafkaSaslPassword !== null),
    "KAFKA_SASL_MECHANISM",
    "wants KAFKA_SASL_USERNAME and KAFKA_SASL_PASSWORD beside it",
  )
  // The other mechanisms send a proof of the password, not the password itself.
  unless(
    kafkaSaslMechanism !== "plain" || kafkaSsl,
    "KAFKA_SASL_MECHANISM",
    "plain sends the password as it is: it wants KAFKA_SSL=true beside it",
  )
  unless(
    settings.internalPort === null || settings.sisterSecret !== null,
    "INTERNAL_PORT",
    "wants SISTER_SECRET beside it",
  )
  return found
}
