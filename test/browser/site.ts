import { afterAll, beforeAll } from "vitest"
import { openShop, type Shop } from "../world/chain/shop.ts"

/**
 * The whole service beside its simulated world and its chain, for the tests of a file: started and filled before them,
 * stopped after them. The functions throw outside of tests. `offered`: as `startService` takes it.
 */
export const siteUnderTest = (
  offered?: ReadonlyArray<string>,
): { readonly shop: () => Shop; readonly url: (path: string) => string } => {
  let opened: Shop | undefined
  const shop = (): Shop => {
    if (opened === undefined) throw new Error("the service is not started yet")
    return opened
  }
  beforeAll(async () => {
    opened = await openShop({}, offered)
    await opened.service.filled()
  })
  afterAll(() => opened?.close())
  return { shop, url: (path) => new URL(path, shop().service.url).href }
}
