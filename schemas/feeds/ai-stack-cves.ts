import * as Schema from "effect/Schema"
import { endpoint } from "../contract/endpoint.ts"
import { clause, itemWords, numberText, unknown } from "../contract/glance.ts"
import { Instant } from "../event.ts"
import { latestFirst, listFeed, type Parameters } from "../feed.ts"
import { HttpUrl, NonEmptyTextUpTo } from "../values.ts"

/** Vulnerabilities of one package; the most, of tensorflow, were some 430 in 2025. */
export const FLAWS_MAX = 2_000
export const FLAW_ALIASES_MAX = 50
export const FLAW_SUMMARY_MAX_CHARACTERS = 280

export const aiCategories = ["framework", "inference", "orchestration", "mlops", "notebook"] as const
export type AiCategory = (typeof aiCategories)[number]

const python = (name: string, category: AiCategory) => ({ name, ecosystem: "PyPI" as const, category })

/** The packages that are followed: their name in their ecosystem, and what they are for. */
export const aiPackageFacts = {
  torch: python("torch", "framework"),
  tensorflow: python("tensorflow", "framework"),
  keras: python("keras", "framework"),
  transformers: python("transformers", "framework"),
  onnx: python("onnx", "framework"),
  "huggingface-hub": python("huggingface-hub", "framework"),
  vllm: python("vllm", "inference"),
  ollama: { name: "github.com/ollama/ollama", ecosystem: "Go", category: "inference" },
  bentoml: python("bentoml", "inference"),
  langchain: python("langchain", "orchestration"),
  "langchain-core": python("langchain-core", "orchestration"),
  "langchain-community": python("langchain-community", "orchestration"),
  "llama-index": python("llama-index", "orchestration"),
  litellm: python("litellm", "orchestration"),
  langflow: python("langflow", "orchestration"),
  mlflow: python("mlflow", "mlops"),
  ray: python("ray", "mlops"),
  gradio: python("gradio", "mlops"),
  "jupyter-server": python("jupyter-server", "notebook"),
} as const satisfies Readonly<
  Record<string, { readonly name: string; readonly ecosystem: "PyPI" | "Go"; readonly category: AiCategory }>
>

export type AiPackage = keyof typeof aiPackageFacts
// The keys of a constant are its names.
export const aiPackages = Object.keys(aiPackageFacts) as ReadonlyArray<AiPackage>

const isAiPackage = (text: string | undefined): text is AiPackage =>
  text !== undefined && Object.hasOwn(aiPackageFacts, text)

/** What is known of the package of an instance. Throws for an instance that is none of the feed's. */
export const factsOfPackage = ({ package: id }: Parameters) => {
  if (!isAiPackage(id)) throw new TypeError("not a package of this feed")
  return { id, ...aiPackageFacts[id] }
}

/** What is known of a package that an event names; of one that this release no longer has, its name alone. */
export const packageInEvent = ({ package: id = "" }: Parameters) =>
  isAiPackage(id) ? { id, ...aiPackageFacts[id] } : { id, ecosystem: "", category: "" }

/** From the most to the least severe; `unstated` where no database states it. */
export const flawSeverities = ["critical", "high", "medium", "low", "unstated"] as const
const Severity = Schema.Literals(flawSeverities)

/** An id in a database of vulnerabilities, such as CVE-2025-3248, GHSA-rvqx-wpfh-mfx7 or PYSEC-2024-51. */
export const FlawId = Schema.String.check(
  Schema.isPattern(/^[A-Z][A-Za-z0-9]*(-[A-Za-z0-9.:_]+)+$/),
  Schema.isMaxLength(60),
)

const Cvss = Schema.NullOr(Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 10 })))
const Epss = Schema.NullOr(Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 })))
const Summary = Schema.NullOr(NonEmptyTextUpTo(FLAW_SUMMARY_MAX_CHARACTERS))

/** One vulnerability of a package, of the records that several databases have of it. */
export const Flaw = Schema.Struct({
  /** Its CVE id, else its GHSA id, else its PYSEC id, else the id of its record. */
  id: FlawId,
  /** Its other ids. */
  aliases: Schema.Array(FlawId).check(Schema.isMaxLength(FLAW_ALIASES_MAX)),
  severity: Severity,
  /** CVSS 3 base score; null without a vector of that version. */
  cvss: Cvss,
  /** Probability of exploitation within 30 days, as FIRST estimates it; null where it has no estimate. */
  epss: Epss,
  summary: Summary,
  publishedAt: Schema.NullOr(Instant),
  modifiedAt: Instant,
  url: HttpUrl,
})
export type Flaw = typeof Flaw.Type

