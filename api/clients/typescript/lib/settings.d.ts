import type { CallDefaults, CallOptions } from "./options.ts";
/** The options of a call, each with its value. */
export interface Settings {
    readonly timeoutMs: number;
    readonly retriesMax: number;
    readonly bodyBytesMax: number;
    readonly verifyReceipts: boolean;
    readonly maxAgeMs: number | undefined;
    readonly onResponse: CallOptions["onResponse"];
}
/** The options of a call: its own, else those of its client, else the defaults. */
export declare const settingsOf: (own: CallOptions, shared: CallDefaults) => Settings;
