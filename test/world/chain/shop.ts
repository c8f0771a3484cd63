import { removeDirectory, type Service, startService, temporaryDirectory } from "../../support/service.ts"
import { startWorld } from "../server.ts"
import { type LocalChain, startChain } from "./chain.ts"
import { type FaultyRpc, startFaultyRpc } from "./rpc-faults.ts"

/** The whole service, its world, its chain, and three providers of that chain, of which two must agree. */
export interface Shop {
  readonly service: Service
  readonly chain: LocalChain
  readonly providers: readonly [FaultyRpc, FaultyRpc, FaultyRpc]
  readonly dataDirectory: string
  /** Removes the faults of all providers. */
  readonly heal: () => void
  readonly close: () => Promise<void>
}

/** The folder with everything that the service keeps stays until `close`. `offered`: as `startService` takes it. */
export const openShop = async (
  environment: Readonly<Record<string, string>> = {},
  offered?: ReadonlyArray<string>,
): Promise<Shop> => {
  const dataDirectory = temporaryDirectory()
  const [world, chain] = await Promise.all([startWorld({ seed: "shop" }), startChain()])
  const providers = await Promise.all([
    startFaultyRpc(chain.rpcUrl),
    startFaultyRpc(chain.rpcUrl),
    startFaultyRpc(chain.rpcUrl),
  ])
  const service = await startService({
    dataDirectory,
    ...(offered === undefined ? {} : { offered }),
    environment: {
      UPSTREAMS: world.url,
      RESTRICTED_SOURCES: "all,fred",
      RESALE_SOURCES: "all",
      WALLET_ADDRESS: chain.wallet,
      BASE_RPC_URLS: providers.map(({ url }) => url).join(","),
      // Every buyer comes from an address of his own, as the limits are for each.
      TRUSTED_PROXIES: "127.0.0.1",
      ...environment,
    },
  })
  const heal = () => {
    for (const provider of providers) provider.setFaults()
  }
  return {
    service,
    chain,
    providers,
    dataDirectory,
    heal,
    close: async () => {
      await service.end("SIGTERM")
      await Promise.all([...providers.map((provider) => provider.close()), chain.stop(), world.close()])
      removeDirectory(dataDirectory)
    },
  }
}
