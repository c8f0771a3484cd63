import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"

const text = readFileSync(new URL("compose.yaml", import.meta.url), "utf8").replaceAll(/^\s*#.*\n/gmu, "")

/** The blocks of the file at an indent, by name, without their first line's name. */
const blocksOf = (source: string, indent: string): ReadonlyMap<string, string> =>
  new Map(
    Array.from(
      source.matchAll(new RegExp(`^${indent}([\\w-]+):(.*\\n(?:${indent} +.*\\n|\\n)*)`, "gmu")),
      ([, name = "", block = ""]) => [name, block],
    ),
  )

const shared = new Map(
  Array.from(blocksOf(text, ""), ([, block]) => [/&([\w-]+)/u.exec(block)?.[1] ?? "", block] as const),
)
const services = blocksOf(`${blocksOf(text, "").get("services")?.slice(1)}`, "  ")

/** The value of a member of a service, its own or that of what it is merged with. */
const memberOf = (block: string, name: string): string | undefined => {
  const own = new RegExp(`^ {2,4}${name}: (.+)$`, "mu").exec(block)?.[1]
  const merged = /^ *(?:<<: )?\*([\w-]+)$/mu.exec(block)?.[1]
  return own ?? (merged === undefined ? undefined : memberOf(shared.get(merged) ?? "", name))
}

describe("the compose file", () => {
  it("names the services that this test reads", () => {
    expect([...services.keys()]).toEqual([
      ...["kafka", "clickhouse", "ingest-1", "ingest-2", "process", "ledger-1", "ledger-2", "api", "operator"],
    ])
  })

  it.each([...services])("bounds the log, the memory and the processors of %s", (_, block) => {
    expect(memberOf(block, "logging")).toBe("*logging")
    expect(memberOf(block, "mem_limit")).toMatch(/^\d+g$/)
    expect(memberOf(block, "cpus")).toMatch(/^\d+$/)
  })

  it("rotates logs by size and number", () => {
    expect(shared.get("logging")).toMatch(/max-size: 20m, max-file: "5"/)
  })
})