export const aiStackCves = listFeed({
  name: "ai-stack-cves",
  description: "Known vulnerabilities of packages of the AI stack, an instance each, the latest published first.",
  instances: aiPackages.map((id) => ({ package: id })),
  judgedAs: "one",
  item: Flaw,
  itemsMax: FLAWS_MAX,
  key: (item) => item.id,
  revision: ({ modifiedAt }) => modifiedAt,
  order: latestFirst(
    ({ publishedAt }) => publishedAt,
    ({ id }) => id,
  ),
  happenedAt: (item) => item.modifiedAt,
})

const Exploited = Schema.NullOr(Schema.Natural)
const counts = <const Names extends ReadonlyArray<string>>(names: Names) =>
  Schema.Struct(
    Object.fromEntries(names.map((name) => [name, Schema.Natural])) as Record<Names[number], typeof Schema.Natural>,
  )

/** A vulnerability as the endpoint states it. */
const FlawRow = Schema.Struct({
  id: FlawId,
  package: Schema.Literals(aiPackages),
  severity: Severity,
  cvss: Cvss.annotate({ description: "CVSS 3 base score; null without a vector of that version" }),
  epss: Epss.annotate({
    description: "Probability of exploitation within 30 days (EPSS), 0 to 1; null without an estimate",
  }),
  exploited: Schema.NullOr(Schema.Boolean),
  summary: Summary,
  published: Schema.NullOr(Instant),
  url: HttpUrl,
})

export const aiStackCvesEndpoint = endpoint({
  path: "/api/ai-stack-cves",
  name: "ai_stack_cves",
  kind: "prepared",
  tier: "free",
  subject: "infrastructure",
  ttl: "3 hours",
  summary: "Vulnerabilities of the AI stack: counts, severity, categories, exploited ones and the most severe",
  description: [
    "Known vulnerabilities of 19 packages of the AI stack. Records of one vulnerability in several databases count once,",
    "withdrawn ones not at all, and one of several packages once in every total. A vulnerability is exploited if CISA's",
    "catalogue lists it.",
  ].join(" "),
  parameters: {},
  data: Schema.Struct({
    total: Schema.Natural,
    exploited_in_wild_count: Exploited.annotate({ description: "Null while the catalogue was never read" }),
    last_30d_count: Schema.Natural.annotate({ description: "Published in the last 30 days" }),
    by_severity: counts(flawSeverities),
    by_category: counts(aiCategories),
    top_cve: Schema.NullOr(FlawRow).annotate({
      description: "The most severe: exploited first, then by severity, CVSS, EPSS, and the latest published",
    }),
    packages: Schema.Array(
      Schema.Struct({
        name: Schema.Literals(aiPackages),
        ecosystem: Schema.Literals(["PyPI", "Go"]),
        category: Schema.Literals(aiCategories),
        total: Schema.Natural,
        exploited: Exploited,
        critical: Schema.Natural,
        high: Schema.Natural,
      }),
    )
      .check(Schema.isMaxLength(aiPackages.length))
      .annotate({ description: "The packages that were read so far" }),
    source_license: Schema.NonEmptyString,
    source_attribution: Schema.NonEmptyString,
  }),
  changes: [
    {
      feed: aiStackCves,
      row: FlawRow,
      without: ["exploited"],
      title: ({ id, package: name, severity, summary }) => itemWords(id, name, severity, summary),
    },
  ],
  glance: {
    title: "AI stack vulnerabilities",
    headline: ({ total, exploited_in_wild_count: exploited, top_cve: top }) => {
      const known = `${numberText(total)} known in packages of the AI stack`
      const severest = top === null ? null : `the most severe ${top.id} in ${top.package}`
      return exploited === null
        ? unknown(clause(known, "the catalogue of exploited ones was never read"))
        : { value: exploited, unit: null, note: clause(`exploited, of ${known}`, severest) }
    },
  },
  example: {
    total: 3,
    exploited_in_wild_count: 1,
    last_30d_count: 0,
    by_severity: { critical: 1, high: 1, medium: 1, low: 0, unstated: 0 },
    by_category: { framework: 0, inference: 0, orchestration: 3, mlops: 0, notebook: 0 },
    top_cve: {
      id: "CVE-2025-3248",
      package: "langflow",
      severity: "critical",
      cvss: 9.8,
      epss: 0.92,
      exploited: true,
      summary: "Langflow is vulnerable to code injection in its endpoint for validating code",
      published: "2025-04-07T15:30:00.000Z",
      url: "https://osv.dev/vulnerability/GHSA-rvqx-wpfh-mfx7",
    },
    packages: [
      { name: "langflow", ecosystem: "PyPI", category: "orchestration", total: 3, exploited: 1, critical: 1, high: 1 },
    ],
    source_license: "CC BY 4.0 (advisories), CC0 1.0 (exploited vulnerabilities)",
    source_attribution: "Computed by Tidewire of records of OSV",
  },
})
