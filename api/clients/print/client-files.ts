import type { Endpoint } from "../../../schemas/contract/endpoint-kinds.ts"
import { type ClientContract, clientContract, PRINTED } from "./contract.ts"
import { indexText as pythonIndex, operationsText as pythonOperations } from "./python-operations.ts"
import { typesText as pythonTypes } from "./python-types.ts"
import { pythonReadme, typescriptReadme } from "./readme.ts"
import { indexText, indexTypesText, operationsText, operationsTypesText } from "./typescript-operations.ts"
import { typesText } from "./typescript-types.ts"

const NAME = "tidewire-client"
const DESCRIPTION = "A client of Tidewire: real-time data of the world's public feeds."

const packageJson = ({ version }: ClientContract): string =>
  `${JSON.stringify(
    {
      name: NAME,
      version,
      description: DESCRIPTION,
      license: "Apache-2.0",
      private: true,
      type: "module",
      sideEffects: false,
      engines: { node: ">=20.3" },
      exports: { ".": { types: "./index.d.ts", default: "./index.js" } },
      files: ["index.js", "index.d.ts", "operations.js", "operations.d.ts", "types.d.ts", "lib"],
    },
    null,
    2,
  )}\n`

/** The package that Python imports. */
export const PYTHON_PACKAGE = "tidewire_client"

const pyproject = ({ version }: ClientContract): string => `# ${PRINTED}
[build-system]
requires = ["setuptools>=61"]
build-backend = "setuptools.build_meta"

[project]
name = "${NAME}"
version = "${version}"
description = "${DESCRIPTION}"
readme = "README.md"
requires-python = ">=3.11"
license = { text = "Apache-2.0" }
classifiers = ["Typing :: Typed", "Private :: Do Not Upload"]

[tool.setuptools]
packages = ["${PYTHON_PACKAGE}"]

[tool.setuptools.package-data]
${PYTHON_PACKAGE} = ["py.typed"]
`

/**
 * The texts of both clients that follow from the contract, by their paths in the packages. What is written by hand stands in
 * `api/clients/`: `typescript/src/`, which the command compiles into `lib/`, and the modules of `python/tidewire_client/`.
 */
export const clientFiles = (endpoints: ReadonlyArray<Endpoint>): ReadonlyMap<string, string> => {
  const contract = clientContract(endpoints)
  return new Map([
    ["typescript/package.json", packageJson(contract)],
    ["typescript/README.md", typescriptReadme(contract)],
    ["typescript/index.js", indexText(contract)],
    ["typescript/index.d.ts", indexTypesText(contract)],
    ["typescript/operations.js", operationsText(contract)],
    ["typescript/operations.d.ts", operationsTypesText(contract)],
    ["typescript/types.d.ts", typesText(contract)],
    ["python/pyproject.toml", pyproject(contract)],
    ["python/README.md", pythonReadme(contract)],
    ["python/tidewire_client/__init__.py", pythonIndex(contract)],
    ["python/tidewire_client/operations.py", pythonOperations(contract)],
    ["python/tidewire_client/types.py", pythonTypes(contract)],
  ])
}
