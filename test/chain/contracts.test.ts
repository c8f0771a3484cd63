import { readFileSync } from "node:fs"
import { toEventSelector, toFunctionSelector } from "viem"
import { describe, expect, it } from "vitest"
import { abis, artifacts, type ContractName } from "../world/chain/artifacts.ts"
import { artifactsFile, compile } from "../world/chain/compile.ts"

const names = Object.keys(abis) as ReadonlyArray<ContractName>

const selectors = (abi: (typeof artifacts.contracts)[ContractName]["abi"]): ReadonlyArray<string> =>
  abi.flatMap((item) =>
    item.type === "function" ? [toFunctionSelector(item)] : item.type === "event" ? [toEventSelector(item)] : [],
  )

describe("the committed contracts", () => {
  it("are what the compiler makes of their source", () => {
    expect(JSON.parse(readFileSync(artifactsFile, "utf8"))).toEqual(compile())
  })

  it.each(names)("%s has what is called of it", (name) => {
    const called = selectors(abis[name])
    expect(called.length).toBeGreaterThan(0)
    expect(selectors(artifacts.contracts[name].abi)).toEqual(expect.arrayContaining([...called]))
  })

  it("is all there is", () => {
    expect(Object.keys(artifacts.contracts).sort()).toEqual([...names].sort())
  })
})
