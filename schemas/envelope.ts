import { type BillingFacts, type Meta, PREMIUM_SOURCE, type ReceiptMember, SERVICE_SOURCE } from "./reply.ts"

// The one place that says which members of a reply stand beside its data, and in which order. Bytes, OpenAPI schemas and
// examples are made of these layouts.

/** Stands where the members of the data go, in a layout whose data is no member of its own. */
export const MEMBERS_OF_DATA = "..."

/** A member that the service writes beside the data. */
export type EnvelopeMember = "source" | "endpoint" | "updated_at" | "generated_at" | "billing" | "receipt" | "_meta"

/** A place in a layout. */
export type LayoutPlace = EnvelopeMember | "data" | typeof MEMBERS_OF_DATA

const layouts = {
  data: ["source", "endpoint", "updated_at", "data", "_meta"],
  composed: ["source", "generated_at", MEMBERS_OF_DATA, "_meta"],
  premium: ["source", "endpoint", "generated_at", MEMBERS_OF_DATA, "billing", "receipt", "_meta"],
  // The problem details of a premium call that failed: there is no data, so nothing stands in `_meta`.
  failure: ["source", "endpoint", MEMBERS_OF_DATA, "billing", "receipt"],
  none: [MEMBERS_OF_DATA],
} as const satisfies Readonly<Record<string, ReadonlyArray<LayoutPlace>>>

/** Names of the layouts. */
export type EnvelopeName = keyof typeof layouts

/** The members of a reply in the order in which they are sent. */
export const layoutOf = (envelope: EnvelopeName): ReadonlyArray<LayoutPlace> => layouts[envelope]

/** Members that data beside the envelope must not have. */
export const reservedMembers = (envelope: EnvelopeName): ReadonlySet<string> => new Set(layoutOf(envelope))

/** `source` of a reply. */
export const sourceOf = (envelope: EnvelopeName): string =>
  envelope === "premium" || envelope === "failure" ? PREMIUM_SOURCE : SERVICE_SOURCE

/** Name of an endpoint as replies show it: its path below `/api/`. */
export const endpointName = ({ path }: { readonly path: string }): string => path.replace(/^\/api\//, "")

/** The values of an envelope's members; those that its layout does not have are left out. */
export interface EnvelopeValues {
  readonly refreshedAt: string | null
  readonly meta: Meta | null
  readonly billing?: BillingFacts
  readonly receipt?: ReceiptMember | null
}

/** What stands in a member of the envelope of an endpoint's reply. */
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
