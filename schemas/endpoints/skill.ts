import * as Schema from "effect/Schema"
import { endpoint } from "../contract/endpoint.ts"

/** How an agent uses this service, as a skill that it loads: YAML in front, then Markdown. */
export const skillEndpoint = endpoint({
  path: "/SKILL.md",
  name: "skill",
  kind: "document",
  tier: "service",
  // It holds the address under which it was requested.
  ttl: 0,
  mediaTypes: ["text/markdown"],
  parameters: {},
  summary: "A skill for agents: how to use this service, in one short page",
  description:
    "Markdown with a name and a description in front, as agents load skills: the base address, the commonest questions with the call for each, credits, refusals and limits.",
  data: Schema.String,
  example: "---\nname: tidewire\n---\n",
})
