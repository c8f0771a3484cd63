import { type BillingFacts, type Meta, PREMIUM_SOURCE, type ReceiptMember, SERVICE_SOURCE } from "./reply.ts"

// The members of a reply beside its data, in their order. Bytes, OpenAPI schemas and examples are made of these layouts.

/** The place of the data's members, in a layout that has no member `data`. */
export const MEMBERS_OF_DATA = "..."

/** A member of the envelope. */
export type EnvelopeMember = "source" | "endpoint" | "updated_at" | "generated_at" | "billing" | "receipt" | "_meta"

/** A place in a layout. */
export type LayoutPlace = EnvelopeMember | "data" | typeof MEMBERS_OF_DATA

const layouts = {
  data: ["source", "endpoint", "updated_at", "data", "_meta"],
  composed: ["source", "generated_at", MEMBERS_OF_DATA, "_meta"],
  premium: ["source", "endpoint", "generated_at", MEMBERS_OF_DATA, "billing", "receipt", "_meta"],
  // The problem details of a failed premium call: without data, and therefore without `_meta`.
  failure: ["source", "endpoint", MEMBERS_OF_DATA, "billing", "receipt"],
  none: [MEMBERS_OF_DATA],
} as const satisfies Readonly<Record<string, ReadonlyArray<LayoutPlace>>>

/** Names of the layouts. */
export type EnvelopeName = keyof typeof layouts

/** The members of a reply in the order in which they are sent. */
export const layoutOf = (envelope: EnvelopeName): ReadonlyArray<LayoutPlace> => layouts[envelope]

/** Names that members of the data must not have. */
export const reservedMembers = (envelope: EnvelopeName): ReadonlySet<string> => new Set(layoutOf(envelope))

/** `source` of a reply. */
export const sourceOf = (envelope: EnvelopeName): string =>
  envelope === "premium" || envelope === "failure" ? PREMIUM_SOURCE : SERVICE_SOURCE

/** Name of an endpoint in replies: its path below `/api/`. */
export const endpointName = ({ path }: { readonly path: string }): string => path.replace(/^\/api\//, "")

/** The values of an envelope's members; a layout uses those that it has. */
export interface EnvelopeValues {
  readonly refreshedAt: string | null
  readonly meta: Meta | null
  readonly billing?: BillingFacts
  readonly receipt?: ReceiptMember | null
}

/** The value of a member of an envelope. */
export const memberValue = (
  member: EnvelopeMember,
  envelope: EnvelopeName,
  endpoint: { readonly path: string },
  { refreshedAt, meta, billing, receipt }: EnvelopeValues,
): unknown => {
  switch (member) {
    case "source":
      return sourceOf(envelope)
    case "endpoint":
      return endpointName(endpoint)
    case "updated_at":
    case "generated_at":
      return refreshedAt
    case "billing":
      return billing
    case "receipt":
      return receipt
    case "_meta":
      return meta
  }
}
