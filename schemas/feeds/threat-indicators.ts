import * as Schema from "effect/Schema"
import { Instant } from "../event.ts"
import { latestFirst, listFeed } from "../feed.ts"
import { HttpUrl, Indicator, NonEmptyTextUpTo, Tags } from "../values.ts"

/** How many indicators a payload holds, the newest ones. */
export const THREAT_INDICATORS_MAX = 200
export const MALWARE_NAME_MAX_CHARACTERS = 120

export const threatIndicatorTypes = ["domain", "ip_port", "url", "file_hash"] as const

/** One indicator of compromise: an address that malware uses, or the hash of a sample. */
export const ThreatIndicator = Schema.Struct({
  id: NonEmptyTextUpTo(40),
  type: Schema.Literals(threatIndicatorTypes),
  indicator: Indicator,
  /** Such as botnet_cc, payload_delivery or payload. */
  threat: NonEmptyTextUpTo(80),
  /** The family's key in Malpedia, such as win.remcos; null where the family is unknown. */
  malware: Schema.NullOr(NonEmptyTextUpTo(MALWARE_NAME_MAX_CHARACTERS)),
  /** The family's name, such as Remcos; null where the family is unknown. */
  malwareName: Schema.NullOr(NonEmptyTextUpTo(MALWARE_NAME_MAX_CHARACTERS)),
  /** How sure the reporter is; null where the number is out of range. */
  confidencePercent: Schema.NullOr(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 100 }))),
  tags: Tags,
  firstSeen: Instant,
  lastSeen: Schema.NullOr(Instant),
  /** A page that the reporter names, which anybody may have written. */
  reference: Schema.NullOr(HttpUrl),
})
export type ThreatIndicator = typeof ThreatIndicator.Type

export const threatIndicators = listFeed({
  name: "threat-indicators",
  description: "Indicators of compromise of the last day, as shared on ThreatFox, the newest first.",
  item: ThreatIndicator,
  itemsMax: THREAT_INDICATORS_MAX,
  keepsFirst: true,
  key: (item) => item.id,
  publishesGone: false,
  revision: ({ confidencePercent, lastSeen }) => JSON.stringify([confidencePercent, lastSeen]),
  order: latestFirst(
    ({ firstSeen }) => firstSeen,
    ({ id }) => id,
  ),
  happenedAt: (item) => item.firstSeen,
  // Hundreds are shared each day.
  mayBeEmpty: false,
  contentAgeMax: "24 hours",
})
