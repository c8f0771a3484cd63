/**
 * The published list by which a repository counts as one about artificial intelligence or machine learning: it is enough
 * that its name, its description or one of its topics holds one of these terms, in whole words.
 */
export const aiMlTerms = [
  "ai",
  "ml",
  "llm",
  "llms",
  "gpt",
  "rag",
  "mcp",
  "transformer",
  "transformers",
  "diffusion",
  "neural",
  "embedding",
  "embeddings",
  "inference",
  "pytorch",
  "tensorflow",
  "langchain",
  "machine learning",
  "deep learning",
  "language model",
  "language models",
  "ai agent",
  "ai agents",
] as const
