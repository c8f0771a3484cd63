import { execFile } from "node:child_process"
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, describe, expect, it } from "vitest"
import { buildOpenApi } from "../../schemas/printers/openapi.ts"
import { endpoints } from "../../schemas/registry.ts"

const run = promisify(execFile)
const INSTALL_MS = 120_000
const COMPILE_MS = 120_000

const document = JSON.parse(JSON.stringify(buildOpenApi({ endpoints, baseUrl: null })))

type Node = Readonly<Record<string, unknown>>

const resolved = (node: Node): Node =>
  typeof node.$ref === "string"
    ? resolved(
        node.$ref
          .slice(2)
          .split("/")
          .reduce((value: Node, name) => value[name] as Node, document),
      )
    : node
const isObject = (node: Node): boolean => {
  const { type, properties, allOf } = resolved(node)
  return type === "object" || properties !== undefined || allOf !== undefined
}

/** The members of an object that it requires and that have one value only, as JSON texts. */
const fixedMembers = (node: Node): ReadonlyMap<string, string> => {
  const { properties = {}, required = [] } = resolved(node) as {
    readonly properties?: Readonly<Record<string, Node>>
    readonly required?: ReadonlyArray<string>
  }
  return new Map(
    required.flatMap((name): ReadonlyArray<readonly [string, string]> => {
      const { const: value, enum: values = value === undefined ? [] : [value] } = resolved(properties[name] ?? {})
      return Array.isArray(values) && values.length === 1 ? [[name, JSON.stringify(values[0])]] : []
    }),
  )
}

/** Whether the objects form a discriminated union: one required member has a different constant value in each of them. */
const areDiscriminated = (objects: ReadonlyArray<Node>): boolean => {
  const fixed = objects.map(fixedMembers)
  return [...(fixed[0]?.keys() ?? [])].some((name) => {
    const values = fixed.flatMap((members) => members.get(name) ?? [])
    return values.length === objects.length && new Set(values).size === objects.length
  })
}

/** The places of the document with a union of objects without a discriminating member. */
const undecided = (node: unknown, path: string): ReadonlyArray<string> => {
  if (typeof node !== "object" || node === null) return []
  const { anyOf, oneOf, discriminator } = node as Node
  const unions = [anyOf, oneOf].flatMap((choice) => (Array.isArray(choice) ? [choice.filter(isObject)] : []))
  return [
    ...(unions.some((objects) => objects.length > 1 && discriminator === undefined && !areDiscriminated(objects))
      ? [path]
      : []),
    ...Object.entries(node).flatMap(([name, member]) => undecided(member, `${path}/${name}`)),
  ]
}

describe("the OpenAPI document", () => {
  it("has one schema for each reply: no union of objects without a discriminating member", () => {
    expect(undecided(document, "")).toEqual([])
  })
})

/** A folder with the generator and its own TypeScript; null where they cannot be installed, with the reason printed. */
const installed = await (async () => {
  const folder = mkdtempSync(join(tmpdir(), "tidewire-client-"))
  cpSync(new URL("./typescript/", import.meta.url), folder, { recursive: true })
  try {
    const flags = ["ci", "--no-audit", "--no-fund", "--ignore-scripts", "--prefer-offline"]
    await run("npm", flags, { cwd: folder, timeout: INSTALL_MS })
    return folder
  } catch (cause) {
    rmSync(folder, { recursive: true, force: true })
    process.stdout.write(`skipped: the generated client, as its generator cannot be installed: ${String(cause)}\n`)
    return null
  }
})()
afterAll(() => (installed === null ? undefined : rmSync(installed, { recursive: true, force: true })))

describe.skipIf(installed === null)("types that are generated from the document (needs a package registry)", () => {
  const folder = installed ?? ""
  const generate = async () => {
    writeFileSync(join(folder, "openapi.json"), JSON.stringify(document))
    const cli = join(folder, "node_modules/openapi-typescript/bin/cli.js")
    await run(process.execPath, [cli, "openapi.json", "-o", "api.ts"], { cwd: folder, timeout: COMPILE_MS })
  }
  /** The compiler's diagnostics for a program. */
  const compiled = async (program: string): Promise<string> => {
    const tsc = join(folder, "node_modules/typescript/bin/tsc")
    const options = ["--noEmit", "--strict", "--target", "es2023", "--module", "nodenext"]
    const arguments_ = [tsc, ...options, "--allowImportingTsExtensions", "--skipLibCheck", program]
    return await run(process.execPath, arguments_, { cwd: folder, timeout: COMPILE_MS }).then(
      () => "",
      ({ stdout }: { readonly stdout: string }) => stdout,
    )
  }

  it(
    "read every briefing and table without a cast, and refuse members that are not in them",
    async () => {
      await generate()
      expect(await compiled("program.ts")).toBe("")
      const program = readFileSync(join(folder, "program.ts"), "utf8")
      expect(program).not.toMatch(/\bas\b|\bany\b|@ts-/)
      writeFileSync(join(folder, "wrong.ts"), program.replace("sections.crypto?.", "sections.kryptos?."))
      expect(await compiled("wrong.ts")).toMatch(/wrong\.ts\(\d+,\d+\): error TS/)
    },
    2 * COMPILE_MS,
  )
})
