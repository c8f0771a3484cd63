import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { aiMlTerms } from "../../schemas/published/ai-ml-terms.ts"
import { hasAiMlTerm, isAiMl } from "./pro-code-host-velocity.ts"

describe("a text is about artificial intelligence or machine learning", () => {
  it.each([
    "An AI for chess",
    "(LLM)",
    "llm-inference",
    "snake_case_ml_tool",
    "AI/ML toolbox",
    "GPT-4 in a browser",
    "openai's ai's limits",
    "\u57FA\u4E8EAI\u7684\u5DE5\u5177",
    "\uFF21\uFF29 tools",
    "Large Language Models from scratch",
    "machine-learning",
    "Deep  Learning",
    "A server for MCP.",
    "RAG!",
    "foo.ai",
    "Stable Diffusion in C",
  ])("%s", (text) => {
    expect(hasAiMlTerm(text)).toBe(true)
  })

  it.each([
    "",
    "Sends email",
    "rage against the garbage collector",
    "We maintain and contain",
    "html, xml and yaml",
    "J'ai r\u00E9ussi",
    "J\u2019ai r\u00E9ussi",
    "aim\u00E9, aim, AIDS, RAID",
    "gpt4all",
    "llama",
    "a machine for learning",
    "machine; deep",
    "rags and drag",
    "A language for models",
    "AI2 and mls",
    "transformed, differences, neuralgia",
    "tensor flow",
  ])("not: %s", (text) => {
    expect(hasAiMlTerm(text)).toBe(false)
  })

  it("with any term of the list in any case, between any separators", () => {
    const separator = fc.constantFrom(" ", "-", "_", ".", "/", "\u3002", ", ", "\n")
    fc.assert(
      fc.property(fc.constantFrom(...aiMlTerms), separator, separator, fc.boolean(), (term, before, inside, upper) => {
        const written = term.replaceAll(" ", inside)
        expect(hasAiMlTerm(`x${before}${upper ? written.toUpperCase() : written}${before}y`)).toBe(true)
      }),
    )
  })

  it("and not with a term inside a longer word", () => {
    fc.assert(
      fc.property(fc.constantFrom(...aiMlTerms), fc.constantFrom("q", "z9", "\u00E9"), (term, letters) => {
        expect(hasAiMlTerm(`${letters}${term.replaceAll(" ", letters)}${letters}`)).toBe(false)
      }),
    )
  })
})

describe("a repository is so", () => {
  const plain = { fullName: "ai/harbour", description: "Charts of the sea", topics: ["cli"] }

  it("by its name, its description or a topic", () => {
    expect(isAiMl({ ...plain, fullName: "petrel/llm-cli" })).toBe(true)
    expect(isAiMl({ ...plain, description: "An AI" })).toBe(true)
    expect(isAiMl({ ...plain, topics: ["cli", "generative-ai"] })).toBe(true)
  })
  it("and not by its owner, nor by words of two topics", () => {
    expect(isAiMl(plain)).toBe(false)
    expect(isAiMl({ ...plain, description: null, topics: ["machine", "learning"] })).toBe(false)
  })
})
