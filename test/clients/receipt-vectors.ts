import { readFileSync } from "node:fs"

const document = readFileSync(new URL("../../ledger/receipts/README.md", import.meta.url), "utf8")

/** The test vectors of the receipts' own document: the last block of JSON in it. */
export const vectors = JSON.parse(document.split("```json").at(-1)?.split("```")[0] ?? "")
