/**
 * The topics of the log. Every topic has exactly one partition: its total order makes folds of several feeds
 * deterministic. How long a topic keeps its records:
 *
 * - `archived`: until the history verifiably holds them, and at least `keptDays`; then trimmed by the service.
 * - `compacted`: the latest record of each key; a `null` value removes the key.
 * - `aged`: `keptDays`, whatever the history holds.
 * - `forever`: never trimmed.
 *
 * `imports` holds the state of an import of the log; it is never exported.
 */
const topics = {
  observations: { kept: "archived", keptDays: 30 },
  views: { kept: "compacted" },
  checkpoints: { kept: "compacted" },
  digests: { kept: "compacted" },
  imports: { kept: "compacted" },
  deltas: { kept: "archived", keptDays: 7 },
  versions: { kept: "archived", keptDays: 1 },
  purges: { kept: "forever" },
  ledger: { kept: "forever" },
  replies: { kept: "aged", keptDays: 1 },
  usage: { kept: "archived", keptDays: 7 },
  quarantine: { kept: "aged", keptDays: 30 },
} as const satisfies Record<string, TopicPolicy>

export type TopicPolicy =
  | { readonly kept: "compacted" }
  | { readonly kept: "forever" }
  | { readonly kept: "archived" | "aged"; readonly keptDays: number }

/** The name of a topic. */
export type Topic = keyof typeof topics

export const topicNames = Object.keys(topics) as ReadonlyArray<Topic>

/** A topic that is trimmed behind the archive only, so that a fold of it can be rebuilt from its first event. */
export type FoldableTopic = {
  [Name in Topic]: (typeof topics)[Name]["kept"] extends "archived" ? Name : never
}[Topic]

/** Whether a topic is a `FoldableTopic`. */
export const isFoldable = (topic: Topic): topic is FoldableTopic => topics[topic].kept === "archived"

/** Retention of topics in days, where a setting overrides their policy. */
export type KeptDays = Readonly<Partial<Record<Topic, number>>>

/** Topics with a retention in days, which can be set. */
export const datedTopics: ReadonlyArray<Topic> = topicNames.filter((topic) => "keptDays" in topics[topic])

/** The policy of a topic, as its general type. */
export const topicPolicy = (topic: Topic, keptDays: KeptDays = {}): TopicPolicy => {
  const policy: TopicPolicy = topics[topic]
  return "keptDays" in policy ? { ...policy, keptDays: keptDays[topic] ?? policy.keptDays } : policy
}
