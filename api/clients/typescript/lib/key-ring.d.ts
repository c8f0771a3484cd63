import { type KeySet, type ReceiptRequest, type ReceiptVerdict } from "./receipt.ts";
/** The keys that receipts are verified with: pinned, or read from the service when the first receipt comes. */
export declare class KeyRing {
    #private;
    constructor(pinned: KeySet | undefined);
    /** Verifies a reply. Keys are read again once for a receipt of an unknown key, as keys are rotated. */
    verify(signed: {
        readonly reply: unknown;
        readonly request: ReceiptRequest;
    }, read: () => Promise<unknown>): Promise<ReceiptVerdict>;
}
