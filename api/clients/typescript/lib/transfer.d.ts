import type { Hex } from "./claim.ts";
/**
 * The calldata of an ERC-20 transfer with the hash of a memo behind its arguments, where the token does not look and the
 * service does. Throws a `TypeError` for an address, an amount or a hash that is not well-formed.
 */
export declare const transferCalldata: (recipient: string, units: bigint, memoHash: string) => Hex;
