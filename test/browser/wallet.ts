import type { Page } from "playwright-core"
import type { Hex, LocalAccount } from "viem"
import type { LocalChain } from "../world/chain/chain.ts"
import { signText } from "../world/chain/signatures.ts"

/** What a wallet announces about itself (EIP-6963). */
interface WalletInfo {
  readonly uuid: string
  readonly name: string
  readonly icon: string
  readonly rdns: string
}

/** A refusal of a wallet (EIP-1193). */
interface WalletError {
  readonly code: number
  readonly message: string
}

/** A wallet for a page: its requests are carried out here, by an account of the local chain. */
export interface PageWallet {
  readonly info: WalletInfo
  readonly request: (method: string, params: ReadonlyArray<unknown>) => Promise<unknown>
}

/** A wallet with an account of the local chain, and what it was asked for. */
export interface ChainWallet extends PageWallet {
  readonly methods: ReadonlyArray<string>
  /** Refuses the next request of a method. */
  readonly refuseNext: (method: string, error: WalletError) => void
}

/** The members that the first parameter of a request may have. */
type CallParameter = Readonly<Record<"chainId" | "from" | "to" | "data", Hex>>

/** A refusal that a wallet answers with. */
class Refusal extends Error {
  readonly error: WalletError
  constructor(error: WalletError) {
    super(error.message)
    this.error = error
  }
}

const ICON = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><circle cx="4" cy="4" r="4" fill="#7a5cc0"/></svg>',
)}`

const hexOf = (value: number): Hex => `0x${value.toString(16)}`

/** A wallet that knows the chains of `knownChains`, and is on `onChain` at first. */
export const makeChainWallet = (
  chain: LocalChain,
  account: LocalAccount,
  options: { readonly name?: string; readonly onChain?: number; readonly knownChains?: ReadonlyArray<number> } = {},
): ChainWallet => {
  const { name = "Test wallet", onChain = 8453, knownChains = [8453] } = options
  const known = new Set(knownChains.map(hexOf))
  let current = hexOf(onChain)
  const methods: Array<string> = []
  const refusals = new Map<string, WalletError>()

  const calls: Readonly<Record<string, (call: CallParameter) => unknown>> = {
    eth_requestAccounts: () => [account.address],
    eth_chainId: () => current,
    wallet_switchEthereumChain: ({ chainId }) => {
      if (!known.has(chainId)) throw new Refusal({ code: 4902, message: "Unrecognized chain ID" })
      current = chainId
      return null
    },
    wallet_addEthereumChain: ({ chainId }) => {
      known.add(chainId)
      return null
    },
    eth_call: ({ to, data }) => chain.client.call({ to, data }).then((result) => result.data ?? "0x"),
    eth_sendTransaction: ({ from, to, data, chainId }) => {
      if (from !== account.address || chainId !== current) throw new Refusal({ code: -32602, message: "not mine" })
      return chain.submit(account, { to, data })
    },
  }
  const answer = (method: string, first: unknown): unknown => {
    if (method === "personal_sign")
      return signText(account, Buffer.from(String(first).slice(2), "hex").toString("utf8"))
    const call = calls[method]
    if (call === undefined) throw new Refusal({ code: 4200, message: "unsupported" })
    // A member that the page has left out fails at the chain.
    return call(first as CallParameter)
  }
  return {
    info: { uuid: crypto.randomUUID(), name, icon: ICON, rdns: "org.example.wallet" },
    methods,
    refuseNext: (method, error) => refusals.set(method, error),
    request: async (method, params) => {
      methods.push(method)
      const refusal = refusals.get(method)
      refusals.delete(method)
      if (refusal !== undefined) throw new Refusal(refusal)
      return answer(method, params[0])
    },
  }
}

/** Gives a page these wallets: they announce themselves whenever the page asks. */
export const withWallets =
  (wallets: ReadonlyArray<PageWallet>) =>
  async (page: Page): Promise<void> => {
    await page.exposeFunction("askWallet", async (uuid: string, method: string, params: ReadonlyArray<unknown>) => {
      const wallet = wallets.find(({ info }) => info.uuid === uuid)
      try {
        return { value: await wallet?.request(method, params) }
      } catch (cause) {
        return { error: cause instanceof Refusal ? cause.error : { code: -32603, message: String(cause) } }
      }
    })
    // The driver runs it before the page's own scripts, past the content policy.
    await page.addInitScript({
      content: `{
        const infos = ${JSON.stringify(wallets.map(({ info }) => info))}
        const providerOf = (uuid) => ({
          request: async ({ method, params = [] }) => {
            const { value, error } = await window.askWallet(uuid, method, params)
            if (error !== undefined) throw error
            return value
          },
        })
        const announcements = infos.map((info) => ({ info, provider: providerOf(info.uuid) }))
        window.addEventListener("eip6963:requestProvider", () => {
          for (const detail of announcements)
            window.dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail }))
        })
      }`,
    })
  }
