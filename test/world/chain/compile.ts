import { execFileSync } from "node:child_process"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { fileURLToPath } from "node:url"
import * as Schema from "effect/Schema"

// `node test/world/chain/compile.ts` compiles the contracts and writes `contracts/artifacts.json`.

const folder = new URL("contracts/", import.meta.url)

/** Where the committed artifacts stand. */
export const artifactsFile = new URL("artifacts.json", folder)

/** What is committed of the compiled contracts. Byte code is hex with 0x. */
export interface Artifacts {
  /** The whole version of the compiler. */
  readonly compiler: string
  readonly contracts: Readonly<
    Record<string, { readonly abi: ReadonlyArray<unknown>; readonly bytecode: string; readonly runtime: string }>
  >
}

/**
 * Settings of the compiler. Without the metadata at its end the byte code depends on the code alone, not on comments; a
 * named EVM version keeps it from changing with the compiler's default.
 */
const settings = {
  evmVersion: "cancun",
  optimizer: { enabled: true, runs: 200 },
  metadata: { appendCBOR: false, bytecodeHash: "none" },
  outputSelection: { "*": { "*": ["abi", "evm.bytecode.object", "evm.deployedBytecode.object"] } },
}

const Output = Schema.Struct({
  errors: Schema.optionalKey(Schema.Array(Schema.Struct({ severity: Schema.String, formattedMessage: Schema.String }))),
  contracts: Schema.optionalKey(
    Schema.Record(
      Schema.String,
      Schema.Record(
        Schema.String,
        Schema.Struct({
          abi: Schema.Array(Schema.Unknown),
          evm: Schema.Struct({
            bytecode: Schema.Struct({ object: Schema.String }),
            deployedBytecode: Schema.Struct({ object: Schema.String }),
          }),
        }),
      ),
    ),
  ),
})
const decodeOutput = Schema.decodeUnknownSync(Schema.fromJsonString(Output))

/** Compiles `contracts/*.sol`. Throws the compiler's words, also where it only warns. */
export const compile = (): Artifacts => {
  // The compiler is CommonJS without types, and takes a while to load: only who compiles pays for it.
  const solc: { readonly version: () => string; readonly compile: (input: string) => string } = createRequire(
    import.meta.url,
  )("solc")
  const files = readdirSync(folder).filter((file) => file.endsWith(".sol"))
  const sources = Object.fromEntries(
    files.map((file) => [file, { content: readFileSync(new URL(file, folder), "utf8") }]),
  )
  const { errors, contracts } = decodeOutput(solc.compile(JSON.stringify({ language: "Solidity", sources, settings })))
  if (errors !== undefined && errors.length > 0)
    throw new Error(errors.map(({ formattedMessage }) => formattedMessage).join("\n"))
  return {
    compiler: solc.version(),
    contracts: Object.fromEntries(
      Object.values(contracts ?? {})
        .flatMap((inFile) => Object.entries(inFile))
        // An interface has no code of its own.
        .filter(([, { evm }]) => evm.bytecode.object !== "")
        .map(([name, { abi, evm }]) => [
          name,
          { abi, bytecode: `0x${evm.bytecode.object}`, runtime: `0x${evm.deployedBytecode.object}` },
        ]),
    ),
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(artifactsFile, JSON.stringify(compile()))
  const biome = fileURLToPath(new URL("../../../node_modules/.bin/biome", import.meta.url))
  execFileSync(biome, ["format", "--write", fileURLToPath(artifactsFile)], { stdio: "ignore" })
  process.stdout.write(`written: ${fileURLToPath(artifactsFile)}\n`)
}
