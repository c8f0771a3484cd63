import { type Address, type Hex, type LocalAccount, serializeErc6492Signature } from "viem"
import { makeWallet } from "./calls.ts"

/** Signs a text as wallets do when a site asks (EIP-191, `personal_sign`). A contract wallet of this owner accepts it too. */
export const signText = (account: LocalAccount, text: string): Promise<Hex> => account.signMessage({ message: text })

/**
 * Signs a text for a contract wallet that stands not yet on the chain (EIP-6492): the signature tells how to make the
 * wallet before it is asked.
 */
export const signTextBeforeDeployment = async (
  owner: LocalAccount,
  text: string,
  { factory, salt }: { readonly factory: Address; readonly salt: Hex },
): Promise<Hex> =>
  serializeErc6492Signature({
    address: factory,
    data: makeWallet(factory, owner.address, salt).data,
    signature: await signText(owner, text),
  })
