/** The options of a call: its own, else those of its client, else the defaults. */
export const settingsOf = (own, shared) => ({
    timeoutMs: own.timeoutMs ?? shared.timeoutMs ?? 30_000,
    retriesMax: own.retriesMax ?? shared.retriesMax ?? 2,
    bodyBytesMax: own.bodyBytesMax ?? shared.bodyBytesMax ?? 64 * 1024 * 1024,
    verifyReceipts: own.verifyReceipts ?? shared.verifyReceipts ?? true,
    maxAgeMs: own.maxAgeMs ?? shared.maxAgeMs,
    onResponse: own.onResponse,
});
