import * as Schema from "effect/Schema"
import { endpoint } from "../contract/endpoint.ts"
import { shared } from "../contract/responses.ts"

/** Where vulnerabilities are reported (RFC 9116). */
export const securityTxtEndpoint = endpoint({
  path: "/.well-known/security.txt",
  name: "security_txt",
  kind: "document",
  tier: "service",
  ttl: 0,
  mediaTypes: ["text/plain"],
  summary: "Where vulnerabilities are reported (RFC 9116)",
  description: "404 where the operator names no contact.",
  parameters: {},
  data: Schema.String,
  responses: { 404: shared.Problem404 },
  example: "Contact: mailto:security@example.org\nExpires: 2027-02-13T00:00:00Z\nPreferred-Languages: en\n",
})
