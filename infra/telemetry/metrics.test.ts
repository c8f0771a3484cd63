import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { PYTHON_PACKAGE } from "../../api/clients/print/client-files.ts"
import { BUILD_DATABASE } from "../history/users.ts"
import { ownersOf } from "./metrics.ts"

const FOLDERS = ["api", "infra", "ingestors", "ledger", "processors"]
const root = join(import.meta.dirname, "..", "..")

/** The names of all metrics in the code. */
const names = FOLDERS.flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
    .flatMap((file) =>
      [...readFileSync(join(root, folder, file), "utf8").matchAll(/"(tidewire_[a-z_]*[a-z])"/g)].map(
        ([, name]) => name,
      ),
    ),
)

it("every metric has an owner, so that no role shows zeros of what another does", () => {
  expect(names.length).toBeGreaterThan(40)
  const others: ReadonlyArray<string | undefined> = [BUILD_DATABASE, PYTHON_PACKAGE]
  expect(names.filter((name) => ownersOf(name ?? "") === undefined && !others.includes(name))).toEqual([])
})

it("the longest name decides: who asks the ledger is not the ledger", () => {
  expect(ownersOf("tidewire_ledger_entries_total")).toEqual(["ledger"])
  expect(ownersOf("tidewire_ledger_client_requests_total")).toEqual(["ledgerClient"])
  expect(ownersOf("tidewire_log_end_offset")).toEqual(["process"])
  expect(ownersOf("tidewire_log_commits_failed_total")).toBe(null)
})
