import { type Address, type Hex, type LocalAccount, serializeErc6492Signature } from "viem"
import { makeWallet } from "./calls.ts"

/** Signs a text as wallets do (EIP-191, `personal_sign`). A contract wallet of this owner accepts it too. */
export const signText = (account: LocalAccount, text: string): Promise<Hex> => account.signMessage({ message: text })

/**
 * Signs a text for a contract wallet that is not deployed yet (EIP-6492): the signature holds the call that deploys the
 * wallet before it verifies.
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
